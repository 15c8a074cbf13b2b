// Weighted sums of four products in the order and tree that a plan says, along rows and across them.
#pragma once
#include "phases.hpp"

namespace ndresize::NDRESIZE_ISA {

// w * x + sum, rounded once: by the instruction itself, for the compiler does not fuse a product that
// another tree takes as well; where there is none, in double, which holds the product.
template <class X>
inline X fused(const X& w, const X& x, const X& sum) {
#ifdef __FMA__
  if constexpr (sizeof(X) == 16)
    return reinterpret_cast<X>(_mm_fmadd_ps(reinterpret_cast<__m128>(w), reinterpret_cast<__m128>(x),
                                            reinterpret_cast<__m128>(sum)));
#ifdef __AVX512F__
  else
    return reinterpret_cast<X>(_mm512_fmadd_ps(reinterpret_cast<__m512>(w), reinterpret_cast<__m512>(x),
                                               reinterpret_cast<__m512>(sum)));
#else
  else
    return reinterpret_cast<X>(_mm256_fmadd_ps(reinterpret_cast<__m256>(w), reinterpret_cast<__m256>(x),
                                               reinterpret_cast<__m256>(sum)));
#endif
#else
  using Doubles = As<double, X>;
  const auto wide = [](const X& v) { return __builtin_convertvector(v, Doubles); };
  return __builtin_convertvector(wide(w) * wide(x) + wide(sum), X);
#endif
}

template <Tree How, class X>
inline X sum_tree(const X (&w)[4], const X (&x)[4]) {
  X first = w[0] * x[0];
  hold(first);
  if constexpr (How == Tree::chain) {
    return fused(w[3], x[3], fused(w[2], x[2], fused(w[1], x[1], first)));
  } else {
    X second = w[2] * x[2];
    hold(second);
    if constexpr (How == Tree::fused_halves) {
      first = fused(w[1], x[1], first);
      second = fused(w[3], x[3], second);
    } else {
      X b = w[1] * x[1], d = w[3] * x[3];
      hold(b), hold(d);
      first = first + b;
      second = second + d;
    }
    hold(first), hold(second);
    return first + second;
  }
}

inline Floats sum_mixed(const Floats (&w)[4], const Floats (&x)[4], const Words& trees) {
  const Floats chain = sum_tree<Tree::chain>(w, x), halves = sum_tree<Tree::halves>(w, x);
  const Floats both = sum_tree<Tree::fused_halves>(w, x);
  const Floats rest = trees == int(Tree::halves) ? halves : both;
  return trees == int(Tree::chain) ? chain : rest;
}

constexpr int most_vectors = 4;  // of sums at a time

// dst[j] for most_vectors * W sums from j on.
template <class T, bool WideRows, bool WideDst, Rounding R, Tree How>
inline void sum_products_block(const char* const* rows, const Floats (&w)[4], char* dst, i64 j,
                               bool stream) {
  using Row = std::conditional_t<WideRows, float, T>;
  Floats sum[most_vectors];
#pragma GCC unroll 4
  for (int k = 0; k < most_vectors; ++k) {
    Floats x[4];
#pragma GCC unroll 4
    for (int t = 0; t < 4; ++t) x[t] = widen<Row, W>(rows[t] + (j + k * W) * i64(sizeof(Row)));
    sum[k] = sum_tree<How>(w, x);
  }
  if constexpr (WideDst) std::memcpy(dst + j * 4, sum, sizeof sum);
  else narrow_all<T, R>(dst + j * i64(sizeof(T)), sum, stream);
}

template <class T, bool WideRows, bool WideDst, Rounding R, Tree How>
void sum_products_of(const char* const* rows, const float* weights, char* dst, i64 n, bool stream) {
  constexpr i64 in_size = WideRows ? sizeof(float) : sizeof(T);
  constexpr i64 out_size = WideDst ? sizeof(float) : sizeof(T);
  constexpr i64 many = most_vectors * W;
  const Floats w[4] = {splat<W>(weights[0]), splat<W>(weights[1]), splat<W>(weights[2]),
                       splat<W>(weights[3])};
  // What is not a whole block runs through the same code and is then copied: the end of a long row
  // with sums before it, a short row with padding.
  char part[many * out_size];
  const auto rest = [&](i64 from) {
    const i64 count = n - from;
    if (n >= many) {
      const i64 at = n - many;
      sum_products_block<T, WideRows, WideDst, R, How>(rows, w, part - at * out_size, at, false);
      std::memcpy(dst + from * out_size, part + (from - at) * out_size, count * out_size);
      return;
    }
    char padded[4][many * in_size] = {};
    const char* copies[4];
    for (int t = 0; t < 4; ++t) {
      std::memcpy(padded[t], rows[t] + from * in_size, count * in_size);
      copies[t] = padded[t];
    }
    sum_products_block<T, WideRows, WideDst, R, How>(copies, w, part, 0, false);
    std::memcpy(dst + from * out_size, part, count * out_size);
  };
  // Whole lines of the cache alone: one that is streamed in part is read again for the rest.
  stream &= !WideDst && reinterpret_cast<std::uintptr_t>(dst) % 64 == 0;
  i64 j = 0;
  for (; j + many <= n; j += many)
    sum_products_block<T, WideRows, WideDst, R, How>(rows, w, dst, j, stream);
  if (j < n) rest(j);
}

template <class T, Rounding R>
void sum_products(const char* const* rows, bool wide_rows, const float* weights, Tree tree, char* dst,
                  bool wide_dst, i64 n, bool stream) {
  const auto with = [&](auto how) {
    constexpr Tree How = decltype(how)::value;
    constexpr auto even = Rounding::half_even;  // sums that stay wide are not rounded
    if (wide_dst) {
      if (wide_rows) sum_products_of<T, true, true, even, How>(rows, weights, dst, n, stream);
      else sum_products_of<T, false, true, even, How>(rows, weights, dst, n, stream);
    } else {
      if (wide_rows) sum_products_of<T, true, false, R, How>(rows, weights, dst, n, stream);
      else sum_products_of<T, false, false, R, How>(rows, weights, dst, n, stream);
    }
  };
  switch (tree) {
    case Tree::chain: return with(std::integral_constant<Tree, Tree::chain>{});
    case Tree::halves: return with(std::integral_constant<Tree, Tree::halves>{});
    default: return with(std::integral_constant<Tree, Tree::fused_halves>{});
  }
}

// Samples from W places of a row.
inline Floats gather_words(const float* row, const Words& index) {
#ifdef __AVX512F__
  __m512i at;
  std::memcpy(&at, &index, sizeof at);
  const __m512 x = _mm512_i32gather_ps(at, row, 4);
  Floats r;
  std::memcpy(&r, &x, sizeof r);
  return r;
#else
  return gather_lanes(row, reinterpret_cast<const int*>(&index));
#endif
}

// W outputs of up to 8 rows. Their samples lie in two or three vectors from the start of a window on,
// or anywhere.
enum class Samples { two_vectors, three_vectors, anywhere };

template <Tree How, Samples Where>
inline void product_lanes(const Words (&at)[4], const Floats (&w)[4], const Words& trees, i64 start,
                          const char* const* rows, int count, char* const* dst, i64 to, i64 n) {
  for (int r = 0; r < count; ++r) {
    const float* row = reinterpret_cast<const float*>(rows[r]) + start;
    Floats x[4];
    if constexpr (Where == Samples::anywhere) {
#pragma GCC unroll 4
      for (int t = 0; t < 4; ++t) x[t] = gather_words(row, at[t]);
    } else {
      const Floats low = load_lanes<float, W>(row), high = load_lanes<float, W>(row + W);
#pragma GCC unroll 4
      for (int t = 0; t < 4; ++t) x[t] = __builtin_shuffle(low, high, at[t]);
      if constexpr (Where == Samples::three_vectors) {
        const Floats last = load_lanes<float, W>(row + 2 * W);
#pragma GCC unroll 4
        for (int t = 0; t < 4; ++t) x[t] = at[t] < 2 * W ? x[t] : __builtin_shuffle(last, at[t]);
      }
    }
    Floats sum;
    if constexpr (How == Tree::mixed) sum = sum_mixed(w, x, trees);
    else sum = sum_tree<How>(w, x);
    if (n == W) std::memcpy(dst[r] + to * 4, &sum, sizeof sum);
    else std::memcpy(dst[r] + to * 4, &sum, n * 4);
  }
}

template <Samples Where>
void product_rows(const RowTable& table, const char* const* rows, int count, char* const* dst) {
  other_blocks(table, (table.n_out + W - 1) / W, [&](i64 b) {
    const int* index = table.index + b * 4 * W;
    const float* weights = static_cast<const float*>(table.lanes) + b * 4 * W;
    Words at[4];
    Floats w[4];
#pragma GCC unroll 4
    for (int t = 0; t < 4; ++t) {
      at[t] = load_lanes<std::int32_t, W>(index + t * W);
      w[t] = load_lanes<float, W>(weights + t * W);
    }
    const i64 left = table.n_out - b * W, n = left < W ? left : W;
    const i64 start = table.window_start[b];
    const auto with = [&](auto how, const Words& trees) {
      product_lanes<decltype(how)::value, Where>(at, w, trees, start, rows, count, dst, b * W, n);
    };
    switch (table.block_trees[b]) {
      case Tree::chain: with(std::integral_constant<Tree, Tree::chain>{}, Words{}); break;
      case Tree::halves: with(std::integral_constant<Tree, Tree::halves>{}, Words{}); break;
      case Tree::fused_halves: with(std::integral_constant<Tree, Tree::fused_halves>{}, Words{}); break;
      case Tree::mixed:
        with(std::integral_constant<Tree, Tree::mixed>{}, load_lanes<std::int32_t, W>(table.lane_trees + b * W));
    }
  });
}

inline void product_phases(const RowTable& table, const char* const* rows, int count, char* const* dst) {
  const auto with = [&](auto how) {
    for (int r = 0; r < count; ++r)
      sum_phases<4>(table, reinterpret_cast<const float*>(rows[r]), reinterpret_cast<float*>(dst[r]),
                    [](const auto& w, const auto& x) __attribute__((always_inline)) {
                      return sum_tree<decltype(how)::value>(w, x);
                    });
  };
  switch (table.phases.tree) {
    case Tree::chain: return with(std::integral_constant<Tree, Tree::chain>{});
    case Tree::halves: return with(std::integral_constant<Tree, Tree::halves>{});
    default: with(std::integral_constant<Tree, Tree::fused_halves>{});
  }
}

// Pixels of three or four channels, one at a time: every tap is one load, wherever it is. Four sums
// are stored, of which the last may be the next pixel's.
template <class Row>
void product_pixels(const RowTable& table, const char* const* rows, int count, char* const* dst) {
  const i64 channels = table.channels, pixels = table.n_out / channels;
  const float* weights = static_cast<const float*>(table.lanes);
  for (int r = 0; r < count; ++r) {
    char* to = dst[r];
    const int* index = table.index;
    for (i64 o = 0; o < pixels; ++o, index += 4, to += channels * 4) {
      V<float, 4> w[4], x[4];
#pragma GCC unroll 4
      for (int t = 0; t < 4; ++t) {
        const char* from = rows[r] + index[t] * i64(sizeof(Row));
        char part[4 * sizeof(Row)] = {};
        if (o >= table.whole_pixels) std::memcpy(part, from, channels * sizeof(Row)), from = part;
        x[t] = widen<Row, 4>(from);
        w[t] = splat<4>(weights[o * 4 + t]);
      }
      V<float, 4> sum;
      switch (table.block_trees[o]) {
        case Tree::chain: sum = sum_tree<Tree::chain>(w, x); break;
        case Tree::halves: sum = sum_tree<Tree::halves>(w, x); break;
        default: sum = sum_tree<Tree::fused_halves>(w, x);
      }
      if (o + 1 < pixels) std::memcpy(to, &sum, sizeof sum);
      else std::memcpy(to, &sum, channels * 4);
    }
  }
}

// Up to 8 rows; of floats, but that pixels are taken from elements as well.
template <class T>
void sum_row_products(const RowTable& table, const char* const* rows, bool wide_rows, int count,
                      char* const* dst) {
  if (table.phases.pairs > 0) product_phases(table, rows, count, dst);
  switch (table.method) {
    case Method::permute:
      if (table.window == 2 * W) return product_rows<Samples::two_vectors>(table, rows, count, dst);
      return product_rows<Samples::three_vectors>(table, rows, count, dst);
    case Method::pixels:
      if (wide_rows) return product_pixels<float>(table, rows, count, dst);
      return product_pixels<T>(table, rows, count, dst);
    default: product_rows<Samples::anywhere>(table, rows, count, dst);
  }
}

}  // namespace ndresize::NDRESIZE_ISA
