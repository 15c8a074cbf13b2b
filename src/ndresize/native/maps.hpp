// Many little maps: their rows are too short for vectors, so each map is one lane.
#pragma once
#include <memory>

#include "program.hpp"

namespace ndresize {

// Sums along the axes from `first` on, which lie in memory without gaps, for all places of the axes
// before it.
class Maps {
 public:
  // Null where maps are too large, or too few, or rows serve as well.
  static std::unique_ptr<const Maps> of(const Spec& spec, const Kernels& kernels);

  // Whether the maps of such arrays have no gaps.
  bool takes(const Spec& spec, const i64* stride_in, const i64* stride_out) const;
  bool run(const Spec& spec, const Kernels& kernels, const char* in, const i64* stride_in, char* out,
           const i64* stride_out, int threads, bool (*interrupted)()) const;

 private:
  Maps() = default;
  void passes(const Spec& spec, const RowKernels& k, char* from, char* to, i64 lanes, bool safe) const;

  int first_ = 0;
  std::vector<i64> shape_;        // of a map
  i64 n_in_ = 1, n_out_ = 1;      // elements of a map
  i64 most_ = 1;                  // after any pass
  i64 work_ = 0;                  // element operations of a map
  int blocks_ = 1;                // of eight lanes, that are done together
  i64 count_ = 1;                 // maps
  bool careful_ = false;          // a NaN may come through a weight of zero
  std::vector<i64> batch_;        // lengths of the axes before the first
};

}  // namespace ndresize
