// What the kernel text means in each language that compiles it: C++ (native and wasm32) and GLSL.
//
// Kernel functions are scalar, total and free of side effects. Only f32 +, -, x, integers and comparisons touch a
// position, each operation on its own line, so that no backend can fuse or reorder two of them. This is the only
// kernel file with preprocessor conditions.
#ifndef ARETE_KERNEL_DIALECT_H
#define ARETE_KERNEL_DIALECT_H

#ifdef __cplusplus

#include <cstdint>

#if defined(__FAST_MATH__)
#error "arete needs exact f32 arithmetic: compile without -ffast-math"
#endif

namespace arete::kernel {
using uint = std::uint32_t;
using std::int32_t;
using int64 = std::int64_t;
// The heights of queries and rays are computed in double on the host and in f32 on a GPU; at a stop both return the
// sample's own value.
using real = double;

// The builtin behind std::bit_cast, which wasm32's standard library lacks.
inline float float_from_bits(uint bits) { return __builtin_bit_cast(float, bits); }
inline uint bits_from_float(float value) { return __builtin_bit_cast(uint, value); }
}  // namespace arete::kernel

#define ARETE_KERNEL_BEGIN namespace arete::kernel {
#define ARETE_KERNEL_END }
#define ARETE_FN inline
#define ARETE_EXACT
// The caller's way to samples: a `const Source&` with fetch_sample(frame, lod, gx, gz).
#define ARETE_SOURCE_FN template <class Source> inline
#define ARETE_SOURCE_PARAMETER const Source &source,
#define ARETE_SOURCE_ARGUMENT source,
#define ARETE_FETCH_SAMPLE source.fetch_sample

#else  // GLSL

#define int32_t int
#define int64 int64_t
#define real float
#define float_from_bits uintBitsToFloat
#define bits_from_float floatBitsToUint
#define ARETE_KERNEL_BEGIN
#define ARETE_KERNEL_END
#define ARETE_FN
#define ARETE_EXACT precise
// A shader defines fetch_sample between sample.h and vertex.h.
#define ARETE_SOURCE_FN
#define ARETE_SOURCE_PARAMETER
#define ARETE_SOURCE_ARGUMENT
#define ARETE_FETCH_SAMPLE fetch_sample

#endif
#endif
