// Sums of at most four taps along rows of pixels in fixed point, element by element.
#pragma once
#include <cstring>
#include <type_traits>

#include "fixed_words.hpp"

namespace ndresize::NDRESIZE_ISA {

#if defined(__AVX2__)

constexpr int fixed_vector_bytes = B;

// Where the samples of a vector of sums lie in a row, and in which order they are taken.
template <int Pairs, int Windows>
class LaneOrder {
 public:
  // What the vector reads of a row.
  struct Samples {
    Word x[Windows];
  };

#if defined(__AVX512VBMI__)
  static constexpr int controls = Pairs;

  LaneOrder(const int* offset, const signed char* control) : at_(*offset) {
#pragma GCC unroll 2
    for (int p = 0; p < Pairs; ++p) {
      control_[p] = load(control + p * B);
      there_[p] = static_cast<__mmask64>(~_mm512_movepi8_mask(control_[p]));
      second_[p] = there_[p] & _mm512_test_epi8_mask(control_[p], _mm512_set1_epi8(64));
    }
  }
  Samples read(const std::uint8_t* row) const {
    Samples s;
#pragma GCC unroll 2
    for (int k = 0; k < Windows; ++k) s.x[k] = load(row + at_ + k * B);
    return s;
  }
  Word take(const Samples& s, int p) const {
    const Word x = _mm512_maskz_permutexvar_epi8(there_[p], control_[p], s.x[0]);
    return Windows == 1 ? x : _mm512_mask_permutexvar_epi8(x, second_[p], control_[p], s.x[Windows - 1]);
  }

 private:
  const i64 at_;
  Word control_[Pairs];
  __mmask64 there_[Pairs], second_[Pairs];
#else
  static constexpr int controls = Windows * Pairs;

  LaneOrder(const int* offset, const signed char* control) : offset_(offset) {
#pragma GCC unroll 4
    for (int k = 0; k < controls; ++k) control_[k] = load(control + k * B);
  }
  Samples read(const std::uint8_t* row) const {
    Samples s;
#pragma GCC unroll 2
    for (int k = 0; k < Windows; ++k) s.x[k] = load_windows(row + 16 * k, offset_);
    return s;
  }
  Word take(const Samples& s, int p) const {
    const Word x = shuffle(s.x[0], control_[p]);
    return Windows == 1 ? x : bit_or(x, shuffle(s.x[Windows - 1], control_[controls - Pairs + p]));
  }

 private:
  const int* const offset_;
  Word control_[controls];
#endif
};

#if defined(__AVX512VBMI__)
constexpr int fixed_window_bytes = B;
#else
constexpr int fixed_window_bytes = 16;
#endif
constexpr int fixed_windows = B / fixed_window_bytes;  // of a vector, side by side or not

template <Format F, int Pairs, int Windows, bool Small, class R>
inline void sum_lanes_of(const FixedLanes& t, const std::uint8_t* const* rows, int count, i64 from, i64 to,
                         char* const* dst, const R& rounder) {
  using Order = LaneOrder<Pairs, Windows>;
  constexpr i64 size = F == Format::byte ? 1 : F == Format::word ? 2 : 4;
  constexpr int vectors = (Small ? 2 : 4) / size;
  const __m128i shift = _mm_cvtsi32_si128(t.store.shift);
  for (i64 g = from; g < to; ++g) {
    const auto order = [&](int v) {
      const i64 vector = g * vectors + v;
      return Order(t.offset + vector * fixed_windows, t.control + vector * Order::controls * B);
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
        const auto samples = orders[v].read(rows[r]);
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
