// 8-bit samples and fixed-point weights: sums of rows, and sums along rows of pixels.
//
// Weights are integers that count units of 2**-bits. Their products with 8-bit samples are summed in
// 32 bits, so every order of summation gives the same; the vector code multiplies 16-bit words in
// pairs. A weight of more than 16 bits is two digits, high * 2**16 + low, both signed.
#pragma once
#include <cstring>

#include "kernels.hpp"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace ndresize::NDRESIZE_ISA {

inline std::int32_t round_fixed(std::int32_t sum, const FixedStore& store) {
  if (store.half_even) sum += (sum >> store.shift) & 1;
  if (sum < store.split) sum += store.below;
  return (sum + store.half) >> store.shift;
}

inline std::int32_t scale_fixed(std::int32_t sum, float scale) {
  const float product = static_cast<float>(sum) * scale;
#ifdef __SSE2__
  return _mm_cvtss_si32(_mm_set_ss(product));
#else
  return static_cast<std::int32_t>(__builtin_nearbyintf(product));
#endif
}

inline std::uint8_t to_byte(std::int32_t sum, const FixedStore& store) {
  const std::int32_t x = store.scale != 0 ? scale_fixed(sum, store.scale) : round_fixed(sum, store);
  return static_cast<std::uint8_t>(x < 0 ? 0 : x > 255 ? 255 : x);
}

inline void store_one(std::int32_t sum, const FixedStore& store, char* dst, i64 j) {
  switch (store.format) {
    case Format::byte: reinterpret_cast<std::uint8_t*>(dst)[j] = to_byte(sum, store); break;
    case Format::word: reinterpret_cast<std::int16_t*>(dst)[j] = std::int16_t(sum >> store.shift); break;
    case Format::wide: reinterpret_cast<std::int32_t*>(dst)[j] = sum;
  }
}

inline std::int32_t weight_of(const FixedWeights& w, i64 t) {
  return std::int32_t(w.low[t]) + (w.high ? std::int32_t(w.high[t]) * 65536 : 0);
}

// The plain forms: what every instruction set must equal, and what runs where it has no better.

inline void sum_rows_plain(const char* const* rows, Format format, const FixedWeights& w, int taps,
                           int cut, char* dst, const FixedStore& store, i64 from, i64 n) {
  for (i64 j = from; j < n; ++j) {
    std::uint32_t sum = 0;  // a part of a sum may pass the limit that the whole keeps
    for (int t = 0; t < taps; ++t) {
      const std::int32_t x = format == Format::byte ? reinterpret_cast<const std::uint8_t*>(rows[t])[j]
                             : format == Format::word ? reinterpret_cast<const std::int16_t*>(rows[t])[j]
                                                      : reinterpret_cast<const std::int32_t*>(rows[t])[j];
      sum += static_cast<std::uint32_t>((weight_of(w, t) * x) >> cut);
    }
    store_one(static_cast<std::int32_t>(sum), store, dst, j);
  }
}

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

inline void halve_rows_plain(const std::uint8_t* const* rows, i64 channels, char* dst, i64 from, i64 n) {
  for (i64 j = from; j < n; ++j) {
    const i64 at = j / channels * 2 * channels + j % channels;
    const int sum = rows[0][at] + rows[0][at + channels] + rows[1][at] + rows[1][at + channels];
    dst[j] = static_cast<char>((sum + 2) >> 2);
  }
}

#if defined(__AVX2__)

