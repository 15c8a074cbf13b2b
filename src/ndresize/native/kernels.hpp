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
                         bool wide_dst, i64 n, Rounding);
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

// Copies blocks: dst[i] = src[index[i]], a block being `size` bytes.
using PickRow = void (*)(const char* src, char* dst, const i64* index, i64 n, i64 size);

// The same by shuffles: groups of 16 bytes of output that come from up to `windows` * 16 of input.
struct ShuffleTable {
  int windows;
  const int* offset;             // per group, into the source row
  const unsigned char* control;  // [group][window][16]; 128: from another window
  i64 groups;
};
constexpr int most_windows = 4;
using PickShuffle = void (*)(const char* src, char* dst, const ShuffleTable&);

// The last five: up to 32 bits with sums in double.
enum Type {
  f32, f64, f16, bf16, u8, i8, u16, i16, u32, i32, u64, s64, u8d, i8d, u16d, i16d, f32d, type_count
};

// 8-bit samples in fixed point. How a row of sums is kept: as bytes, rounded and clamped; as 16-bit
// words, shifted right; or as the 32-bit sums themselves.
enum class Format : int { byte, word, wide };

struct FixedStore {
  Format format;
  int shift;           // fractional bits that are dropped
  std::int32_t half;   // what is added to a sum before they are: rounding, of bytes alone
  bool half_even;      // bytes: ties to even; `half` is then one less than a half
  std::int32_t split = INT32_MIN;  // bytes: sums below it are negative, and round otherwise:
  std::int32_t below = -1;         // what is added to them; at first, that ties round down
  float scale = 0;     // bytes: if not 0, what sums are multiplied by; the product is rounded to float32,
                       // then to a byte, ties to even. Nothing is added or dropped then.
};

// Weights in units of 2**-bits: low, or high * 2**16 + low; filled with zeros to an even number.
struct FixedWeights {
  const std::int16_t *low, *high;  // high: null where low is enough
};
inline std::int32_t weight_of(const FixedWeights& w, i64 t) {
  return std::int32_t(w.low[t]) + (w.high ? std::int32_t(w.high[t]) * 65536 : 0);
}

// The weights of a pass along rows of pixels.
struct FixedTable {
  i64 channels, n_in, n_out;
  int taps, padded;         // of the longest row; and with the zeros that fill up every row
  const i64* starts;
  const int* counts;
  const std::int16_t *low, *high;  // [n_out][padded]
  int cut;                  // bits that are cut off each product
  FixedStore store;
  // What is added to each sum, `bias_step` times per output; null: nothing. A quad of sums reads four.
  const std::int32_t* bias;
  int bias_step;
  FixedWeights weights_of(i64 o) const {
    return {low + o * padded, high ? high + o * padded : nullptr};
  }
};

// The same for at most four taps, element by element: vectors of four elements in each 128 bits, whose
// samples lie in 16 bytes of the row. `vectors` of them make a group, in the order in which packing
// the sums to the format of the store brings them into memory's order.
struct FixedLanes {
  int vectors, pairs;      // per group; pairs of taps
  i64 elements;            // of a row
  i64 group_elements;      // vectors * elements of a vector
  const int* offset;       // [group][vector][128 bits]
  const signed char* control;      // [group][vector][pair][bytes of a vector]
  const std::int16_t* weights;     // [group][vector][pair][words of a vector]
  FixedStore store;
};

constexpr int most_wide_taps = 64;  // of a sum of 32-bit rows by vectors

struct FixedKernels {
  int group;         // rows that sum_pixels takes at a time
  int vector_bytes;  // 0: no sum_lanes
  // dst[j] = sum over t of weights[t] * rows[t][j], each product without its last `cut` bits.
  // `stream`: bytes may go past the caches; the caller then fences.
  void (*sum_rows)(const char* const* rows, Format format, const FixedWeights&, int taps, int cut,
                   char* dst, const FixedStore&, i64 n, bool stream);
  // Outputs from..to - 1 of up to `group` rows of bytes. Reads up to `fixed_reach` bytes from a
  // pixel's first tap on, which must exist.
  void (*sum_pixels)(const FixedTable&, const std::uint8_t* const* rows, int count, i64 from, i64 to,
                     char* const* dst);
  // Groups from..to - 1 of up to `group` rows of bytes.
  void (*sum_lanes)(const FixedLanes&, const std::uint8_t* const* rows, int count, i64 from, i64 to,
                    char* const* dst);
  // `n` bytes of means of two by two pixels, from two rows of twice as many; halves are rounded up.
  void (*halve_rows)(const std::uint8_t* const* rows, i64 channels, char* dst, i64 n);
};

// The weights of a pass along a stack of rows, by groups of four pixels. Digits of 16 bits are words, in
// each group those of the first and third pixel, then of the second and fourth; digits of 8 bits, where
// the kernels take them, are bytes in the order of the pixels. All digits have signs, the lowest is first.
struct FixedStack {
  i64 channels, n_in;
  int groups, digits;   // at most, of one output; of each weight
  const i64* first;     // per output: the first group
  const int* counts;    // and how many
  const char* weights;  // [n_out][groups][digits][4]
  FixedStore store;
  const std::int32_t* bias;  // per output, what is added to its sums; null: nothing
};
constexpr int most_stack_groups = 32;

struct StackKernel {
  int rows;    // that `sum` takes at a time
  bool bytes;  // digits have 8 bits
  // Outputs from..to - 1 of up to `rows` rows of bytes.
  void (*sum)(const FixedStack&, const std::uint8_t* const* rows, int count, i64 from, i64 to,
              char* const* dst);
};

// How many of the four sums of a quad belong to one output of sum_pixels.
inline int quad_sums(i64 channels) { return channels > 4 ? 1 : channels == 3 ? 4 : int(channels); }

// How many bytes sum_pixels may read from the first tap of an output on.
inline i64 fixed_reach(i64 channels, int taps) {
  if (channels > 4) return taps * channels;
  const i64 each = channels == 1 ? 16 : channels == 2 ? 8 : 4;  // taps of one load of 16 bytes
  return (taps + each - 1) / each * each * channels + 16 - each * channels;
}

struct Kernels {
  const char* name;
  int float_lanes;  // of the widest vectors
  RowKernels rows[type_count];
  PickRow pick_row;
  void (*stream_copy)(const char* src, char* dst, i64 size);  // past the caches; the caller fences
  PickShuffle pick_shuffle;  // null where the instruction set has no byte shuffle
  FixedKernels fixed;
};

const Kernels& kernels_baseline();
const Kernels& kernels_apart();  // no fused multiply-add
const Kernels& kernels_avx2();
const Kernels& kernels_avx512();
const StackKernel* stack_avx2();
const StackKernel* stack_avx512();
const StackKernel* stack_vnni();  // AVX-512 with products of bytes

}  // namespace ndresize
