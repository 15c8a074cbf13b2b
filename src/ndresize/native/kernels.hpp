// What the row kernels offer to the executor: one table per element type and instruction set.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ndresize {

using i64 = std::int64_t;

// The order of rounding.py. The last rounds to float32 first.
enum class Rounding : int { half_even, half_away, truncate, half_up, float32_half_even };

// How four products a, b, c, d are added where a plan says it; "+" after a product is fused to it.
// chain: ((a + b) + c) + d, fused; halves: (a + b) + (c + d), each rounded; fused_halves: the same
// with b and d fused to a and c. mixed: of a block of lanes, each in its own.
enum class Tree : int { chain = 0, halves = 1, fused_halves = 2, mixed = 3 };

// How the weighted sum along a row is computed; all three add the taps of a sample in order.
enum class Method : int {
  permute,    // a block of neighbouring outputs reads a window of one, two or four times as many samples:
              // load once, permute per tap; of products, two or three times as many
  transpose,  // 8 rows at a time, one per lane, so that a tap is one load and one multiply-add
  gather,     // one row, a block of outputs at a time, from anywhere in the row
  pixels,     // of products: the channels of one sample at a time
};

// Where a block of `lanes` outputs begins, the one from `o` on of `n`: the last one ends with the row and
// makes some again, for parts of vectors are slow to write.
inline i64 block_start(i64 o, i64 n, i64 lanes = 8) { return o + lanes <= n || n < lanes ? o : n - lanes; }

// A run of outputs along a row of which every second one has the same weights, one sample further on.
struct Phases {
  i64 pairs;    // of outputs, in samples; 0: there is no run
  i64 out;      // the element where it begins
  i64 from[2];  // the elements that the first taps of the first pair read
  float weights[2][4];
  Tree tree;               // of products
  i64 first_block, end_block;  // of the table's blocks those that it makes
};

// The weighted sums along one tile of a row, as tables for one method.
// An element is one channel of one sample; a row of n samples has n * channels elements.
struct RowTable {
  Method method;
  int taps;
  int channels;
  int block;              // permute, gather: outputs at a time
  int window;             // permute: samples loaded per block
  bool pairs;             // gather of floats: two neighbouring taps each, see gather_pairs
  bool lerp;              // two taps as a + (b - a) * w; `lanes` is then [block][lane], of w
  i64 n_in, n_out;        // elements of the row that are read, from the tile's first on; and written
  i64 head, tail;         // elements at both ends, between which no weight is zero
  const i64* starts;      // per sample of the tile, relative to the first that is read, in samples
  const void* weights;    // [sample][tap], in the accumulator's type
  const int* window_start;  // permute: per block
  const int* index;         // permute, gather: [block][tap][lane], into the window or the row; pairs:
                            // [block][lane]
  const void* lanes;        // permute, gather: [block][tap][lane] weights
  // Of products: blocks have `float_lanes` outputs or, of `pixels`, are one sample; all have four
  // taps. Pixels: [pixel][tap] index and weights.
  i64 whole_pixels;         // of which the first four elements of every tap are in the row
  const Tree* block_trees;  // per block
  const int* lane_trees;    // [block][lanes]
  Phases phases;            // permute, gather: of up to four channels
};

// The sums of two neighbouring outputs, of taps[0] rows from the first on and of taps[1] from `shift` on,
// which is no more than taps[0]; the second ends with the last row.
struct TwoSums {
  const void* weights[2];
  int taps[2];
  int shift;
  int rows() const { return shift + taps[1]; }
};

constexpr int map_lanes = 8;
constexpr int most_axis_taps = 16;  // of sum_axis

struct RowKernels {
  int element_size;
  int accumulator_size;
  bool widens;  // the accumulator is another type than the element
  bool has_nan;  // the element type has NaN
  bool permutes;  // vectors of accumulators, by instructions
  int block;      // outputs along a row at a time, at least

