// Sums along rows of pixels in fixed point, many rows at a time: a stack of rows, one per 32-bit lane.
//
// Four neighbouring samples of a channel are 32 bits. Transposing 16 bytes of each row brings those of
// all rows into one vector. A sum is then products of such vectors with weights that all rows share, and
// nothing is added across lanes. Where four bytes cannot be multiplied and added at once, the vector
// becomes two of words: the first and third sample, the second and fourth.
#pragma once
#include <cstring>

#include "fixed_words.hpp"

namespace ndresize::NDRESIZE_ISA {

#if defined(__AVX2__)

constexpr int stack_rows = B / 4;
#ifdef __AVX512VNNI__
constexpr bool stack_bytes = true;
constexpr int stack_parts = 1;  // vectors of a group of four samples
inline void split_stack(Word x, Word* cells) { store(cells, x); }
inline Word stack_products(Word sum, const Word* x, const char* weights) {
  std::int32_t four_weights;
  std::memcpy(&four_weights, weights, 4);
  return _mm512_dpbusd_epi32(sum, *x, splat(four_weights));
}
#else
constexpr bool stack_bytes = false;
constexpr int stack_parts = 2;
inline void split_stack(Word x, Word* cells) {
  store(cells, bit_and(x, splat(0x00ff00ff)));
  store(cells + 1, high_bytes(x));
}
inline Word stack_products(Word sum, const Word* x, const char* weights) {
  std::int32_t even, odd;
  std::memcpy(&even, weights, 4);
  std::memcpy(&odd, weights + 4, 4);
  return add(add(sum, pairs(x[0], splat(even))), pairs(x[1], splat(odd)));
}
#endif

// Transpose 4 x 4 groups of 32 bits within each 128 bits.
inline void transpose_quads(Word* x) {
  const Word a = quads_low(x[0], x[1]), b = quads_high(x[0], x[1]);
  const Word c = quads_low(x[2], x[3]), d = quads_high(x[2], x[3]);
  x[0] = pairs_low(a, c), x[1] = pairs_high(a, c);
  x[2] = pairs_low(b, d), x[3] = pairs_high(b, d);
}

// The samples of a stack that the next sums read: groups of four pixels, from `first` on.
template <int C>
class StackWindow {
 public:
  static constexpr int step = C == 1 ? 4 : C == 2 ? 2 : 1;  // groups in one load of a row
  static constexpr int each = C * stack_parts;  // vectors of a group
  static constexpr i64 room = most_stack_groups * 2;

  StackWindow(const FixedStack& table, const std::uint8_t* const* rows)
      : rows_(rows), bytes_(table.n_in * C), order_(spread(control())) {}

  // The groups from..to - 1. They are asked for in ascending order.
  const Word* groups(i64 from, i64 to) {
    if (to > end_) {
      if (from >= end_) {
        first_ = end_ = from / step * step;
      } else if (to + step > first_ + room) {
        const i64 kept = from / step * step;
        std::memmove(cells_, cells_ + (kept - first_) * each, (end_ - kept) * each * sizeof(Word));
        first_ = kept;
      }
      for (; end_ < to; end_ += step) make(cells_ + (end_ - first_) * each, end_ * 4 * C);
    }
    return cells_ + (from - first_) * each;
  }

 private:
  static constexpr int parts = B / 16;

  // Which bytes of 16 become four samples of one channel after the other.
  static __m128i control() {
    alignas(16) signed char c[16];
    for (int k = 0; k < 16; ++k) {
      const int group = k / 4 / C, channel = k / 4 % C;
      c[k] = static_cast<signed char>(C == 3 && k >= 12 ? -1 : (group * 4 + k % 4) * C + channel);
    }
    return _mm_load_si128(reinterpret_cast<const __m128i*>(c));
  }

  void make(Word* cells, i64 at) const {
    Word x[4];
    if (at + 16 <= bytes_) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) x[k] = load_rows(rows_ + k * parts, at);
    } else {  // the row ends before
      alignas(64) std::uint8_t ends[stack_rows][16] = {};
      for (int r = 0; r < stack_rows && at < bytes_; ++r)
        std::memcpy(ends[r], rows_[r] + at, static_cast<size_t>(bytes_ - at));
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) x[k] = load(ends[k * parts]);
    }
    if constexpr (C > 1) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) x[k] = shuffle(x[k], order_);
    }
    transpose_quads(x);
#pragma GCC unroll 4
    for (int k = 0; k < step * C; ++k) split_stack(x[k], cells + stack_parts * k);
  }

  const std::uint8_t* const* rows_;
  const i64 bytes_;
  const Word order_;
  i64 first_ = 0, end_ = 0;
  Word cells_[(room + 4) * each];
};

// The sums of one output pixel of all rows.
template <int C, int Digits>
inline void sum_stack_pixel(const FixedStack& table, StackWindow<C>& window, i64 o, Word* sums) {
  const i64 first = table.first[o], count = table.counts[o];
  const Word* x = window.groups(first, first + count);
  constexpr int size = 4 * stack_parts;  // bytes of the weights of a group's digit
  const char* w = table.weights + o * table.groups * table.digits * size;
  Word sum[Digits][C];
#pragma GCC unroll 3
  for (int d = 0; d < Digits; ++d)
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) sum[d][c] = d == 0 && table.bias ? splat(table.bias[o]) : zero();
  for (i64 g = 0; g < count; ++g, x += StackWindow<C>::each)
