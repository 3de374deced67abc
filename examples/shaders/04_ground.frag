#version 460
// The ground by its slope and the sun in the north-west. A triangle is drawn where its three vertices are.
layout(location = 0) in vec3 normal;
layout(location = 1) in float hole;

layout(location = 0) out vec4 colour;

void main() {
  if (hole > 0.0) {
    discard;
  }
  vec3 up = normalize(normal);
  float light = 0.25 + 0.85 * max(0.0, dot(up, normalize(vec3(-0.6, 0.6, -0.5))));
  vec3 ground = mix(vec3(0.42, 0.36, 0.30), vec3(0.30, 0.42, 0.20), smoothstep(0.90, 0.98, up.y));
  colour = vec4(ground * light, 1.0);
}
