// Sums over the threads of the workgroup that come before each one.

shared uint sums[kThreads];
shared uint group_sums[32];
const uint kGroup = kThreads / 32u;

// The sum over the threads before this one; `total` is that over all.
uint sum_before(uint value, out uint total) {
  uint thread = gl_LocalInvocationID.x;
  sums[thread] = value;
  barrier();
  if (thread < 32u) {
    uint sum = 0u;
    for (uint i = 0u; i < kGroup; ++i) {
      sum += sums[thread * kGroup + i];
    }
    group_sums[thread] = sum;
  }
  barrier();
  uint group = thread / kGroup;
  uint before = 0u;
  total = 0u;
  for (uint i = 0u; i < 32u; ++i) {
    uint sum = group_sums[i];
    before += i < group ? sum : 0u;
    total += sum;
  }
  for (uint i = group * kGroup; i < thread; ++i) {
    before += sums[i];
  }
  return before;
}

// A bit for each thread of a round; three sets take turns, so that one barrier a round is enough.
const uint kFlagWords = (kThreads + 31u) / 32u;
shared uint flags[3u * kFlagWords];

void clear_flags() {
  for (uint i = gl_LocalInvocationID.x; i < 3u * kFlagWords; i += kThreads) {
    flags[i] = 0u;
  }
}

// How many threads before this one, and how many in all, say so in this round.
uint count_before(uint round, bool says, out uint total) {
  uint thread = gl_LocalInvocationID.x;
  uint first = round % 3u * kFlagWords;
  if (says) {
    atomicOr(flags[first + thread / 32u], 1u << (thread & 31u));
  }
  barrier();
  uint before = 0u;
  total = 0u;
  for (uint i = 0u; i < kFlagWords; ++i) {
    uint count = uint(bitCount(flags[first + i]));
    before += i < thread / 32u ? count : 0u;
    total += count;
  }
  before += uint(bitCount(flags[first + thread / 32u] & ((1u << (thread & 31u)) - 1u)));
  if (thread < kFlagWords) {
    flags[(round + 2u) % 3u * kFlagWords + thread] = 0u;
  }
  return before;
}
