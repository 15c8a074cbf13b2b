// 8-bit pictures in fixed point: at most one pass along the rows of pixels and one across them.
#pragma once
#include <vector>

#include "kept.hpp"
#include "kernels.hpp"

namespace ndresize {

struct FixedPass {
  int axis = -1;
  i64 n_in = 0, n_out = 0;
  int taps = 0, padded = 0;
  std::vector<i64> starts;
  std::vector<int> counts;
  std::vector<std::int16_t> low, high;  // high: empty where low is enough
  int cut = 0;
  std::vector<std::int32_t> bias;  // per output, what is added to its sums; empty: nothing
  std::vector<i64> rows;  // across: the row that is read for each of n_in; empty: itself
  FixedStore store{};
  FixedWeights weights_of(i64 o) const {
    return {low.data() + o * padded, high.empty() ? nullptr : high.data() + o * padded};
  }
};

// The weights, units of 2**-bits, in the form that the kernels take; `weights` is [n_out][taps].
FixedPass fixed_pass(int axis, i64 n_in, i64 n_out, int taps, const i64* starts,
                     const std::int32_t* weights);

struct LaneTables;  // of a pass along rows with that many channels

class Picture {
 public:
  // `signed_bytes`: the arrays hold bytes with a sign; the passes see each 128 higher. `wraps`: what
  // they give are bytes of 0..255, which then are taken for bytes with a sign.
  Picture(std::vector<i64> shape_in, std::vector<i64> shape_out, std::vector<FixedPass> passes,
          bool signed_bytes, const Kernels& kernels, bool wraps = false);
  ~Picture();

  // Strides in bytes. `touched`: the output was written before. Returns false if `interrupted` did.
  bool run(const char* in, const i64* stride_in, char* out, const i64* stride_out, bool touched,
           int threads, bool (*interrupted)()) const;

  const std::vector<i64> shape_in, shape_out;

 private:
  std::vector<FixedPass> passes_;  // in order
  const bool signed_bytes_, wraps_;
  const bool halves_;  // it takes means of two by two samples, halves up
  const Kernels& kernels_;
  const LaneTables* lanes(const FixedPass& along, i64 channels) const;
  mutable Kept<i64, LaneTables> known_;  // by channels
};

}  // namespace ndresize
