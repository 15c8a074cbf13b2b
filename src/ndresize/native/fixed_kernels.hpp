// What the kernels of 8-bit samples in fixed point offer: one table per instruction set.
#pragma once
#include <cstdint>

namespace ndresize {

using i64 = std::int64_t;

// How a row of sums is kept: as bytes, rounded and clamped; as 16-bit
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
  bool small = false;  // sums fit words, with a sign; weights of bytes are bytes with a sign, and in each
                       // sum their magnitudes add up to 128 at most. Neither `split` nor `scale` then.
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

// The same for at most four taps, element by element: vectors of four elements in each 128 bits or, of
// small sums, eight. The samples of 128 bits lie in one or two windows of 16 bytes of the row or, where
// bytes of all of a vector can be permuted, those of the vector in one or two of 64. `vectors` make a
// group, in the order in which packing the sums to the format of the store brings them into memory's order.
struct FixedLanes {
  int vectors, pairs, windows;  // per group; pairs of taps; side by side
  i64 elements;            // of a row
  i64 group_elements;      // vectors * elements of a vector
  const int* offset;       // [group][vector][128 bits or 1]
  // Of windows of 16 bytes [group][vector][window][pair][bytes of a vector], places in the window, of 64
  // without [window], places in all of them; -1: none.
  const signed char* control;
  const char* weights;  // [group][vector][pair][bytes of a vector]: words or, of small sums, bytes
  FixedStore store;
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

// How many of the four sums of a quad belong to one output of sum_pixels.
inline int quad_sums(i64 channels) { return channels > 4 ? 1 : channels == 3 ? 4 : int(channels); }

// How many bytes sum_pixels may read from the first tap of an output on.
inline i64 fixed_reach(i64 channels, int taps) {
  if (channels > 4) return taps * channels;
  const i64 each = channels == 1 ? 16 : channels == 2 ? 8 : 4;  // taps of one load of 16 bytes
  return (taps + each - 1) / each * each * channels + 16 - each * channels;
}

constexpr int most_wide_taps = 64;  // of a sum of 32-bit rows by vectors

struct FixedKernels {
  const char* name;
  int group;         // rows that sum_pixels takes at a time
  int vector_bytes, window_bytes;  // of sum_lanes; 0: there is none
  int stack_rows;    // that sum_stack takes at a time; 0: there is none
  bool stack_bytes;  // its digits have 8 bits
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
  // Outputs from..to - 1 of up to `stack_rows` rows of bytes.
  void (*sum_stack)(const FixedStack&, const std::uint8_t* const* rows, int count, i64 from, i64 to,
                    char* const* dst);
  // `n` bytes of means of two by two pixels, from two rows of twice as many; ties go up or to even.
  void (*halve_rows)(const std::uint8_t* const* rows, i64 channels, char* dst, i64 n, bool half_even);
  // Colours times alpha, the last of two or four channels, over 255, to the nearest integer; and, in place,
  // times 255 over alpha, cut, at most 255, where there is alpha.
  void (*multiply_alpha)(const std::uint8_t* src, std::uint8_t* dst, i64 pixels, int channels);
  void (*divide_alpha)(std::uint8_t* row, i64 pixels, int channels);
};

const FixedKernels& fixed_kernels_baseline();
const FixedKernels& fixed_kernels_avx2();
const FixedKernels& fixed_kernels_avx512();
const FixedKernels& fixed_kernels_vnni();  // AVX-512 with products of bytes
const FixedKernels& fixed_kernels_vbmi();  // and with permutations of them across vectors

}  // namespace ndresize
