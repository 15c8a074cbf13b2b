// Sums of rows in fixed point.
#pragma once
#include <cstring>
#include <type_traits>

#include "fixed_words.hpp"

namespace ndresize::NDRESIZE_ISA {

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

#if defined(__AVX2__)

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
    if constexpr (Digits == 2) low[k] = add(low[k], left<16>(high[k]));
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

// Small sums of rows of words.
template <class R>
inline Word round_small(Word a, Word b, const R& rounder) {
  return unlace_bytes(to_bytes(rounder(a), rounder(b)));
}

template <class R>
inline Word sum_small_words_block(const char* const* rows, const FixedWeights& w, int taps, const R& rounder,
                                  i64 j) {
  Word a = zero(), b = zero();
  for (int t = 0; t < taps; ++t) {
    const Word weight = splat_word(w.low[t]);
    a = add_words(a, word_product(load(rows[t] + 2 * j), weight));
    b = add_words(b, word_product(load(rows[t] + 2 * j + B), weight));
  }
  return round_small(a, b, rounder);
}

// Of two rows, as most are.
template <class R>
class TwoSmallRows {
 public:
  TwoSmallRows(const char* const* rows, const FixedWeights& w, const R& rounder)
      : first_(rows[0]), second_(rows[1]), one_(splat_word(w.low[0])), other_(splat_word(w.low[1])),
        rounder_(rounder) {}
  Word operator()(i64 j) const { return round_small(sum(2 * j), sum(2 * j + B), rounder_); }

 private:
  Word sum(i64 at) const {
    return add_words(word_product(load(first_ + at), one_), word_product(load(second_ + at), other_));
  }
  const char *const first_, *const second_;
  const Word one_, other_;
  const R rounder_;
};

// The same of bytes, two rows at a time.
template <class R>
inline Word sum_small_block(const char* const* rows, const FixedWeights& w, int taps, const R& rounder, i64 j) {
  Word low = zero(), high = zero();
  for (int t = 0; t < taps; t += 2) {
    const Word a = load(rows[t] + j), b = load(rows[t + 1 < taps ? t + 1 : t] + j);
    const Word weights = splat_word(static_cast<std::int16_t>((w.low[t] & 0xff) | w.low[t + 1] * 256));
    low = add_words(low, byte_pairs(bytes_low(a, b), weights));
    high = add_words(high, byte_pairs(bytes_high(a, b), weights));
  }
  return to_bytes(rounder(low), rounder(high));
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
    if (to.small && format != Format::wide && cut == 0 && n >= B) {
      return with_small_rounder(to, [&](const auto& rounder) {
        using R = std::decay_t<decltype(rounder)>;
        if (format == Format::word && taps == 2) done(TwoSmallRows<R>(rows, w, rounder));
        else if (format == Format::word) done([&](i64 j) { return sum_small_words_block(rows, w, taps, rounder, j); });
        else done([&](i64 j) { return sum_small_block(rows, w, taps, rounder, j); });
      });
    }
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

#else

inline void sum_rows_fixed(const char* const* rows, Format format, const FixedWeights& w, int taps,
                           int cut, char* dst, const FixedStore& to, i64 n, bool) {
  sum_rows_plain(rows, format, w, taps, cut, dst, to, 0, n);
}

#endif

}  // namespace ndresize::NDRESIZE_ISA
