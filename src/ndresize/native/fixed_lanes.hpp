// Sums of at most four taps along rows of pixels in fixed point, element by element.
#pragma once
#include <cstring>
#include <type_traits>

#include "byte_order.hpp"
#include "fixed_words.hpp"

namespace ndresize::NDRESIZE_ISA {

#if defined(__AVX2__)

constexpr int fixed_vector_bytes = B, fixed_window_bytes = window_bytes;

template <Format F, int Pairs, int Windows, bool Small, class R>
inline void sum_lanes_of(const FixedLanes& t, const std::uint8_t* const* rows, int count, i64 from, i64 to,
                         char* const* dst, const R& rounder) {
  using Order = ByteOrder<Pairs, Windows>;
  constexpr i64 size = F == Format::byte ? 1 : F == Format::word ? 2 : 4;
  constexpr int vectors = (Small ? 2 : 4) / size;
  const __m128i shift = _mm_cvtsi32_si128(t.store.shift);
  for (i64 g = from; g < to; ++g) {
    const auto order = [&](int v) {
      const i64 vector = g * vectors + v;
      return Order(t.offset + vector * Order::parts, t.control + vector * Order::controls * B);
    };
    const Order orders[] = {order(0), order(vectors > 1), order(vectors > 2 ? 2 : 0), order(vectors > 2 ? 3 : 0)};
    Word weight[vectors][Pairs];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v)
#pragma GCC unroll 2
      for (int p = 0; p < Pairs; ++p) weight[v][p] = load(t.weights + ((g * vectors + v) * Pairs + p) * B);
    const i64 left = t.elements - g * t.group_elements;
    for (int r = 0; r < count; ++r) {
      Word sum[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        const auto samples = orders[v].read(reinterpret_cast<const char*>(rows[r]));
#pragma GCC unroll 2
        for (int p = 0; p < Pairs; ++p) {
          const Word x = orders[v].take(samples, p);
          const Word products = Small ? byte_pairs(x, weight[v][p]) : pairs(x, weight[v][p]);
          sum[v] = p == 0 ? products : Small ? add_words(sum[v], products) : add(sum[v], products);
        }
      }
      Word y = sum[0];
      if constexpr (F == Format::byte && Small)
        y = to_bytes(rounder(sum[0]), rounder(sum[1]));
      else if constexpr (F == Format::byte)
        y = to_bytes(to_words(rounder(sum[0]), rounder(sum[1])), to_words(rounder(sum[2]), rounder(sum[3])));
      else if constexpr (F == Format::word && !Small)
        y = to_words(right(sum[0], shift), right(sum[1], shift));
      char* at = dst[r] + g * t.group_elements * size;
      if (left >= t.group_elements) {
        store(at, y);
      } else {
        const Word part = y;
        std::memcpy(at, &part, static_cast<size_t>(left * size));
      }
    }
  }
}

template <int Pairs, int Windows>
inline void sum_lanes_with(const FixedLanes& t, const std::uint8_t* const* rows, int count, i64 from, i64 to,
                           char* const* dst) {
  const auto sums = [&](auto format, auto small, const auto& rounder) {
    sum_lanes_of<decltype(format)::value, Pairs, Windows, decltype(small)::value>(t, rows, count, from, to, dst,
                                                                                  rounder);
  };
  using Byte = std::integral_constant<Format, Format::byte>;
  using Word16 = std::integral_constant<Format, Format::word>;
  using Wide = std::integral_constant<Format, Format::wide>;
  const Rounder whole(t.store);
  if (t.store.small && t.store.format == Format::byte)
    return with_small_rounder(t.store, [&](const auto& rounder) { sums(Byte{}, std::true_type{}, rounder); });
  if (t.store.small) return sums(Word16{}, std::true_type{}, whole);
  switch (t.store.format) {
    case Format::byte: return sums(Byte{}, std::false_type{}, whole);
    case Format::word: return sums(Word16{}, std::false_type{}, whole);
    case Format::wide: return sums(Wide{}, std::false_type{}, whole);
  }
}

inline void sum_lanes_fixed(const FixedLanes& t, const std::uint8_t* const* rows, int count, i64 from,
                            i64 to, char* const* dst) {
  const bool one = t.pairs == 1;
  if (t.windows == 1)
    return one ? sum_lanes_with<1, 1>(t, rows, count, from, to, dst)
               : sum_lanes_with<2, 1>(t, rows, count, from, to, dst);
  return one ? sum_lanes_with<1, 2>(t, rows, count, from, to, dst)
             : sum_lanes_with<2, 2>(t, rows, count, from, to, dst);
}

#else

constexpr int fixed_vector_bytes = 0, fixed_window_bytes = 0;

inline void sum_lanes_fixed(const FixedLanes&, const std::uint8_t* const*, int, i64, i64, char* const*) {
}

#endif

}  // namespace ndresize::NDRESIZE_ISA
