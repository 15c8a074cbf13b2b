// What the kernels of sums along several axes at once offer. The weights of a sample are multiplied,
// then it, and the products are added one by one; nothing is fused, so two sets of them are enough.
#pragma once
#include "kernels.hpp"

namespace ndresize {

constexpr int most_terms = 8;  // two taps each along three axes
constexpr i64 joint_room = 8;  // elements that the kernels read or write beyond the last

// Where the elements of a row are that each tap reads.
struct SpreadTable {
  int taps;
  bool shared;  // bytes: every second tap has the windows of the tap before it
  const int* place[most_terms];  // per element: its index; of bytes: the first of a window of four
  const int* left[most_terms];   // of bytes: the bits from the byte to the window's highest
};

// What is added to a sum: weights[j] * one * two * samples[j], in that order.
struct JointTerm {
  const float *samples, *weights;
  float one, two;
};

// How sums become integers: `plus` is added to each, which rounds it, and then it is rounded.
struct JointStore {
  Rounding rounding;
  float plus;
};

struct JointKernels {
  int element_size;  // 0: no kernels for the type
  // Elements from..to - 1 of each tap as floats, from `dst[tap]` on. A row of bytes has four at least.
  void (*spread)(const char* row, const SpreadTable&, i64 from, i64 to, float* const* dst);
  // Elements side by side as floats; exactly n are read.
  void (*widen)(const char* row, i64 n, float* dst);
  // Exactly n elements are written. `both`: some `two` is not 1.
  void (*sum)(const JointTerm* terms, int count, bool both, char* dst, i64 n, const JointStore&);
};

// By the type's place in Type.
const JointKernels* joint_kernels_baseline();
const JointKernels* joint_kernels_apart();

}  // namespace ndresize
