// Sums along rows of pixels in fixed point, a few rows at a time.
#pragma once
#include <cstring>

#include "fixed_words.hpp"

namespace ndresize::NDRESIZE_ISA {

inline void sum_pixels_plain(const FixedTable& table, const std::uint8_t* row, i64 from, i64 to,
                             char* dst) {
  const i64 channels = table.channels;
  for (i64 o = from; o < to; ++o) {
    const std::uint8_t* first = row + table.starts[o] * channels;
    const FixedWeights w = table.weights_of(o);
    for (i64 c = 0; c < channels; ++c) {
      std::uint32_t sum = table.bias ? static_cast<std::uint32_t>(table.bias[o * table.bias_step]) : 0;
      for (int t = 0; t < table.counts[o]; ++t)
        sum += static_cast<std::uint32_t>((weight_of(w, t) * first[t * channels + c]) >> table.cut);
      store_one(static_cast<std::int32_t>(sum), table.store, dst, o * channels + c);
    }
  }
}

#if defined(__AVX2__)

constexpr int fixed_group = B / 16;  // rows that sum_pixels takes at a time

// How the 16 bytes that are loaded of each row become pairs of words, one control for each half.
// A channel's taps are multiplied in pairs; four sums of pairs lie in 128 bits.
template <int C>
struct Pixels {
  static constexpr int taps = C == 1 ? 16 : C == 2 ? 8 : 4;  // of one load
  static constexpr int bytes = taps * C;                     // by which loads advance
  static constexpr int outputs = C == 1 ? 4 : C == 2 ? 2 : 1;  // in one vector of four sums
  static __m128i control(int half) {
    alignas(16) signed char c[16];
    for (int k = 0; k < 8; ++k) {  // word k of the result
      int tap, channel;
      if (C == 1) tap = k, channel = 0;
      else if (C == 2) tap = k / 4 * 2 + k % 2, channel = k / 2 % 2;
      else tap = k % 2, channel = k / 2;
      tap += half * taps / 2;
      c[2 * k] = static_cast<signed char>(channel < C ? tap * C + channel : -1);
      c[2 * k + 1] = -1;
    }
    return _mm_load_si128(reinterpret_cast<const __m128i*>(c));
  }
  // The weights of half a load, in the order of its words.
  static Word weights(const std::int16_t* w) {
    if constexpr (C == 1) {
      return spread(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w)));
    } else if constexpr (C == 2) {
      const __m128i x = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(w));
      return spread(_mm_shuffle_epi32(x, 0x50));
    } else {
      std::int32_t both;
      std::memcpy(&both, w, 4);
      return splat(both);
    }
  }
};

// Calls for every pixel take as long as its sums: GCC is told to inline what it would not.

// The sums of one output pixel in each of the rows, as they fall: see Pixels. Half: after the loads
// whose taps are all needed comes one of which the first half is.
template <int C, int Digits, bool Half>
__attribute__((always_inline)) inline Word sum_pixel(const FixedTable& table,
                                                     const std::uint8_t* const* rows, i64 o, int loads,
                                                     Word first, Word second) {
  using P = Pixels<C>;
  const i64 at = table.starts[o] * C;
  const std::int16_t* wl = table.low + o * table.padded;
  const std::int16_t* wh = Digits == 2 ? table.high + o * table.padded : nullptr;
  Word low = zero(), high = zero();
  const auto half = [&](Word x, i64 tap) {
    low = add(low, pairs(x, P::weights(wl + tap)));
    if constexpr (Digits == 2) high = add(high, pairs(x, P::weights(wh + tap)));
  };
  for (int k = 0; k < loads; ++k) {
    const Word x = load_rows(rows, at + k * P::bytes);
    half(shuffle(x, first), k * P::taps);
    half(shuffle(x, second), k * P::taps + P::taps / 2);
  }
  if constexpr (Half) half(shuffle(load_rows(rows, at + loads * P::bytes), first), loads * P::taps);
  return Digits == 2 ? add(low, left<16>(high)) : low;
}

// Four sums in each of the rows: one pixel, or several where it has fewer channels.
template <int C, int Digits, bool Half>
__attribute__((always_inline)) inline Word sum_quad(const FixedTable& table,
                                                    const std::uint8_t* const* rows, i64 o, i64 last,
                                                    int loads, Word first, Word second) {
  const auto pixel = [&](i64 k) __attribute__((always_inline)) {
    return sum_pixel<C, Digits, Half>(table, rows, o + k < last ? o + k : last, loads, first, second);
  };
  if constexpr (C == 1) {
    return odd_even(odd_even(pixel(0), pixel(1)), odd_even(pixel(2), pixel(3)));
  } else if constexpr (C == 2) {  // a01 b01 a23 b23 of two pixels
    const Word x = pixel(0), y = pixel(1);
    const Word order = spread(_mm_setr_epi8(0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15));
    return odd_even(shuffle(x, order), shuffle(y, order));
  } else {
    return pixel(0);
  }
}

