#version 460
// One thread is one corner of a triangle that covers the picture at infinite distance.
#include "shaders/common/scene.glsl"

layout(location = 0) out vec3 out_direction;

void main() {
  vec2 place = vec2(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0);
  out_direction = scene.forward.xyz + place.x * scene.right.xyz - place.y * scene.up.xyz;
  gl_Position = vec4(place, 0.0, 1.0);
}
