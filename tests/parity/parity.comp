#version 460
// One thread is one case of the parity table; it writes the case's 12 words.
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#ifdef ARETE_ROUND_TO_NEAREST
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
#endif

#include "kernel/sample.h"
#include "tests/parity/cases_field.h"

TestField current_field;
Sample fetch_sample(FrameConstants frame, int lod, int gx, int gz) {
  return field_sample(current_field, frame, lod, gx, gz);
}

#include "tests/parity/cases.h"

layout(local_size_x = 64) in;
layout(std430, binding = 0) writeonly buffer Words { uint words[]; };
layout(push_constant) uniform Constants {
  uint first_case;
  uint count;
};

void main() {
  uint thread = gl_GlobalInvocationID.x;
  if (thread >= count) {
    return;
  }
  uint index = first_case + thread;
  current_field = case_field(index);
  CaseWords result = run_case(current_field, index);
  for (int i = 0; i < 12; ++i) {
    words[thread * 12u + uint(i)] = result.words[i];
  }
}
