// What the kernels that copy samples offer: one table per instruction set.
#pragma once
#include <cstdint>

namespace ndresize {

using i64 = std::int64_t;

// Bytes of an output row in groups, each of bytes that lie in `windows` side by side, from one offset for
// each `window` bytes of the group on: see ByteOrder.
struct ShuffleTable {
  int windows;
  const int* offset;           // [group][group / window], into the source row
  const signed char* control;  // window 16: [group][windows][bytes of a group]; else [group][bytes]
  i64 groups;
};
constexpr int most_windows = 4;

struct PickKernels {
  int group, window;  // bytes that `shuffle` makes at a time, and of a window; 0: there is none
  // Copies blocks: dst[i] = src[index[i]], a block being `size` bytes.
  void (*row)(const char* src, char* dst, const i64* index, i64 n, i64 size);
  void (*shuffle)(const ShuffleTable&, const char* const* src, char* const* dst, int count);  // of rows
  // Of one row to all of `dst + place`, past the caches: multiples of 64; the caller fences.
  void (*shuffle_past)(const ShuffleTable&, const char* src, char* dst, const i64* place, i64 count);
  void (*stream_copy)(const char* src, char* dst, i64 size);  // past the caches; the caller fences
};

const PickKernels& pick_kernels_baseline();
const PickKernels& pick_kernels_avx2();
const PickKernels& pick_kernels_avx512();
const PickKernels& pick_kernels_vbmi();

}  // namespace ndresize