#pragma GCC unroll 3
    for (int d = 0; d < Digits; ++d, w += size)
#pragma GCC unroll 4
      for (int c = 0; c < C; ++c) sum[d][c] = stack_products(sum[d][c], x + stack_parts * c, w);
#pragma GCC unroll 4
  for (int c = 0; c < C; ++c) {
    Word whole = sum[Digits - 1][c];
#pragma GCC unroll 2
    for (int d = Digits - 2; d >= 0; --d) whole = add(sum[d][c], left<stack_bytes ? 8 : 16>(whole));
    sums[c] = whole;
  }
}

// 16 bytes of each row from the sums of as many elements as they hold.
template <Format F>
inline void pack_stack(const Word* sums, const Rounder& rounder, __m128i shift, Word* rows) {
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    if constexpr (F == Format::byte) {
      const Word x = to_bytes(to_words(rounder(sums[4 * k]), rounder(sums[4 * k + 1])),
                              to_words(rounder(sums[4 * k + 2]), rounder(sums[4 * k + 3])));
      rows[k] = shuffle(x, spread(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)));
    } else if constexpr (F == Format::word) {
      const Word x = to_words(right(sums[2 * k], shift), right(sums[2 * k + 1], shift));
      rows[k] = shuffle(x, spread(_mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15)));
    } else {
      rows[k] = sums[k];
    }
  }
  transpose_quads(rows);
}

template <int R>
inline void put_stack(const Word* rows, char* const* dst, int count, i64 at, i64 size) {
  if constexpr (R < stack_rows) {
    if (R >= count) return;
    const __m128i part = row_part<R % (B / 16)>(rows[R / (B / 16)]);
    if (size == 16) _mm_storeu_si128(reinterpret_cast<__m128i*>(dst[R] + at), part);
    else std::memcpy(dst[R] + at, &part, static_cast<size_t>(size));
    put_stack<R + 1>(rows, dst, count, at, size);
  }
}

template <int C, int Digits, Format F>
inline void sum_stack_of(const FixedStack& table, const std::uint8_t* const* rows, int count, i64 from,
                         i64 to, char* const* dst) {
  constexpr int size = F == Format::byte ? 1 : F == Format::word ? 2 : 4;
  constexpr int full = 16 / size;  // elements that are written together
  const Rounder rounder(table.store);
  const __m128i shift = _mm_cvtsi32_si128(table.store.shift);
  StackWindow<C> window(table, rows);
  Word sums[full + C];
  int made = 0;
  i64 at = from * C * size;
  const auto put = [&](int elements) {
    Word packed[4];
    pack_stack<F>(sums, rounder, shift, packed);
    put_stack<0>(packed, dst, count, at, elements * size);
    at += elements * size;
  };
  for (i64 o = from; o < to; ++o) {
    sum_stack_pixel<C, Digits>(table, window, o, sums + made);
    made += C;
    if (made < full) continue;
    put(full);
    made -= full;
    for (int k = 0; k < made; ++k) sums[k] = sums[full + k];
  }
  if (made > 0) put(made);
}

template <int C, int Digits>
inline void sum_stack_with(const FixedStack& table, const std::uint8_t* const* rows, int count, i64 from,
                           i64 to, char* const* dst) {
  switch (table.store.format) {
    case Format::byte: return sum_stack_of<C, Digits, Format::byte>(table, rows, count, from, to, dst);
    case Format::word: return sum_stack_of<C, Digits, Format::word>(table, rows, count, from, to, dst);
    case Format::wide: return sum_stack_of<C, Digits, Format::wide>(table, rows, count, from, to, dst);
  }
}

template <int Digits>
inline void sum_stack_digits(const FixedStack& table, const std::uint8_t* const* rows, int count,
                             i64 from, i64 to, char* const* dst) {
  switch (table.channels) {
    case 1: return sum_stack_with<1, Digits>(table, rows, count, from, to, dst);
    case 2: return sum_stack_with<2, Digits>(table, rows, count, from, to, dst);
    case 3: return sum_stack_with<3, Digits>(table, rows, count, from, to, dst);
    default: return sum_stack_with<4, Digits>(table, rows, count, from, to, dst);
  }
}

inline void sum_stack_fixed(const FixedStack& table, const std::uint8_t* const* rows, int count, i64 from,
                            i64 to, char* const* dst) {
  const std::uint8_t* all[stack_rows];
  for (int r = 0; r < stack_rows; ++r) all[r] = rows[r < count ? r : 0];
  constexpr int few = stack_bytes ? 2 : 1;
  if (table.digits > few) sum_stack_digits<few + 1>(table, all, count, from, to, dst);
  else sum_stack_digits<few>(table, all, count, from, to, dst);
}

#else

constexpr int stack_rows = 0;
constexpr bool stack_bytes = false;

inline void sum_stack_fixed(const FixedStack&, const std::uint8_t* const*, int, i64, i64, char* const*) {}

#endif

}  // namespace ndresize::NDRESIZE_ISA
