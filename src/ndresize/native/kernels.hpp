// What the row kernels offer to the executor: one table per element type and instruction set.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ndresize {

using i64 = std::int64_t;

enum class Rounding : int { half_even = 0, half_away = 1, truncate = 2 };

// How the weighted sum along a row is computed; all three add the taps of a sample in order.
enum class Method : int {
  permute,    // 8 neighbouring outputs read a window of 8 or 16 samples: load once, permute per tap
  transpose,  // 8 rows at a time, one per lane, so that a tap is one load and one multiply-add
  gather,     // one row, 8 outputs at a time, from anywhere in the row
};

// The weighted sums along one tile of a row, as tables for one method.
// An element is one channel of one sample; a row of n samples has n * channels elements.
struct RowTable {
  Method method;
  int taps;
  int channels;
  int window;             // permute: samples loaded per block, 8 or 16
  i64 in_begin, n_in;     // first element of the row that is read, and how many are
  i64 out_begin, n_out;   // first element that is written, and how many are
  const i64* starts;      // per sample of the tile, relative to in_begin, in samples
  const void* weights;    // [sample][tap], in the accumulator's type
  const int* window_start;  // permute: per block of 8 outputs
  const int* index;         // permute, gather: [block][tap][8], into the window or the row
  const void* lanes;        // permute, gather: [block][tap][8] weights
};

struct RowKernels {
  int element_size;
  int accumulator_size;
  bool widens;  // the accumulator is another type than the element
  bool has_nan;  // the element type has NaN

  // Strided elements to a contiguous row of accumulators, and back.
  void (*load)(const char* src, std::ptrdiff_t stride, void* dst, i64 n);
  void (*store)(const void* src, char* dst, std::ptrdiff_t stride, i64 n, Rounding);
  // Make accumulators what they would be after a store and a load.
  void (*settle)(void* row, i64 n, Rounding);
  // dst[j] = sum over t of weights[t] * rows[t][j]; contiguous rows.
  void (*sum_rows)(const char* const* rows, bool wide_rows, const void* weights, int taps, char* dst,
                   bool wide_dst, i64 n, Rounding, bool safe);
  // dst[r][i] = sum over t of weights[i][t] * rows[r][starts[i] + t]; up to 8 contiguous rows of
  // accumulators, from in_begin on; `permute` reads whole windows, so a row has at least one.
  // `scratch` holds 8 * (n_in + taps * channels + n_out) accumulators for `transpose`.
  void (*sum_taps)(const RowTable&, const char* const* rows, int count, char* const* dst,
                   void* scratch, bool safe);
  // Whether a row of elements holds a NaN.
  bool (*any_nan)(const char* row, std::ptrdiff_t stride, i64 n);
};

// Copies blocks: dst[i] = src[index[i]], a block being `size` bytes.
using PickRow = void (*)(const char* src, char* dst, const i64* index, i64 n, i64 size);

// The same by shuffles: groups of 16 bytes of output that come from 16 bytes of input.
struct ShuffleTable {
  const int* offset;             // per group, into the source row
  const unsigned char* control;  // [group][16]
  i64 groups;
};
using PickShuffle = void (*)(const char* src, char* dst, const ShuffleTable&);

// The last four: 8 and 16 bits with sums in double.
enum Type {
  f32, f64, f16, bf16, u8, i8, u16, i16, u32, i32, u64, s64, u8d, i8d, u16d, i16d, type_count
};

struct Kernels {
  const char* name;
  RowKernels rows[type_count];
  PickRow pick_row;
  PickShuffle pick_shuffle;  // null where the instruction set has no byte shuffle
};

const Kernels& kernels_baseline();
const Kernels& kernels_avx2();
const Kernels& kernels_avx512();

}  // namespace ndresize
