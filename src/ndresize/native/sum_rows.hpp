// A weighted sum of whole rows: a pass along any axis but the innermost.
#pragma once
#include "vectors.hpp"

namespace ndresize::NDRESIZE_ISA {

// A few vectors of sums stay in registers while the taps go by. Taps: their number where it is
// known to the compiler, or 0.
template <class T, bool WideRows, bool WideDst, bool Safe, Rounding R, int N, int Vectors, int Taps,
          bool Stream = false>
inline void sum_rows_block(const char* const* rows, const Accumulator<T>* weights, int taps,
                           char* dst, i64 j, bool past = false) {
  using A = Accumulator<T>;
  using Row = std::conditional_t<WideRows, A, T>;
  constexpr i64 in_size = sizeof(Row), out_size = WideDst ? sizeof(A) : sizeof(T);
  V<A, N> sum[Vectors] = {};
#pragma GCC unroll 4
  for (int t = 0; t < (Taps ? Taps : taps); ++t) {
    const V<A, N> w = splat<N>(weights[t]);
    const char* row = rows[t] + j * in_size;
#pragma GCC unroll 8
    for (int k = 0; k < Vectors; ++k)
      sum[k] = multiply_add<Safe>(w, widen<Row, N>(row + k * N * in_size), sum[k]);
  }
  char* p = dst + j * out_size;
  if constexpr (Stream) {
#pragma GCC unroll 8
    for (int k = 0; k < Vectors; ++k) stream_lanes(p + k * N * out_size, sum[k]);
  } else {
    narrow_all<std::conditional_t<WideDst, A, T>, R>(p, sum, past);
  }
}

template <class T, bool WideRows, bool WideDst, bool Safe, Rounding R, int Taps>
void sum_rows_of(const char* const* given, const Accumulator<T>* given_weights, int taps, char* dst,
                 i64 n, bool past = false) {
  using A = Accumulator<T>;
  // Of few taps copies are taken, which stores to `dst` cannot change: they stay in registers.
  const char* own[Taps ? Taps : 1];
  A own_weights[Taps ? Taps : 1];
  for (int t = 0; t < Taps; ++t) {
    // One by one: a load of two pointers at once would wait until they have reached the cache.
    own[t] = const_cast<const char* const volatile&>(given[t]);
    own_weights[t] = given_weights[t];
  }
  const char* const* rows = Taps ? own : given;
  const A* weights = Taps ? own_weights : given_weights;
  constexpr int N = lanes_of<A>, F = few_of<A>, many = 4;
  i64 j = 0;
  if constexpr (WideDst || std::is_same_v<T, A>) {
    // Vectors are stored from the first whole one of memory on; what lies before it is made twice.
    constexpr i64 vector = N * sizeof(A);
    const i64 over = static_cast<i64>(reinterpret_cast<std::uintptr_t>(dst) % vector);
    if (over % i64(sizeof(A)) == 0 && over > 0 && n >= many * N) {
      sum_rows_block<T, WideRows, WideDst, Safe, R, N, 1, Taps>(rows, weights, taps, dst, 0);
      j = (vector - over) / i64(sizeof(A));
    }
  }
  // Whole lines of the cache alone: one that is streamed in part is read again for the rest.
  past &= !WideDst && reinterpret_cast<std::uintptr_t>(dst) % 64 == 0;
  for (; j + many * N <= n; j += many * N)
    sum_rows_block<T, WideRows, WideDst, Safe, R, N, many, Taps>(rows, weights, taps, dst, j, past);
  for (; j + N <= n; j += N)
    sum_rows_block<T, WideRows, WideDst, Safe, R, N, 1, Taps>(rows, weights, taps, dst, j);
  if (N > F && j + F <= n) {
    sum_rows_block<T, WideRows, WideDst, Safe, R, F, 1, Taps>(rows, weights, taps, dst, j);
    j += F;
  }
  if (j == n) return;
  if (n >= F) {  // the last ones are made again, for parts of vectors are slow to write
    sum_rows_block<T, WideRows, WideDst, Safe, R, F, 1, Taps>(rows, weights, taps, dst, n - F);
    return;
  }
  // A short row runs through the same code on padded copies, so that it rounds the same.
  constexpr i64 in_size = WideRows ? sizeof(A) : sizeof(T), out_size = WideDst ? sizeof(A) : sizeof(T);
  using Row = std::conditional_t<WideRows, A, T>;
  const i64 rest = n - j;
  V<A, F> sum = {};
  for (int t = 0; t < taps; ++t) {
    char part[F * sizeof(A)] = {};
    std::memcpy(part, rows[t] + j * in_size, rest * in_size);
    sum = multiply_add<Safe>(splat<F>(weights[t]), widen<Row, F>(part), sum);
  }
  char part[F * sizeof(A)];
  narrow<std::conditional_t<WideDst, A, T>, R>(part, sum);
  std::memcpy(dst + j * out_size, part, rest * out_size);
}

template <class T, bool WideRows, bool WideDst, bool Safe, Rounding R>
void sum_rows(const char* const* rows, const Accumulator<T>* weights, int taps, char* dst, i64 n, bool past) {
  // Of types that are seldom summed there is the general form alone: each takes time to compile.
  if constexpr (sizeof(Accumulator<T>) == 4 || std::is_same_v<T, double>) {
    if (taps == 2) return sum_rows_of<T, WideRows, WideDst, Safe, R, 2>(rows, weights, taps, dst, n, past);
    if (taps == 4) return sum_rows_of<T, WideRows, WideDst, Safe, R, 4>(rows, weights, taps, dst, n, past);
  }
  sum_rows_of<T, WideRows, WideDst, Safe, R, 0>(rows, weights, taps, dst, n, past);
}

// Two neighbouring outputs at once: what both read is loaded and widened once. Each adds its taps in order.
template <class T, bool WideRows, bool WideDst, Rounding R, int N, int Vectors>
inline void sum_rows_twice_block(const char* const* rows, const TwoSums& sums, char* const* dst, i64 j,
                                 const bool (&past)[2] = {}) {
  using A = Accumulator<T>;
  using Row = std::conditional_t<WideRows, A, T>;
  using To = std::conditional_t<WideDst, A, T>;
  const A* weights[2] = {static_cast<const A*>(sums.weights[0]), static_cast<const A*>(sums.weights[1]) - sums.shift};
  V<A, N> first[Vectors] = {}, second[Vectors] = {};
  const auto add = [&](int t, auto to_first, auto to_second) __attribute__((always_inline)) {
    const char* row = rows[t] + j * i64(sizeof(Row));
#pragma GCC unroll 4
    for (int k = 0; k < Vectors; ++k) {
      const V<A, N> x = widen<Row, N>(row + k * N * i64(sizeof(Row)));
      if constexpr (to_first.value) first[k] = multiply_add<false>(splat<N>(weights[0][t]), x, first[k]);
      if constexpr (to_second.value) second[k] = multiply_add<false>(splat<N>(weights[1][t]), x, second[k]);
    }
  };
  constexpr std::true_type yes{};
  constexpr std::false_type no{};
  int t = 0;
  for (; t < sums.shift; ++t) add(t, yes, no);
  for (; t < sums.taps[0]; ++t) add(t, yes, yes);
  for (; t < sums.rows(); ++t) add(t, no, yes);
  narrow_all<To, R>(dst[0] + j * i64(sizeof(To)), first, past[0]);
  narrow_all<To, R>(dst[1] + j * i64(sizeof(To)), second, past[1]);
}

template <class T, bool WideRows, bool WideDst, Rounding R>
void sum_rows_twice_of(const char* const* rows, const TwoSums& sums, char* const* dst, i64 n, bool stream) {
  using A = Accumulator<T>;
  constexpr int N = lanes_of<A>, many = 4;
  const auto whole = [&](const char* p) { return stream && !WideDst && reinterpret_cast<std::uintptr_t>(p) % 64 == 0; };
  const bool past[2] = {whole(dst[0]), whole(dst[1])};
  i64 j = 0;
  for (; j + many * N <= n; j += many * N)
    sum_rows_twice_block<T, WideRows, WideDst, R, N, many>(rows, sums, dst, j, past);
  for (; j + N <= n; j += N) sum_rows_twice_block<T, WideRows, WideDst, R, N, 1>(rows, sums, dst, j);
  for (; j < n && n >= L; j += L)
    sum_rows_twice_block<T, WideRows, WideDst, R, L, 1>(rows, sums, dst, block_start(j, n));
  if (n >= L) return;
  for (int k = 0; k < 2; ++k)  // a short row
    sum_rows_of<T, WideRows, WideDst, false, R, 0>(rows + k * sums.shift, static_cast<const A*>(sums.weights[k]),
                                                   sums.taps[k], dst[k], n);
}

// Floats that go to memory past the caches, in whole lines of 64 bytes; what lies before the first and
// after the last line is stored as ever.
template <class T, int Taps>
void stream_rows_of(const char* const* rows, const T* weights, int taps, char* dst, i64 n) {
  constexpr auto R = Rounding::half_even;
  constexpr i64 size = sizeof(T);
  constexpr int N = lanes_of<T>, F = few_of<T>, line = 64 / size / N;  // vectors
  const i64 before = (64 - reinterpret_cast<std::uintptr_t>(dst) % 64) % 64 / size;
  if (reinterpret_cast<std::uintptr_t>(dst) % size != 0 || n < before + 2 * line * N)
    return sum_rows_of<T, true, true, false, R, Taps>(rows, weights, taps, dst, n);
  // Lines that are streamed must not be stored to as well: what lies beside them is copied exactly.
  char part[2 * F * size];
  const auto partly = [&](i64 from, i64 count) {
    for (i64 j = 0; j < count; j += F) {
      const i64 at = from + j + F <= n ? from + j : n - F;
      sum_rows_block<T, true, true, false, R, F, 1, Taps>(rows, weights, taps, part - at * size, at);
      const i64 skip = from + j - at, left = count - j < F - skip ? count - j : F - skip;
      std::memcpy(dst + (from + j) * size, part + skip * size, left * size);
    }
  };
  partly(0, before);
  i64 j = before;
  for (; j + 2 * line * N <= n; j += 2 * line * N)
    sum_rows_block<T, true, true, false, R, N, 2 * line, Taps, true>(rows, weights, taps, dst, j);
  for (; j + line * N <= n; j += line * N)
    sum_rows_block<T, true, true, false, R, N, line, Taps, true>(rows, weights, taps, dst, j);
  partly(j, n - j);
}

template <class T>
void stream_rows(const char* const* rows, const T* weights, int taps, char* dst, i64 n) {
  switch (taps) {
    case 2: return stream_rows_of<T, 2>(rows, weights, taps, dst, n);
    case 4: return stream_rows_of<T, 4>(rows, weights, taps, dst, n);
    default: return stream_rows_of<T, 0>(rows, weights, taps, dst, n);
  }
}

template <class T, bool Safe, Rounding R>
void sum_rows_any(const char* const* rows, bool wide_rows, const Accumulator<T>* weights, int taps,
                  char* dst, bool wide_dst, i64 n, bool past = false) {
  using A = Accumulator<T>;
  constexpr auto none = Rounding::half_even;  // nothing is rounded
  if constexpr (std::is_same_v<T, A>) {
    sum_rows<A, true, true, Safe, none>(rows, weights, taps, dst, n, past);
  } else if (wide_dst) {
    if (wide_rows) sum_rows<A, true, true, Safe, none>(rows, weights, taps, dst, n, past);
    else sum_rows<T, false, true, Safe, none>(rows, weights, taps, dst, n, past);
  } else {
    if (wide_rows) sum_rows<T, true, false, Safe, R>(rows, weights, taps, dst, n, past);
    else sum_rows<T, false, false, Safe, R>(rows, weights, taps, dst, n, past);
  }
}

template <class T, Rounding R>
void sum_rows_twice(const char* const* rows, bool wide_rows, const TwoSums& sums, char* const* dst, bool wide_dst,
                    i64 n, bool stream) {
  using A = Accumulator<T>;
  constexpr auto none = Rounding::half_even;
  if constexpr (std::is_same_v<T, A>) {
    sum_rows_twice_of<A, true, true, none>(rows, sums, dst, n, stream);
  } else if (wide_dst) {
    if (wide_rows) sum_rows_twice_of<A, true, true, none>(rows, sums, dst, n, stream);
    else sum_rows_twice_of<T, false, true, none>(rows, sums, dst, n, stream);
  } else {
    if (wide_rows) sum_rows_twice_of<T, true, false, R>(rows, sums, dst, n, stream);
    else sum_rows_twice_of<T, false, false, R>(rows, sums, dst, n, stream);
  }
}

}  // namespace ndresize::NDRESIZE_ISA
