// 8-bit pictures in fixed point: at most one pass along the rows of pixels and one across them.
#pragma once
#include <vector>

#include "kept.hpp"
#include "picture_tables.hpp"

namespace ndresize {

class Picture {
 public:
  // `signed_bytes`: the arrays hold bytes with a sign; the passes see each 128 higher. `wraps`: what
  // they give are bytes of 0..255, which then are taken for bytes with a sign.
  Picture(std::vector<i64> shape_in, std::vector<i64> shape_out, std::vector<FixedPass> passes,
          bool signed_bytes, const FixedKernels& kernels, bool wraps = false);

  // Strides in bytes. `touched`: the output was written before. Returns false if `interrupted` did.
  bool run(const char* in, const i64* stride_in, char* out, const i64* stride_out, bool touched,
           int threads, bool (*interrupted)()) const;

  const std::vector<i64> shape_in, shape_out;

 private:
  std::vector<FixedPass> passes_;  // in order
  const bool signed_bytes_, wraps_;
  const bool halves_;  // it takes means of two by two samples, halves up
  const FixedKernels& kernels_;
  const LaneTables* lanes(const FixedPass& along, i64 channels) const;
  const StackTables* stack(const FixedPass& along, i64 channels) const;
  mutable Kept<i64, LaneTables> lanes_;  // by channels
  mutable Kept<const FixedPass*, StackTables> stacks_;
};

}  // namespace ndresize
