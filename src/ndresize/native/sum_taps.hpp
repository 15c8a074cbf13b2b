// A weighted sum along rows: the pass along the innermost axis.
#pragma once
#include <iterator>

#include "phases.hpp"

namespace ndresize::NDRESIZE_ISA {

// Write `n` outputs in blocks of N, each made by one call of `block`, in order: see block_start.
// GCC is told to inline the blocks: with several calls of each it would not.
template <class A, int N = few_of<A>, class Block>
inline void store_blocks(A* dst, i64 n, Block block) {
  if (n < N) {
    const V<A, N> sum = block();
    std::memcpy(dst, &sum, n * sizeof(A));
    return;
  }
  for (i64 o = 0; o + N <= n; o += N) store_lanes(dst + o, block());
  if (n % N) store_lanes(dst + n - N, block());
}

template <class A, bool Safe, int N, int Vectors, int Taps>
void permute_row_of(const RowTable& table, const A* row, A* dst) {
  const int taps = Taps ? Taps : table.taps;
  const int *start = table.window_start, *index = table.index;
  const A* weights = static_cast<const A*>(table.lanes);
  store_blocks<A, N>(dst, table.n_out, [&]() __attribute__((always_inline)) {
    const Window<A, N, Vectors> window(row + *start++);
    V<A, N> sum{};
#pragma GCC unroll 4
    for (int t = 0; t < taps; ++t, index += N, weights += N) {
      const V<A, N> x = window.pick(load_lanes<std::int32_t, N>(index));
      sum = multiply_add<Safe>(load_lanes<A, N>(weights), x, sum);
    }
    return sum;
  });
}

// Call `with` for the lanes of a block and the vectors of a window.
template <class A, class With>
inline void with_window(const RowTable& table, With with) {
  const auto vectors = [&](auto lanes) {
    constexpr int N = decltype(lanes)::value;
    switch (table.window / N) {
      case 1: return with(lanes, std::integral_constant<int, 1>{});
      case 2: return with(lanes, std::integral_constant<int, 2>{});
      default:
        if constexpr (N == few_of<A>) with(lanes, std::integral_constant<int, 4>{});
    }
  };
  if constexpr (lanes_of<A> > few_of<A>) {
    if (table.block == lanes_of<A>) return vectors(std::integral_constant<int, lanes_of<A>>{});
  }
  vectors(std::integral_constant<int, few_of<A>>{});
}

template <class A, bool Safe>
void permute_row(const RowTable& table, const A* row, A* dst) {
  with_window<A>(table, [&](auto lanes, auto vectors) {
    constexpr int N = decltype(lanes)::value, Vectors = decltype(vectors)::value;
    switch (table.taps) {
      case 2: return permute_row_of<A, Safe, N, Vectors, 2>(table, row, dst);
      case 4: return permute_row_of<A, Safe, N, Vectors, 4>(table, row, dst);
      default: return permute_row_of<A, Safe, N, Vectors, 0>(table, row, dst);
    }
  });
}

// A few outputs at a time from anywhere in the row.
template <class A, bool Safe>
void gather_row(const RowTable& table, const A* row, A* dst) {
  constexpr int N = few_of<A>;
  const int taps = table.taps;
  const int* index = table.index;
  const A* weights = static_cast<const A*>(table.lanes);
  store_blocks<A, N>(dst, table.n_out, [&]() __attribute__((always_inline)) {
    V<A, N> sum{};
    for (int t = 0; t < taps; ++t, index += N, weights += N)
      sum = multiply_add<Safe>(load_lanes<A, N>(weights), gather_lanes(row, index), sum);
    return sum;
  });
}

template <bool Safe>
void gather_pairs_row(const RowTable& table, const float* row, float* dst) {
  const int* index = table.index;
  const float* weights = static_cast<const float*>(table.lanes);
  store_blocks<float>(dst, table.n_out, [&]() __attribute__((always_inline)) {
    V<float> first, second, sum{};
    gather_pairs(row, index, first, second);
    sum = multiply_add<Safe>(load_lanes<float>(weights), first, sum);
    sum = multiply_add<Safe>(load_lanes<float>(weights + L), second, sum);
    index += L, weights += 2 * L;
    return sum;
  });
}

// A row with phases: these, and the blocks that they leave from anywhere in the row.
template <bool Safe>
void phases_row(const RowTable& table, const float* row, float* dst) {
  const auto sum = [](const auto& w, const auto& x) __attribute__((always_inline)) {
    Floats total{};
#pragma GCC unroll 4
    for (size_t t = 0; t < std::size(w); ++t) total = multiply_add<Safe>(w[t], x[t], total);
    return total;
  };
  if (table.taps == 2) sum_phases<2>(table, row, dst, sum);
  else sum_phases<4>(table, row, dst, sum);
  other_blocks(table, (table.n_out + L - 1) / L, [&](i64 b) {
    const int* index = table.index + b * table.taps * L;
    const float* weights = static_cast<const float*>(table.lanes) + b * table.taps * L;
    V<float> total{};
    for (int t = 0; t < table.taps; ++t, index += L, weights += L)
      total = multiply_add<Safe>(load_lanes<float>(weights), gather_lanes(row, index), total);
    store_lanes(dst + block_start(b * L, table.n_out), total);
  });
}

template <int A0, int A1, int A2, int A3, int A4, int A5, int A6, int A7, class T>
inline T mix(const T& a, const T& b) {
  return __builtin_shufflevector(a, b, A0, A1, A2, A3, A4, A5, A6, A7);
}

// Eight rows of eight: lane r of out[i] is lane i of in[r].
template <class T>
inline void transpose_lanes(const T (&in)[L], T (&out)[L]) {
  T a[L], b[L];
#pragma GCC unroll 8
  for (int i = 0; i < L; i += 2) {
    a[i] = mix<0, 8, 2, 10, 4, 12, 6, 14>(in[i], in[i + 1]);
    a[i + 1] = mix<1, 9, 3, 11, 5, 13, 7, 15>(in[i], in[i + 1]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < L; i += 4)
#pragma GCC unroll 8
    for (int k = 0; k < 2; ++k) {
      b[i + k] = mix<0, 1, 8, 9, 4, 5, 12, 13>(a[i + k], a[i + k + 2]);
      b[i + k + 2] = mix<2, 3, 10, 11, 6, 7, 14, 15>(a[i + k], a[i + k + 2]);
    }
#pragma GCC unroll 8
  for (int k = 0; k < 4; ++k) {
    out[k] = mix<0, 1, 2, 3, 8, 9, 10, 11>(b[k], b[k + 4]);
    out[k + 4] = mix<4, 5, 6, 7, 12, 13, 14, 15>(b[k], b[k + 4]);
  }
}

// The same of four rows of four.
template <class T>
inline void transpose_lanes(const T (&in)[4], T (&out)[4]) {
  const auto mix4 = [](const T& a, const T& b, auto high) {
    constexpr int h = decltype(high)::value;
    return __builtin_shufflevector(a, b, h, 4 + h, 2 + h, 6 + h);
  };
  constexpr std::integral_constant<int, 0> even{};
  constexpr std::integral_constant<int, 1> odd{};
  const T a = mix4(in[0], in[1], even), b = mix4(in[0], in[1], odd);
  const T c = mix4(in[2], in[3], even), d = mix4(in[2], in[3], odd);
  out[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  out[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  out[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// Eight rows to lanes: dst[j * step * 8 + r] is element j of row r.
template <class A>
void rows_to_lanes(const char* const* rows, int count, A* dst, i64 step, i64 n) {
  constexpr int N = few_of<A>;
  for (int first = 0; first < map_lanes; first += N) {
    const char* from[N];
    for (int r = 0; r < N; ++r) from[r] = rows[first + r < count ? first + r : 0];
    V<A, N> in[N], out[N];
    for (i64 o = 0; o < n && n >= N; o += N) {
      const i64 j = block_start(o, n, N);
#pragma GCC unroll 8
      for (int r = 0; r < N; ++r) in[r] = load_lanes<A, N>(from[r] + j * i64(sizeof(A)));
      transpose_lanes(in, out);
#pragma GCC unroll 8
      for (int k = 0; k < N; ++k) store_lanes(dst + (j + k) * step * map_lanes + first, out[k]);
    }
    for (int r = 0; r < N && n < N; ++r)
      for (i64 k = 0; k < n; ++k)
        std::memcpy(dst + k * step * map_lanes + first + r, from[r] + k * i64(sizeof(A)), sizeof(A));
  }
}

template <class A>
void lanes_to_rows(const A* src, i64 step, char* const* rows, int count, i64 n) {
  constexpr int N = few_of<A>;
  for (int first = 0; first < count; first += N) {
    char* const* to = rows + first;
    const int some = count - first < N ? count - first : N;
    V<A, N> in[N], out[N];
    for (i64 o = 0; o < n && n >= N; o += N) {
      const i64 j = block_start(o, n, N);
#pragma GCC unroll 8
      for (int k = 0; k < N; ++k) in[k] = load_lanes<A, N>(src + (j + k) * step * map_lanes + first);
      transpose_lanes(in, out);
      if (some == N) {
#pragma GCC unroll 8
        for (int r = 0; r < N; ++r) store_lanes(to[r] + j * i64(sizeof(A)), out[r]);
      } else {
        for (int r = 0; r < some; ++r) store_lanes(to[r] + j * i64(sizeof(A)), out[r]);
      }
    }
    for (int r = 0; r < some && n < N; ++r)
      for (i64 k = 0; k < n; ++k)
        std::memcpy(to[r] + k * i64(sizeof(A)), src + k * step * map_lanes + first + r, sizeof(A));
  }
}

// Up to eight rows as lanes in scratch; returns where their sums may lie.
template <class A>
A* lanes_of_rows(const RowTable& table, const char* const* rows, int count, A* in) {
  const i64 beyond = i64(table.taps) * table.channels * map_lanes;
  rows_to_lanes<A>(rows, count, in, 1, table.n_in);
  // A padded tap may read past the last sample; what it reads is multiplied by zero.
  A* end = in + table.n_in * map_lanes;
  for (i64 j = 0; j < beyond; ++j) end[j] = A(0);
  return end + beyond;
}

template <class A, bool Safe, int Channels>
void sum_lanes(const RowTable& table, const A* in, A* out) {
  constexpr int N = few_of<A>;
  const i64 taps = table.taps, channels = Channels ? Channels : table.channels;
  const i64 samples = table.n_out / channels;
  for (int half = 0; half < map_lanes; half += N) {
    const A* weights = static_cast<const A*>(table.weights);
    A* to = out + half;
    for (i64 o = 0; o < samples; ++o, weights += taps, to += channels * map_lanes) {
      const A* first = in + table.starts[o] * channels * map_lanes + half;
      if constexpr (Channels > 0) {
        V<A, N> sum[Channels > 0 ? Channels : 1] = {};
        for (i64 t = 0; t < taps; ++t) {
          const V<A, N> w = splat<N>(weights[t]);
#pragma GCC unroll 4
          for (int c = 0; c < Channels; ++c)
            sum[c] = multiply_add<Safe>(w, load_lanes<A, N>(first + (t * Channels + c) * map_lanes), sum[c]);
        }
        for (int c = 0; c < Channels; ++c) store_lanes(to + c * map_lanes, sum[c]);
      } else {
        for (i64 c = 0; c < channels; ++c) {
          V<A, N> sum{};
          for (i64 t = 0; t < taps; ++t)
            sum = multiply_add<Safe>(splat<N>(weights[t]),
                                     load_lanes<A, N>(first + (t * channels + c) * map_lanes), sum);
          store_lanes(to + c * map_lanes, sum);
        }
      }
    }
  }
}

template <class A, bool Safe>
void sum_taps(const RowTable& table, const char* const* rows, int count, char* const* dst,
              void* scratch) {
  if (table.method == Method::transpose) {
    A* in = static_cast<A*>(scratch);
    A* out = lanes_of_rows<A>(table, rows, count, in);
    switch (table.channels) {
      case 1: sum_lanes<A, Safe, 1>(table, in, out); break;
      case 2: sum_lanes<A, Safe, 2>(table, in, out); break;
      case 3: sum_lanes<A, Safe, 3>(table, in, out); break;
      case 4: sum_lanes<A, Safe, 4>(table, in, out); break;
      default: sum_lanes<A, Safe, 0>(table, in, out);
    }
    lanes_to_rows<A>(out, 1, dst, count, table.n_out);
    return;
  }
  for (int r = 0; r < count; ++r) {
    const A* row = reinterpret_cast<const A*>(rows[r]);
    A* to = reinterpret_cast<A*>(dst[r]);
    if constexpr (sizeof(A) == 4) {
      if (table.pairs) {
        gather_pairs_row<Safe>(table, row, to);
        continue;
      }
      if (table.phases.pairs > 0) {
        phases_row<Safe>(table, row, to);
        continue;
      }
    }
    if (table.method == Method::gather) gather_row<A, Safe>(table, row, to);
    else permute_row<A, Safe>(table, row, to);
  }
}

}  // namespace ndresize::NDRESIZE_ISA
