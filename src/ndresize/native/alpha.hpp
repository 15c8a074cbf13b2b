// Colours times alpha, the last of two or four channels, and back.
#pragma once
#include <cstring>

#include "fixed_words.hpp"

namespace ndresize::NDRESIZE_ISA {

// Colours times alpha over 255, to the nearest integer.
inline void multiply_alpha_plain(const std::uint8_t* src, std::uint8_t* dst, i64 pixels, int channels) {
  for (i64 k = 0; k < pixels; ++k, src += channels, dst += channels) {
    const unsigned alpha = src[channels - 1];
    for (int c = 0; c < channels - 1; ++c) {
      const unsigned product = src[c] * alpha + 128;
      dst[c] = static_cast<std::uint8_t>((product + (product >> 8)) >> 8);
    }
    dst[channels - 1] = static_cast<std::uint8_t>(alpha);
  }
}

// Colours times 255 over alpha, cut, at most 255; those without alpha stay.
inline void divide_alpha_plain(std::uint8_t* row, i64 pixels, int channels) {
  for (i64 k = 0; k < pixels; ++k, row += channels) {
    const unsigned alpha = row[channels - 1];
    for (int c = 0; alpha > 0 && c < channels - 1; ++c) {
      const unsigned quotient = row[c] * 255u / alpha;
      row[c] = static_cast<std::uint8_t>(quotient < 255 ? quotient : 255);
    }
  }
}

#if defined(__AVX2__)

template <int C>
inline void multiply_alpha_of(const std::uint8_t* src, std::uint8_t* dst, i64 pixels) {
  alignas(16) signed char order[16], kept[16];
  for (int k = 0; k < 16; ++k) {
    order[k] = static_cast<signed char>(k / C * C + C - 1);
    kept[k] = k % C == C - 1 ? -1 : 0;
  }
  const Word control = spread(_mm_load_si128(reinterpret_cast<const __m128i*>(order)));
  const Word mask = spread(_mm_load_si128(reinterpret_cast<const __m128i*>(kept)));
  const Word half = splat_word(128);
  const auto over = [&](Word x, Word alpha) {
    const Word product = add_words(word_product(x, alpha), half);
    return high_bytes(add_words(product, high_bytes(product)));
  };
  const i64 n = pixels * C;
  i64 j = 0;
  for (; j + B <= n; j += B) {
    const Word x = load(src + j), alpha = shuffle(x, control);
    const Word y = to_bytes(over(bytes_low(x, zero()), bytes_low(alpha, zero())),
                            over(bytes_high(x, zero()), bytes_high(alpha, zero())));
    store(dst + j, bit_or(and_not(mask, y), bit_and(mask, x)));
  }
  multiply_alpha_plain(src + j, dst + j, (n - j) / C, C);
}

template <int C>
inline void divide_alpha_of(std::uint8_t* row, i64 pixels) {
  const auto part = [](Word x, int k) { return bit_and(right(x, _mm_cvtsi32_si128(8 * k)), splat(255)); };
  const auto quotient = [&](Word colour, Word alpha) {  // of no alpha: over 255
    return cut_quotient(colour, bit_or(alpha, bit_and(less(alpha, splat(1)), splat(255))));
  };
  const i64 n = pixels * C;
  i64 j = 0;
  for (; j + B <= n; j += B) {
    const Word x = load(row + j), alpha = part(x, 3);
    Word y;
    if constexpr (C == 4) {
      y = bit_or(quotient(part(x, 0), alpha), left<8>(quotient(part(x, 1), alpha)));
      y = bit_or(bit_or(y, left<16>(quotient(part(x, 2), alpha))), bit_and(x, splat(INT32_MIN >> 7)));
    } else {
      y = bit_or(quotient(part(x, 0), part(x, 1)), left<16>(quotient(part(x, 2), alpha)));
      y = bit_or(y, and_not(splat(0x00ff00ff), x));
    }
    store(row + j, y);
  }
  divide_alpha_plain(row + j, (n - j) / C, C);
}

inline void multiply_alpha(const std::uint8_t* src, std::uint8_t* dst, i64 pixels, int channels) {
  if (channels == 4) multiply_alpha_of<4>(src, dst, pixels);
  else multiply_alpha_of<2>(src, dst, pixels);
}

inline void divide_alpha(std::uint8_t* row, i64 pixels, int channels) {
  if (channels == 4) divide_alpha_of<4>(row, pixels);
  else divide_alpha_of<2>(row, pixels);
}

#else

constexpr auto multiply_alpha = multiply_alpha_plain;
constexpr auto divide_alpha = divide_alpha_plain;

#endif

}  // namespace ndresize::NDRESIZE_ISA
