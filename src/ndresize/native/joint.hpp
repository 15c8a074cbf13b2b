// Sums along up to three axes at once: every sample is multiplied by the product of its weights.
#pragma once
#include <utility>
#include <vector>

#include "kept.hpp"
#include "joint_kernels.hpp"

namespace ndresize {

// One axis; all passes together are one sum, in which the taps of the first pass change fastest.
struct JointPass {
  int axis = -1;
  i64 n_out = 0;
  int taps = 0;                // one or two
  std::vector<i64> index;      // [taps][n_out]
  std::vector<float> weights;  // [taps][n_out]
};

struct JointRow;  // the pass along rows

class Joint {
 public:
  Joint(std::vector<i64> shape_in, std::vector<i64> shape_out, std::vector<JointPass> passes,
        JointStore store, const JointKernels& kernels);
  ~Joint();

  // Strides in bytes. Returns false if `interrupted` did.
  bool run(const char* in, const i64* stride_in, char* out, const i64* stride_out, int threads,
           bool (*interrupted)()) const;

  const std::vector<i64> shape_in, shape_out;
  const JointKernels& kernels;

 private:
  std::vector<JointPass> passes_;
  const JointStore store_;
  const JointRow* row(const JointPass& along, i64 block) const;
  const JointRow* map(int first, i64 block) const;
  mutable Kept<std::pair<bool, i64>, JointRow> known_;  // whole maps or rows; elements side by side
};

}  // namespace ndresize