  // Strided elements to a contiguous row of accumulators, and back.
  void (*load)(const char* src, std::ptrdiff_t stride, void* dst, i64 n);
  void (*store)(const void* src, char* dst, std::ptrdiff_t stride, i64 n, Rounding);
  // Make accumulators what they would be after a store and a load.
  void (*settle)(void* row, i64 n, Rounding);
  // dst[j] = sum over t of weights[t] * rows[t][j]; contiguous rows. `stream`: past the caches, where
  // the type can do it; the caller then fences.
  void (*sum_rows)(const char* const* rows, bool wide_rows, const void* weights, int taps, char* dst,
                   bool wide_dst, i64 n, Rounding, bool safe, bool stream);
  // Two such sums at once, which share what they load; null where the type's sums have none.
  void (*sum_rows_twice)(const char* const* rows, bool wide_rows, const TwoSums&, char* const* dst,
                         bool wide_dst, i64 n, Rounding, bool stream);
  // The sum of four rows in a tree, which may be one row more than once. Null where the type's sums
  // have none. Sums of elements and weights stay below 2**30.
  void (*sum_products)(const char* const* rows, bool wide_rows, const void* weights, Tree, char* dst,
                       bool wide_dst, i64 n, Rounding, bool stream);
  // The same along up to 8 rows, as in sum_taps; rows of elements for `pixels` alone.
  void (*sum_row_products)(const RowTable&, const char* const* rows, bool wide_rows, int count,
                           char* const* dst);
  // The weighted sum of two rows as r0 + (r1 - r0) * w1.
  void (*lerp_rows)(const char* const* rows, bool wide_rows, const void* weights, char* dst,
                    bool wide_dst, i64 n, Rounding);
  // Sums of rows for all outputs of an axis at once: rows of accumulators `stride` bytes apart from `base`
  // on, of which output i reads counts[i] from starts[i] on. `lerp`: two as lerp_rows has it.
  void (*sum_axis)(const char* base, std::ptrdiff_t stride, const i64* starts, const int* counts,
                   const void* weights, int taps, bool lerp, i64 from, i64 to, char* dst,
                   std::ptrdiff_t dst_stride, bool wide_dst, i64 n, Rounding, bool safe);
  // dst[r][i] = sum over t of weights[i][t] * rows[r][starts[i] + t]; up to 8 contiguous rows of
  // accumulators, from the first element that is read on; `permute` reads whole windows, so a row has at least one.
  // `scratch` holds 8 * (n_in + taps * channels + n_out) accumulators for `transpose`.
  void (*sum_taps)(const RowTable&, const char* const* rows, int count, char* const* dst,
                   void* scratch, bool safe);
  // dst[i] = sum over two rows r of across[r] * (sum over t of weights[i][t] * rows[r][starts[i] + t]),
  // or both by lerps, for a table of pairs; null of other accumulators than float. `next`: the rows of the next call.
  void (*sum_square)(const RowTable&, const char* const* rows, const char* const* next,
                     const void* across, char* dst, bool safe);
  // Rows of accumulators to lanes, and back: element j of up to `map_lanes` rows is vector j * step.
  void (*rows_to_lanes)(const char* const* rows, int count, char* lanes, i64 step, i64 n);
  void (*lanes_to_rows)(const char* lanes, i64 step, char* const* rows, int count, i64 n);
  // Whether a row of elements holds a NaN.
  bool (*any_nan)(const char* row, i64 n);
};

// The last five: up to 32 bits with sums in double.
enum Type {
  f32, f64, f16, bf16, u8, i8, u16, i16, u32, i32, u64, s64, u8d, i8d, u16d, i16d, f32d, type_count
};

struct Kernels {
  const char* name;
  int float_lanes;  // of the widest vectors
  RowKernels rows[type_count];
};

const Kernels& kernels_baseline();
const Kernels& kernels_apart();  // no fused multiply-add
const Kernels& kernels_avx2();
const Kernels& kernels_avx512();

}  // namespace ndresize
