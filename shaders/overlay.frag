#version 460
// One thread is one pixel of a triangle over the picture.
layout(set = 0, binding = 0) uniform sampler2D coverage;

layout(location = 0) in vec2 in_uv;
layout(location = 1) in vec4 in_colour;
layout(location = 0) out vec4 out_colour;

void main() {
  out_colour = vec4(in_colour.rgb, in_colour.a * textureLod(coverage, in_uv, 0.0).r);
}
