// Sums along a row of which every second output has the same weights, one sample further on: of rows that are
// made twice as long. The first outputs of all pairs are sums of the row itself, which is read a tap further on
// each time, and so are the second ones; they are permuted once, to take turns, and not for every tap.
#pragma once
#include <algorithm>
#include <utility>

#include "vectors.hpp"

namespace ndresize::NDRESIZE_ISA {

// Which lanes of two vectors of first and second outputs follow each other from output `Begin` on, in samples
// of C elements; beyond them lanes that nobody reads.
template <int C, int Begin, int... I>
inline Words turns(std::integer_sequence<int, I...>) {
  constexpr auto lane = [](int k) {
    const int sample = k / C, at = sample / 2 * C + k % C;
    return at < W / C * C ? sample % 2 * W + at : 0;
  };
  return Words{lane(Begin + I)...};
}

// `sum(first, phase)` makes a vector of sums whose first taps lie from `first` on.
template <int C, class Sum>
inline void sum_phases_of(const Phases& phases, const float* row, float* dst, Sum sum) {
  constexpr int step = W / C * C;  // elements of whole samples in a vector
  constexpr std::make_integer_sequence<int, W> all;
  const Words begin = turns<C, 0>(all), end = turns<C, W>(all);
  const i64 n = phases.pairs * C;
  float* const to = dst + phases.out;
  for (i64 o = 0; o < n; o += step) {
    const i64 k = std::min(o, n - step);
    const Floats first = sum(row + phases.from[0] + k, 0), second = sum(row + phases.from[1] + k, 1);
    store_lanes(to + 2 * k, __builtin_shuffle(first, second, begin));
    store_lanes(to + 2 * k + W, __builtin_shuffle(first, second, end));
  }
}

// `sum(weights, samples)` makes a vector of sums of so many taps, of weights that are vectors too.
template <int Taps, class Sum>
inline void sum_phases(const RowTable& table, const float* row, float* dst, Sum sum) {
  const Phases& phases = table.phases;
  Floats w[2][Taps];
#pragma GCC unroll 2
  for (int p = 0; p < 2; ++p)
#pragma GCC unroll 4
    for (int t = 0; t < Taps; ++t) w[p][t] = splat<W>(phases.weights[p][t]);
  const auto with = [&](auto channels) __attribute__((always_inline)) {
    constexpr int C = decltype(channels)::value;
    sum_phases_of<C>(phases, row, dst, [&](const float* first, int p) __attribute__((always_inline)) {
      Floats x[Taps];
#pragma GCC unroll 4
      for (int t = 0; t < Taps; ++t) x[t] = load_lanes<float, W>(first + t * C);
      return sum(w[p], x);
    });
  };
  switch (table.channels) {
    case 1: return with(std::integral_constant<int, 1>{});
    case 2: return with(std::integral_constant<int, 2>{});
    case 3: return with(std::integral_constant<int, 3>{});
    default: with(std::integral_constant<int, 4>{});
  }
}

// Call `block(b)` for the blocks of outputs, but not for those that phases have made.
template <class Block>
inline void other_blocks(const RowTable& table, i64 blocks, Block block) {
  const i64 made = table.phases.pairs > 0 ? table.phases.first_block : blocks;
  for (i64 b = 0; b < made; ++b) block(b);
  if (made < blocks)
    for (i64 b = table.phases.end_block; b < blocks; ++b) block(b);
}

}  // namespace ndresize::NDRESIZE_ISA