#if defined(__AVX512BW__)
using Word = __m512i;
inline Word zero() { return _mm512_setzero_si512(); }
inline Word load(const void* p) { return _mm512_loadu_si512(p); }
inline void store(void* p, Word x) { _mm512_storeu_si512(p, x); }
inline void store_past(void* p, Word x) { _mm512_stream_si512(static_cast<__m512i*>(p), x); }
inline Word bytes_low(Word a, Word b) { return _mm512_unpacklo_epi8(a, b); }
inline Word bytes_high(Word a, Word b) { return _mm512_unpackhi_epi8(a, b); }
inline Word words_low(Word a, Word b) { return _mm512_unpacklo_epi16(a, b); }
inline Word words_high(Word a, Word b) { return _mm512_unpackhi_epi16(a, b); }
inline Word pairs(Word a, Word w) { return _mm512_madd_epi16(a, w); }
inline Word byte_pairs(Word a) { return _mm512_maddubs_epi16(a, _mm512_set1_epi8(1)); }
inline Word product(Word a, Word b) { return _mm512_mullo_epi32(a, b); }
inline Word high_product(Word a, Word b) { return _mm512_mulhi_epi16(a, b); }
inline Word add(Word a, Word b) { return _mm512_add_epi32(a, b); }
inline Word less(Word a, Word b) {  // -1 where it is
  return _mm512_maskz_set1_epi32(_mm512_cmplt_epi32_mask(a, b), -1);
}
inline Word add_words(Word a, Word b) { return _mm512_add_epi16(a, b); }
inline Word splat(std::int32_t x) { return _mm512_set1_epi32(x); }
inline Word splat_word(std::int16_t x) { return _mm512_set1_epi16(x); }
inline Word bit_and(Word a, Word b) { return _mm512_and_si512(a, b); }
inline Word left16(Word a) { return _mm512_slli_epi32(a, 16); }
inline Word right(Word a, __m128i n) { return _mm512_sra_epi32(a, n); }
inline Word right_words(Word a, __m128i n) { return _mm512_sra_epi16(a, n); }
inline Word scaled(Word a, float x) {  // to float32, multiplied, and rounded, ties to even
  return _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(a), _mm512_set1_ps(x)));
}
inline Word to_words(Word a, Word b) { return _mm512_packs_epi32(a, b); }
inline Word to_bytes(Word a, Word b) { return _mm512_packus_epi16(a, b); }
inline Word shuffle(Word a, Word control) { return _mm512_shuffle_epi8(a, control); }
inline Word spread(__m128i x) { return _mm512_broadcast_i32x4(x); }
inline Word odd_even(Word a, Word b) {  // per 128 bits, sums of neighbours: a01 a23 b01 b23
  const __m512 x = _mm512_castsi512_ps(a), y = _mm512_castsi512_ps(b);
  return add(_mm512_castps_si512(_mm512_shuffle_ps(x, y, 0x88)),
             _mm512_castps_si512(_mm512_shuffle_ps(x, y, 0xdd)));
}
// Masked broadcasts from memory: insertions would all wait for the one port that shuffles.
inline Word four(__m128i a, __m128i b, __m128i c, __m128i d) {
  Word x = _mm512_castsi128_si512(a);
  x = _mm512_mask_broadcast_i32x4(x, 0x00f0, b);
  x = _mm512_mask_broadcast_i32x4(x, 0x0f00, c);
  return _mm512_mask_broadcast_i32x4(x, 0xf000, d);
}
// 16 bytes of each of four rows; from four places of one.
inline Word load_rows(const std::uint8_t* const* rows, i64 at) {
  const auto part = [&](int r) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[r] + at)); };
  return four(part(0), part(1), part(2), part(3));
}
inline Word load_windows(const std::uint8_t* row, const int* offset) {
  const auto part = [&](int r) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + offset[r])); };
  return four(part(0), part(1), part(2), part(3));
}
template <int R> inline __m128i row_part(Word x) { return _mm512_extracti32x4_epi32(x, R); }
// What packing within each 128 bits leaves in order of lanes becomes the order of memory.
inline Word unlace_bytes(Word x) {
  return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), x);
}
// Twelve bytes of each 128 bits, side by side.
inline Word close_twelves(Word x) {
  return _mm512_permutexvar_epi32(
      _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15), x);
}
inline Word unlace_quads(Word x) {
  return _mm512_permutexvar_epi32(
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), x);
}
#else
using Word = __m256i;
inline Word zero() { return _mm256_setzero_si256(); }
inline Word load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
inline void store(void* p, Word x) { _mm256_storeu_si256(static_cast<__m256i*>(p), x); }
inline void store_past(void* p, Word x) { _mm256_stream_si256(static_cast<__m256i*>(p), x); }
inline Word bytes_low(Word a, Word b) { return _mm256_unpacklo_epi8(a, b); }
inline Word bytes_high(Word a, Word b) { return _mm256_unpackhi_epi8(a, b); }
inline Word words_low(Word a, Word b) { return _mm256_unpacklo_epi16(a, b); }
inline Word words_high(Word a, Word b) { return _mm256_unpackhi_epi16(a, b); }
inline Word pairs(Word a, Word w) { return _mm256_madd_epi16(a, w); }
inline Word byte_pairs(Word a) { return _mm256_maddubs_epi16(a, _mm256_set1_epi8(1)); }
inline Word product(Word a, Word b) { return _mm256_mullo_epi32(a, b); }
inline Word high_product(Word a, Word b) { return _mm256_mulhi_epi16(a, b); }
inline Word add(Word a, Word b) { return _mm256_add_epi32(a, b); }
inline Word less(Word a, Word b) { return _mm256_cmpgt_epi32(b, a); }  // -1 where it is
inline Word add_words(Word a, Word b) { return _mm256_add_epi16(a, b); }
inline Word splat(std::int32_t x) { return _mm256_set1_epi32(x); }
inline Word splat_word(std::int16_t x) { return _mm256_set1_epi16(x); }
inline Word bit_and(Word a, Word b) { return _mm256_and_si256(a, b); }
inline Word left16(Word a) { return _mm256_slli_epi32(a, 16); }
inline Word right(Word a, __m128i n) { return _mm256_sra_epi32(a, n); }
inline Word right_words(Word a, __m128i n) { return _mm256_sra_epi16(a, n); }
inline Word scaled(Word a, float x) {
  return _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(a), _mm256_set1_ps(x)));
}
inline Word to_words(Word a, Word b) { return _mm256_packs_epi32(a, b); }
inline Word to_bytes(Word a, Word b) { return _mm256_packus_epi16(a, b); }
inline Word shuffle(Word a, Word control) { return _mm256_shuffle_epi8(a, control); }
inline Word spread(__m128i x) { return _mm256_broadcastsi128_si256(x); }
inline Word odd_even(Word a, Word b) { return _mm256_hadd_epi32(a, b); }
inline Word load_rows(const std::uint8_t* const* rows, i64 at) {
  const auto part = [&](int r) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[r] + at)); };
  return _mm256_inserti128_si256(_mm256_castsi128_si256(part(0)), part(1), 1);
}
inline Word load_windows(const std::uint8_t* row, const int* offset) {
  const auto part = [&](int r) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + offset[r])); };
  return _mm256_inserti128_si256(_mm256_castsi128_si256(part(0)), part(1), 1);
}
template <int R> inline __m128i row_part(Word x) { return _mm256_extracti128_si256(x, R); }
inline Word unlace_bytes(Word x) { return _mm256_permute4x64_epi64(x, 0xd8); }
inline Word close_twelves(Word x) {
  return _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
}
inline Word unlace_quads(Word x) {
  return _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}
