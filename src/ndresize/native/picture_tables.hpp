// A pass over 8-bit samples in fixed point, and its weights in the forms that the kernels along rows take.
#pragma once
#include <memory>
#include <vector>

#include "fixed_kernels.hpp"

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

struct LaneTables {
  FixedLanes lanes{};
  std::vector<int> offset;
  std::vector<signed char> control;
  std::vector<char> weights;
};

struct StackTables {
  FixedStack stack{};
  std::vector<i64> first;
  std::vector<int> counts;
  std::vector<char> weights;
};

// The tables of sum_lanes, or nothing where a vector's samples are too far apart.
std::unique_ptr<LaneTables> lane_tables(const FixedPass& pass, i64 channels, const FixedKernels& kernels);

// The tables of a stack's sums but for the channels, or nothing where an output reads too much,
// or all of them too little.
std::unique_ptr<StackTables> stack_tables(const FixedPass& pass, bool bytes);

}  // namespace ndresize
