// Sums of two neighbours a and b as a + (b - a) * w, across rows and along them. Where an output reads
// one sample alone, w is zero.
#pragma once
#include "sum_taps.hpp"

namespace ndresize::NDRESIZE_ISA {

template <bool Safe, class X>
inline X lerp(const X& a, const X& b, const X& w) {
  const X sum = (b - a) * w + a;
  if constexpr (Safe) return w == Lane<X>(0) ? a + Lane<X>(0) : sum;  // b may be NaN, and a infinite
  return sum;
}

template <class T, bool WideRows, bool WideDst, Rounding R, int N, int Vectors>
inline void lerp_rows_block(const char* first, const char* second, Accumulator<T> weight, char* dst, i64 j) {
  using A = Accumulator<T>;
  using Row = std::conditional_t<WideRows, A, T>;
  using To = std::conditional_t<WideDst, A, T>;
  const V<A, N> w = splat<N>(weight);
  V<A, N> sum[Vectors];
#pragma GCC unroll 8
  for (int k = 0; k < Vectors; ++k) {
    const i64 at = (j + k * N) * i64(sizeof(Row));
    sum[k] = lerp<false>(widen<Row, N>(first + at), widen<Row, N>(second + at), w);
  }
  narrow_all<To, R>(dst + j * i64(sizeof(To)), sum);
}

template <class T, bool WideRows, bool WideDst, Rounding R>
void lerp_rows_of(const char* const* rows, Accumulator<T> weight, char* dst, i64 n) {
  using A = Accumulator<T>;
  constexpr i64 in_size = WideRows ? sizeof(A) : sizeof(T), out_size = WideDst ? sizeof(A) : sizeof(T);
  constexpr int N = lanes_of<A>, F = few_of<A>, many = 4;
  const char *first = rows[0], *second = rows[1];
  i64 j = 0;
  for (; j + many * N <= n; j += many * N)
    lerp_rows_block<T, WideRows, WideDst, R, N, many>(first, second, weight, dst, j);
  for (; j + N <= n; j += N) lerp_rows_block<T, WideRows, WideDst, R, N, 1>(first, second, weight, dst, j);
  if (N > F && j + F <= n) lerp_rows_block<T, WideRows, WideDst, R, F, 1>(first, second, weight, dst, j), j += F;
  if (j == n) return;
  if (n >= F) {
    lerp_rows_block<T, WideRows, WideDst, R, F, 1>(first, second, weight, dst, n - F);
    return;
  }
  const i64 rest = n - j;
  char a[F * sizeof(A)] = {}, b[F * sizeof(A)] = {}, part[F * sizeof(A)];
  std::memcpy(a, first + j * in_size, rest * in_size);
  std::memcpy(b, second + j * in_size, rest * in_size);
  lerp_rows_block<T, WideRows, WideDst, R, F, 1>(a, b, weight, part, 0);
  std::memcpy(dst + j * out_size, part, rest * out_size);
}

template <class T, Rounding R>
void lerp_rows(const char* const* rows, bool wide_rows, Accumulator<T> weight, char* dst, bool wide_dst,
               i64 n) {
  if constexpr (std::is_same_v<T, Accumulator<T>>) {
    lerp_rows_of<T, true, true, R>(rows, weight, dst, n);
  } else if (wide_dst) {
    if (wide_rows) lerp_rows_of<T, true, true, R>(rows, weight, dst, n);
    else lerp_rows_of<T, false, true, R>(rows, weight, dst, n);
  } else {
    if (wide_rows) lerp_rows_of<T, true, false, R>(rows, weight, dst, n);
    else lerp_rows_of<T, false, false, R>(rows, weight, dst, n);
  }
}

// A block of outputs of a row at a time: both samples from a window, from anywhere, or side by side.
template <class A, bool Safe, int N, int Vectors>
void lerp_window_row(const RowTable& table, const A* row, A* dst) {
  const int *start = table.window_start, *index = table.index;
  const A* weights = static_cast<const A*>(table.lanes);
  store_blocks<A, N>(dst, table.n_out, [&]() __attribute__((always_inline)) {
    const Window<A, N, Vectors> window(row + *start++);
    const auto at = load_lanes<std::int32_t, N>(index), next = load_lanes<std::int32_t, N>(index + N);
    const V<A, N> sum = lerp<Safe>(window.pick(at), window.pick(next), load_lanes<A, N>(weights));
    index += 2 * N, weights += N;
    return sum;
  });
}

template <class A, bool Safe>
void lerp_gather_row(const RowTable& table, const A* row, A* dst) {
  constexpr int N = few_of<A>;
  const int* index = table.index;
  const A* weights = static_cast<const A*>(table.lanes);
  store_blocks<A, N>(dst, table.n_out, [&]() __attribute__((always_inline)) {
    const V<A, N> sum =
        lerp<Safe>(gather_lanes(row, index), gather_lanes(row, index + N), load_lanes<A, N>(weights));
    index += 2 * N, weights += N;
    return sum;
  });
}

// At the end of a row, where w is one, the pair sits one further back than the sample.
template <bool Safe>
inline V<float> lerp_pairs(const V<float>& first, const V<float>& second, const V<float>& w) {
  const V<float> sum = lerp<Safe>(first, second, w);
  return w == 1.0f ? second + 0.0f : sum;
}

template <bool Safe>
void lerp_pairs_row(const RowTable& table, const float* row, float* dst) {
  const int* index = table.index;
  const float* weights = static_cast<const float*>(table.lanes);
  store_blocks<float>(dst, table.n_out, [&]() __attribute__((always_inline)) {
    V<float> first, second;
    gather_pairs(row, index, first, second);
    const V<float> sum = lerp_pairs<Safe>(first, second, load_lanes<float>(weights));
    index += L, weights += L;
    return sum;
  });
}

// As phases_row.
template <bool Safe>
void lerp_phases_row(const RowTable& table, const float* row, float* dst) {
  sum_phases<2>(table, row, dst, [](const auto& w, const auto& x) __attribute__((always_inline)) {
    return lerp<Safe>(x[0], x[1], w[0]);
  });
  other_blocks(table, (table.n_out + L - 1) / L, [&](i64 b) {
    const int* index = table.index + b * 2 * L;
    const V<float> w = load_lanes<float>(static_cast<const float*>(table.lanes) + b * L);
    store_lanes(dst + block_start(b * L, table.n_out),
                lerp<Safe>(gather_lanes(row, index), gather_lanes(row, index + L), w));
  });
}

// Eight rows, one per lane.
template <class A, bool Safe, int Channels>
void lerp_lanes(const RowTable& table, const A* in, A* out) {
  constexpr int N = few_of<A>;
  const i64 channels = Channels ? Channels : table.channels;
  const i64 samples = table.n_out / channels;
  const A* weights = static_cast<const A*>(table.weights);
  for (i64 o = 0; o < samples; ++o, out += channels * map_lanes) {
    const A* first = in + table.starts[o] * channels * map_lanes;
    const A weight = weights[o * table.taps + 1];
    const A* second = first + (weight == 0 ? 0 : channels * map_lanes);
    const V<A, N> w = splat<N>(weight);
#pragma GCC unroll 4
    for (i64 c = 0; c < channels * map_lanes; c += N)
      store_lanes(out + c, lerp<Safe>(load_lanes<A, N>(first + c), load_lanes<A, N>(second + c), w));
  }
}

// As sum_taps.
template <class A, bool Safe>
void lerp_taps(const RowTable& table, const char* const* rows, int count, char* const* dst,
               void* scratch) {
  if (table.method == Method::transpose) {
    A* in = static_cast<A*>(scratch);
    A* out = lanes_of_rows<A>(table, rows, count, in);
    switch (table.channels) {
      case 1: lerp_lanes<A, Safe, 1>(table, in, out); break;
      case 3: lerp_lanes<A, Safe, 3>(table, in, out); break;
      case 4: lerp_lanes<A, Safe, 4>(table, in, out); break;
      default: lerp_lanes<A, Safe, 0>(table, in, out);
    }
    lanes_to_rows<A>(out, 1, dst, count, table.n_out);
    return;
  }
  for (int r = 0; r < count; ++r) {
    const A* row = reinterpret_cast<const A*>(rows[r]);
    A* to = reinterpret_cast<A*>(dst[r]);
    if constexpr (sizeof(A) == 4) {
      if (table.pairs) {
        lerp_pairs_row<Safe>(table, row, to);
        continue;
      }
      if (table.phases.pairs > 0) {
        lerp_phases_row<Safe>(table, row, to);
        continue;
      }
    }
    if (table.method == Method::gather) lerp_gather_row<A, Safe>(table, row, to);
    else
      with_window<A>(table, [&](auto lanes, auto vectors) {
        lerp_window_row<A, Safe, decltype(lanes)::value, decltype(vectors)::value>(table, row, to);
      });
  }
}

}  // namespace ndresize::NDRESIZE_ISA