#endif

constexpr int B = sizeof(Word);       // bytes of a vector
constexpr int fixed_group = B / 16;   // rows that sum_pixels takes at a time

// A rounding shift of sums, with its constants in registers.
struct Rounder {
  explicit Rounder(const FixedStore& s)
      : half(splat(s.half)), one(splat(1)), split(splat(s.split)), below(splat(s.below)),
        shift(_mm_cvtsi32_si128(s.shift)), even(s.half_even), signed_bytes(s.split != INT32_MIN),
        scale(s.scale) {}
  Word operator()(Word sum) const {
    if (scale != 0) return scaled(sum, scale);
    if (even) sum = add(sum, bit_and(right(sum, shift), one));
    if (signed_bytes) sum = add(sum, bit_and(less(sum, split), below));
    return right(add(sum, half), shift);
  }
  Word half, one, split, below;
  __m128i shift;
  bool even, signed_bytes;
  float scale;
};

// One block of sum_rows on bytes: two rows at a time, their bytes laced into pairs of words.
template <int Digits>
inline Word sum_block(const char* const* rows, const FixedWeights& w, int taps, const Rounder& rounder,
                      i64 j) {
  Word low[4] = {zero(), zero(), zero(), zero()}, high[4] = {zero(), zero(), zero(), zero()};
  for (int t = 0; t < taps; t += 2) {
    const Word a = load(rows[t] + j), b = load(rows[t + 1 < taps ? t + 1 : t] + j);
    const Word ab = bytes_low(a, b), cd = bytes_high(a, b);
    const Word x[4] = {bytes_low(ab, zero()), bytes_high(ab, zero()), bytes_low(cd, zero()),
                       bytes_high(cd, zero())};
    std::int32_t both;  // weights are padded with zeros to an even number
    std::memcpy(&both, w.low + t, 4);
    const Word wl = splat(both);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) low[k] = add(low[k], pairs(x[k], wl));
    if constexpr (Digits == 2) {
      std::memcpy(&both, w.high + t, 4);
      const Word wh = splat(both);
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) high[k] = add(high[k], pairs(x[k], wh));
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    if constexpr (Digits == 2) low[k] = add(low[k], left16(high[k]));
    low[k] = rounder(low[k]);
  }
  return to_bytes(to_words(low[0], low[1]), to_words(low[2], low[3]));
}

