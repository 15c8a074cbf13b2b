// Sums of at most four taps along rows of pixels in fixed point, element by element.
#pragma once
#include <cstring>

#include "fixed_words.hpp"

namespace ndresize::NDRESIZE_ISA {

#if defined(__AVX2__)

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

#else

constexpr int fixed_vector_bytes = 0;

inline void sum_lanes_fixed(const FixedLanes&, const std::uint8_t* const*, int, i64, i64, char* const*) {
}

#endif

}  // namespace ndresize::NDRESIZE_ISA
