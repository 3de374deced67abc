#version 460
// One vertex of arete's compact layout to the screen. Positions are metres from the frame's anchor.
layout(location = 0) in vec3 position;
layout(location = 1) in uint packed_normal;

layout(push_constant) uniform Push { mat4 clip_from_anchor; };

layout(location = 0) out vec3 normal;
layout(location = 1) out float hole;

void main() {
  vec2 plan = unpackSnorm2x16(packed_normal);
  normal = vec3(plan.x, sqrt(max(0.0, 1.0 - dot(plan, plan))), plan.y);
  hole = packed_normal == 0x80008000u ? 1.0 : 0.0;
  gl_Position = clip_from_anchor * vec4(position, 1.0);
}