inline Word sum_words_block(const char* const* rows, const FixedWeights& w, int taps, Word half,
                            __m128i shift, i64 j) {
  Word a = zero(), b = zero();
  for (int t = 0; t < taps; ++t) {
    const Word weight = splat_word(w.low[t]);
    a = add_words(a, high_product(load(rows[t] + 2 * j), weight));
    b = add_words(b, high_product(load(rows[t] + 2 * j + B), weight));
  }
  a = right_words(add_words(a, half), shift);
  b = right_words(add_words(b, half), shift);
  return unlace_bytes(to_bytes(a, b));
}

// Words whose whole products are summed, two rows at a time.
inline Word sum_whole_words_block(const char* const* rows, const FixedWeights& w, int taps,
                                  const Rounder& rounder, i64 j) {
  Word sum[4] = {zero(), zero(), zero(), zero()};
  for (int t = 0; t < taps; t += 2) {
    std::int32_t both;
    std::memcpy(&both, w.low + t, 4);
    const Word weight = splat(both);
    const char *a = rows[t] + 2 * j, *b = rows[t + 1 < taps ? t + 1 : t] + 2 * j;
#pragma GCC unroll 2
    for (int k = 0; k < 2; ++k) {
      const Word x = load(a + k * B), y = load(b + k * B);
      sum[2 * k] = add(sum[2 * k], pairs(words_low(x, y), weight));
      sum[2 * k + 1] = add(sum[2 * k + 1], pairs(words_high(x, y), weight));
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) sum[k] = rounder(sum[k]);
  return unlace_bytes(to_bytes(to_words(sum[0], sum[1]), to_words(sum[2], sum[3])));
}

inline Word sum_wide_block(const char* const* rows, const std::int32_t* w, int taps,
                           const Rounder& rounder, i64 j) {
  Word sum[4] = {zero(), zero(), zero(), zero()};
  for (int t = 0; t < taps; ++t) {
    const Word weight = splat(w[t]);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k)
      sum[k] = add(sum[k], product(load(rows[t] + 4 * j + k * B), weight));
  }
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) sum[k] = rounder(sum[k]);
  return unlace_quads(to_bytes(to_words(sum[0], sum[1]), to_words(sum[2], sum[3])));
}

// A row in blocks of B bytes; the last one is laid over the one before it where the row does not end
// with a block. Short rows are summed plainly. `stream`: whole lines of 64 bytes go past the caches;
// what lies beside them is written exactly, for a line that is streamed must not be stored to as well.
template <class Block>
inline bool in_blocks(char* dst, i64 n, bool stream, Block block) {
  if (n < B) return false;
  i64 j = 0;
  const i64 before = (64 - reinterpret_cast<std::uintptr_t>(dst) % 64) % 64;
  if (stream && n >= before + 64) {
    const auto partly = [&](i64 from, i64 count) {
      for (i64 k = 0; k < count; k += B) {
        const i64 at = from + k + B <= n ? from + k : n - B, skip = from + k - at;
        const i64 left = count - k < B - skip ? count - k : B - skip;
        const Word x = block(at);
        std::memcpy(dst + from + k, reinterpret_cast<const char*>(&x) + skip, left);
      }
    };
    partly(0, before);
    for (j = before; j + 64 <= n; j += 64)
      for (i64 k = 0; k < 64; k += B) store_past(dst + j + k, block(j + k));
    partly(j, n - j);
    return true;
  }
  for (; j + B <= n; j += B) store(dst + j, block(j));
  if (j < n) store(dst + n - B, block(n - B));
  return true;
}

