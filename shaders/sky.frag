#version 460
// One thread is one pixel of sky.
#include "shaders/common/scene.glsl"
#include "shaders/common/atmosphere.glsl"

layout(location = 0) in vec3 in_direction;
layout(location = 0) out vec4 out_colour;

void main() {
  vec3 direction = normalize(in_direction);
  vec3 colour = sky_light(direction);
  float toward = dot(direction, scene.sun.xyz);
  float disc = smoothstep(0.99985, 0.99992, toward);
  colour += disc * 6.0 * sun_light() * smoothstep(-0.004, 0.004, direction.y);
  // Below the horizon the haze thickens to a soft floor.
  float below = smoothstep(0.0, 0.9, -direction.y);
  colour *= mix(vec3(1.0), vec3(0.55, 0.60, 0.66), below);
  out_colour = vec4(displayed(colour, gl_FragCoord.xy), 1.0);
}
