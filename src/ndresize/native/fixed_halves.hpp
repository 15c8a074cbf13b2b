// Means of two by two pixels.
#pragma once
#include "fixed_words.hpp"

namespace ndresize::NDRESIZE_ISA {

inline void halve_rows_plain(const std::uint8_t* const* rows, i64 channels, char* dst, i64 from, i64 n,
                             bool half_even) {
  for (i64 j = from; j < n; ++j) {
    const i64 at = j / channels * 2 * channels + j % channels;
    const int sum = rows[0][at] + rows[0][at + channels] + rows[1][at] + rows[1][at + channels];
    dst[j] = static_cast<char>(half_even ? (sum + 1 + (sum >> 2 & 1)) >> 2 : (sum + 2) >> 2);
  }
}

#if defined(__AVX2__)

// Bytes of a row, their two neighbours that make a sum side by side: as they lie, or, of three
// channels, two pairs of pixels in each 128 bits.
template <int C>
inline Word load_pairs(const std::uint8_t* row, Word control) {
  if constexpr (C == 3) {
    constexpr int offset[] = {0, 24, 48, 72};
    return shuffle(load_windows(reinterpret_cast<const char*>(row), offset), control);
  } else {
    const Word x = load(row);
    return C == 1 ? x : shuffle(x, control);
  }
}

template <int C, Ties T>
inline void halve_rows_of(const std::uint8_t* const* rows, char* dst, i64 n) {
  alignas(16) signed char order[16];
  for (int k = 0; k < 8; ++k) {
    const bool gap = C == 3 && k >= 6;
    order[2 * k] = static_cast<signed char>(gap ? -1 : k / C * 2 * C + k % C);
    order[2 * k + 1] = static_cast<signed char>(gap ? -1 : order[2 * k] + C);
  }
  const Word control = spread(_mm_load_si128(reinterpret_cast<const __m128i*>(order)));
  const Word close = spread(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, -1, -1, -1, -1));
  const Word ones = splat_word(0x0101);
  const SmallRounder<T> rounder(2);
  const auto cells = [&](i64 at) {
    const Word a = byte_pairs(load_pairs<C>(rows[0] + at, control), ones);
    const Word b = byte_pairs(load_pairs<C>(rows[1] + at, control), ones);
    return rounder(add_words(a, b));
  };
  constexpr i64 step = C == 3 ? B / 16 * 12 : B;       // bytes of output
  constexpr i64 reach = C == 3 ? 2 * step + 4 : 2 * B;  // bytes of each row
  constexpr i64 second = C == 3 ? 12 : B;
  i64 j = 0;
  for (; j + B <= n && 2 * j + reach <= 2 * n; j += step) {
    const Word x = to_bytes(cells(2 * j), cells(2 * j + second));
    store(dst + j, C == 3 ? close_twelves(shuffle(x, close)) : unlace_bytes(x));
  }
  halve_rows_plain(rows, C, dst, j, n, T == Ties::even);
}

template <int C>
inline void halve_rows_with(const std::uint8_t* const* rows, char* dst, i64 n, bool half_even) {
  if (half_even) halve_rows_of<C, Ties::even>(rows, dst, n);
  else halve_rows_of<C, Ties::up>(rows, dst, n);
}

inline void halve_rows_fixed(const std::uint8_t* const* rows, i64 channels, char* dst, i64 n, bool half_even) {
  switch (channels) {
    case 1: return halve_rows_with<1>(rows, dst, n, half_even);
    case 2: return halve_rows_with<2>(rows, dst, n, half_even);
    case 3: return halve_rows_with<3>(rows, dst, n, half_even);
    case 4: return halve_rows_with<4>(rows, dst, n, half_even);
    default: return halve_rows_plain(rows, channels, dst, 0, n, half_even);
  }
}

#else

inline void halve_rows_fixed(const std::uint8_t* const* rows, i64 channels, char* dst, i64 n, bool half_even) {
  halve_rows_plain(rows, channels, dst, 0, n, half_even);
}

#endif

}  // namespace ndresize::NDRESIZE_ISA