// Write 16 bytes of each row, or as many as are left of it.
template <int R>
__attribute__((always_inline)) inline void put_rows(Word x, char* const* dst, int count, i64 at, i64 left) {
  if constexpr (R < fixed_group) {
    if (R >= count) return;
    const __m128i part = row_part<R>(x);
    if (left >= 16) _mm_storeu_si128(reinterpret_cast<__m128i*>(dst[R] + at), part);
    else std::memcpy(dst[R] + at, &part, static_cast<size_t>(left));
    put_rows<R + 1>(x, dst, count, at, left);
  }
}

template <int C, int Digits, bool Half>
inline void sum_pixels_of(const FixedTable& table, const std::uint8_t* const* rows, int count,
                          i64 from, i64 to, char* const* dst) {
  using P = Pixels<C>;
  const Word first = spread(P::control(0)), second = spread(P::control(1));
  const int loads = (table.taps + P::taps / 2 - 1) / P::taps;
  const Rounder rounder(table.store);
  const auto quad = [&](i64 o) __attribute__((always_inline)) {
    const Word sum = sum_quad<C, Digits, Half>(table, rows, o, to - 1, loads, first, second);
    if (!table.bias) return sum;
    const void* bias = table.bias + o * (4 / P::outputs);
    return add(sum, spread(_mm_loadu_si128(static_cast<const __m128i*>(bias))));
  };
  // Three channels leave a gap after each pixel, which is closed before they are written.
  const Word close_bytes =
      spread(_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
  const Word close_words =
      spread(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, -1, -1, -1, -1));
  switch (table.store.format) {
    case Format::byte:
      for (i64 o = from; o < to; o += 4 * P::outputs) {
        Word x = to_bytes(to_words(rounder(quad(o)), rounder(quad(o + P::outputs))),
                          to_words(rounder(quad(o + 2 * P::outputs)), rounder(quad(o + 3 * P::outputs))));
        if constexpr (C == 3) x = shuffle(x, close_bytes);
        put_rows<0>(x, dst, count, o * C, (to - o) * C);
      }
      break;
    case Format::word: {
      const __m128i shift = _mm_cvtsi32_si128(table.store.shift);
      for (i64 o = from; o < to; o += 2 * P::outputs) {
        Word x = to_words(right(quad(o), shift), right(quad(o + P::outputs), shift));
        if constexpr (C == 3) x = shuffle(x, close_words);
        put_rows<0>(x, dst, count, 2 * o * C, 2 * (to - o) * C);
      }
      break;
    }
    case Format::wide:
      for (i64 o = from; o < to; o += P::outputs)
        put_rows<0>(quad(o), dst, count, 4 * o * C, 4 * (to - o) * C);
  }
}

template <int C>
inline void sum_pixels_with(const FixedTable& table, const std::uint8_t* const* rows, int count,
                            i64 from, i64 to, char* const* dst) {
  constexpr int each = Pixels<C>::taps;
  const bool half = (table.taps + each - 1) % each < each / 2;
  if (table.high) {
    if (half) sum_pixels_of<C, 2, true>(table, rows, count, from, to, dst);
    else sum_pixels_of<C, 2, false>(table, rows, count, from, to, dst);
  } else {
    if (half) sum_pixels_of<C, 1, true>(table, rows, count, from, to, dst);
    else sum_pixels_of<C, 1, false>(table, rows, count, from, to, dst);
  }
}

inline void sum_pixels_fixed(const FixedTable& table, const std::uint8_t* const* rows, int count,
                             i64 from, i64 to, char* const* dst) {
  if (from >= to) return;
  if (table.channels > 4 || table.cut != 0) {
    for (int r = 0; r < count; ++r) sum_pixels_plain(table, rows[r], from, to, dst[r]);
    return;
  }
  const std::uint8_t* all[fixed_group];
  for (int r = 0; r < fixed_group; ++r) all[r] = rows[r < count ? r : 0];
  switch (table.channels) {
    case 1: return sum_pixels_with<1>(table, all, count, from, to, dst);
    case 2: return sum_pixels_with<2>(table, all, count, from, to, dst);
    case 3: return sum_pixels_with<3>(table, all, count, from, to, dst);
    default: return sum_pixels_with<4>(table, all, count, from, to, dst);
  }
}

#else

constexpr int fixed_group = 1;

inline void sum_pixels_fixed(const FixedTable& table, const std::uint8_t* const* rows, int count,
                             i64 from, i64 to, char* const* dst) {
  for (int r = 0; r < count; ++r) sum_pixels_plain(table, rows[r], from, to, dst[r]);
}

#endif

}  // namespace ndresize::NDRESIZE_ISA