inline void sum_rows_fixed(const char* const* rows, Format format, const FixedWeights& w, int taps,
                           int cut, char* dst, const FixedStore& to, i64 n, bool stream) {
  const auto done = [&](auto block) { return in_blocks(dst, n, stream, block); };
  if (to.format == Format::byte && taps > 0) {
    const Rounder rounder(to);
    if (format == Format::byte && cut == 0) {
      if (w.high) {
        if (done([&](i64 j) { return sum_block<2>(rows, w, taps, rounder, j); })) return;
      } else if (done([&](i64 j) { return sum_block<1>(rows, w, taps, rounder, j); })) {
        return;
      }
    } else if (format == Format::word && cut == 16 && !w.high && !to.half_even &&
               to.split == INT32_MIN && to.scale == 0) {
      const Word half = splat_word(static_cast<std::int16_t>(to.half));
      const __m128i shift = _mm_cvtsi32_si128(to.shift);
      if (done([&](i64 j) { return sum_words_block(rows, w, taps, half, shift, j); })) return;
    } else if (format == Format::word && cut == 0 && !w.high) {
      if (done([&](i64 j) { return sum_whole_words_block(rows, w, taps, rounder, j); })) return;
    } else if (format == Format::wide && cut == 0 && taps <= most_wide_taps) {
      std::int32_t whole[most_wide_taps];
      for (int t = 0; t < taps; ++t) whole[t] = weight_of(w, t);
      if (done([&](i64 j) { return sum_wide_block(rows, whole, taps, rounder, j); })) return;
    }
  }
  sum_rows_plain(rows, format, w, taps, cut, dst, to, 0, n);
}

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

// The sums of one output pixel in each of the rows, as they fall: see Pixels. Half: after the loads
// whose taps are all needed comes one of which the first half is.
template <int C, int Digits, bool Half>
inline Word sum_pixel(const FixedTable& table, const std::uint8_t* const* rows, i64 o, int loads,
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
  return Digits == 2 ? add(low, left16(high)) : low;
}

// Four sums in each of the rows: one pixel, or several where it has fewer channels.
template <int C, int Digits, bool Half>
inline Word sum_quad(const FixedTable& table, const std::uint8_t* const* rows, i64 o, i64 last,
                     int loads, Word first, Word second) {
  const auto pixel = [&](i64 k) {
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
inline void put_rows(Word x, char* const* dst, int count, i64 at, i64 left) {
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
  const auto quad = [&](i64 o) {
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

constexpr int fixed_vector_bytes = B;

template <Format F, int Pairs>
inline void sum_lanes_of(const FixedLanes& t, const std::uint8_t* const* rows, int count, i64 from,
                         i64 to, char* const* dst) {
  constexpr int vectors = F == Format::byte ? 4 : F == Format::word ? 2 : 1;
  constexpr i64 bytes = F == Format::byte ? 1 : F == Format::word ? 2 : 4;
  const Rounder rounder(t.store);
  const __m128i shift = _mm_cvtsi32_si128(t.store.shift);
  for (i64 g = from; g < to; ++g) {
    const int* offset = t.offset + g * vectors * (B / 16);
    Word control[vectors][Pairs], weight[vectors][Pairs];
    const signed char* c = t.control + g * vectors * Pairs * B;
    const std::int16_t* w = t.weights + g * vectors * Pairs * (B / 2);
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v)
#pragma GCC unroll 2
      for (int p = 0; p < Pairs; ++p) {
        control[v][p] = load(c + (v * Pairs + p) * B);
        weight[v][p] = load(w + (v * Pairs + p) * (B / 2));
      }
    const i64 left = t.elements - g * t.group_elements;
    for (int r = 0; r < count; ++r) {
      Word sum[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        const Word x = load_windows(rows[r], offset + v * (B / 16));
        sum[v] = pairs(shuffle(x, control[v][0]), weight[v][0]);
        if constexpr (Pairs == 2) sum[v] = add(sum[v], pairs(shuffle(x, control[v][1]), weight[v][1]));
      }
      Word y;
      if constexpr (F == Format::byte)
        y = to_bytes(to_words(rounder(sum[0]), rounder(sum[1])),
                     to_words(rounder(sum[2]), rounder(sum[3])));
      else if constexpr (F == Format::word)
        y = to_words(right(sum[0], shift), right(sum[1], shift));
      else
        y = sum[0];
      char* at = dst[r] + g * t.group_elements * bytes;
      if (left >= t.group_elements) store(at, y);
      else std::memcpy(at, &y, static_cast<size_t>(left * bytes));
    }
  }
}

inline void sum_lanes_fixed(const FixedLanes& t, const std::uint8_t* const* rows, int count, i64 from,
                            i64 to, char* const* dst) {
  const bool one = t.pairs == 1;
  switch (t.store.format) {
    case Format::byte:
      return one ? sum_lanes_of<Format::byte, 1>(t, rows, count, from, to, dst)
                 : sum_lanes_of<Format::byte, 2>(t, rows, count, from, to, dst);
    case Format::word:
      return one ? sum_lanes_of<Format::word, 1>(t, rows, count, from, to, dst)
                 : sum_lanes_of<Format::word, 2>(t, rows, count, from, to, dst);
    case Format::wide:
      return one ? sum_lanes_of<Format::wide, 1>(t, rows, count, from, to, dst)
                 : sum_lanes_of<Format::wide, 2>(t, rows, count, from, to, dst);
  }
}

// Bytes of a row, their two neighbours that make a sum side by side: as they lie, or, of three
// channels, two pairs of pixels in each 128 bits.
template <int C>
inline Word load_pairs(const std::uint8_t* row, Word control) {
  if constexpr (C == 3) {
    constexpr int offset[] = {0, 24, 48, 72};
    return shuffle(load_windows(row, offset), control);
  } else {
    const Word x = load(row);
    return C == 1 ? x : shuffle(x, control);
  }
}

template <int C>
inline void halve_rows_of(const std::uint8_t* const* rows, char* dst, i64 n) {
  alignas(16) signed char order[16];
  for (int k = 0; k < 8; ++k) {
    const bool gap = C == 3 && k >= 6;
    order[2 * k] = static_cast<signed char>(gap ? -1 : k / C * 2 * C + k % C);
    order[2 * k + 1] = static_cast<signed char>(gap ? -1 : order[2 * k] + C);
  }
  const Word control = spread(_mm_load_si128(reinterpret_cast<const __m128i*>(order)));
  const Word close = spread(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, -1, -1, -1, -1));
  const Word two = splat_word(2);
  const __m128i shift = _mm_cvtsi32_si128(2);
  const auto cells = [&](i64 at) {
    const Word a = byte_pairs(load_pairs<C>(rows[0] + at, control));
    const Word b = byte_pairs(load_pairs<C>(rows[1] + at, control));
    return right_words(add_words(add_words(a, b), two), shift);
  };
  constexpr i64 step = C == 3 ? B / 16 * 12 : B;       // bytes of output
  constexpr i64 reach = C == 3 ? 2 * step + 4 : 2 * B;  // bytes of each row
  constexpr i64 second = C == 3 ? 12 : B;
  i64 j = 0;
  for (; j + B <= n && 2 * j + reach <= 2 * n; j += step) {
    const Word x = to_bytes(cells(2 * j), cells(2 * j + second));
    store(dst + j, C == 3 ? close_twelves(shuffle(x, close)) : unlace_bytes(x));
  }
  halve_rows_plain(rows, C, dst, j, n);
}

inline void halve_rows_fixed(const std::uint8_t* const* rows, i64 channels, char* dst, i64 n) {
  switch (channels) {
    case 1: return halve_rows_of<1>(rows, dst, n);
    case 2: return halve_rows_of<2>(rows, dst, n);
    case 3: return halve_rows_of<3>(rows, dst, n);
    case 4: return halve_rows_of<4>(rows, dst, n);
    default: return halve_rows_plain(rows, channels, dst, 0, n);
  }
}

#else  // no AVX2

constexpr int fixed_group = 1;
constexpr int fixed_vector_bytes = 0;

inline void sum_lanes_fixed(const FixedLanes&, const std::uint8_t* const*, int, i64, i64, char* const*) {
}

inline void sum_rows_fixed(const char* const* rows, Format format, const FixedWeights& w, int taps,
                           int cut, char* dst, const FixedStore& to, i64 n, bool) {
  sum_rows_plain(rows, format, w, taps, cut, dst, to, 0, n);
}

inline void sum_pixels_fixed(const FixedTable& table, const std::uint8_t* const* rows, int count,
                             i64 from, i64 to, char* const* dst) {
  for (int r = 0; r < count; ++r) sum_pixels_plain(table, rows[r], from, to, dst[r]);
}

inline void halve_rows_fixed(const std::uint8_t* const* rows, i64 channels, char* dst, i64 n) {
  halve_rows_plain(rows, channels, dst, 0, n);
}

#endif

}  // namespace ndresize::NDRESIZE_ISA
