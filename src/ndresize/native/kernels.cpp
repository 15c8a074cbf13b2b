// The kernels of one instruction set. This file is compiled once per set, NDRESIZE_ISA being its
// name. No standard templates in here: the linker keeps one copy of an inline function, and it must
// not be the one with instructions that the machine lacks.
#include "lerp.hpp"
#include "sum_products.hpp"
#include "sum_rows.hpp"
#include "sum_square.hpp"
#include "sum_taps.hpp"

namespace ndresize::NDRESIZE_ISA {

template <class T>
void load_row(const char* src, std::ptrdiff_t stride, void* dst, i64 n) {
  using A = Accumulator<T>;
  constexpr int N = lanes_of<A>, F = few_of<A>;
  char* to = static_cast<char*>(dst);
  i64 j = 0;
  if (stride == sizeof(T)) {
    for (; j + N <= n; j += N)
      store_lanes(to + j * i64(sizeof(A)), widen<T, N>(src + j * i64(sizeof(T))));
    for (; j + F <= n; j += F)
      store_lanes(to + j * i64(sizeof(A)), widen<T, F>(src + j * i64(sizeof(T))));
    if (j < n && n >= F) {
      store_lanes(to + (n - F) * i64(sizeof(A)), widen<T, F>(src + (n - F) * i64(sizeof(T))));
      return;
    }
  } else if constexpr (sizeof(T) == 4) {
    if (const i64 far = stride * F; far == static_cast<std::int32_t>(far))
      for (; j + F <= n; j += F)
        store_lanes(to + j * i64(sizeof(A)), widen_apart<T, F>(src + j * stride, static_cast<int>(stride)));
  }
  while (j < n) {
    const i64 count = n - j < F ? n - j : F;
    T part[F] = {};
    for (i64 k = 0; k < count; ++k) std::memcpy(&part[k], src + (j + k) * stride, sizeof(T));
    const V<A, F> x = widen<T, F>(part);
    std::memcpy(to + j * i64(sizeof(A)), &x, count * sizeof(A));
    j += count;
  }
}

template <class T, Rounding R>
void store_row(const void* src, char* dst, std::ptrdiff_t stride, i64 n) {
  using A = Accumulator<T>;
  constexpr int N = lanes_of<A>, F = few_of<A>;
  const char* from = static_cast<const char*>(src);
  i64 j = 0;
  if (stride == sizeof(T)) {
    for (; j + 4 * N <= n; j += 4 * N) {
      V<A, N> sum[4];
      for (int k = 0; k < 4; ++k) sum[k] = load_lanes<A, N>(from + (j + k * N) * i64(sizeof(A)));
      narrow_all<T, R>(dst + j * i64(sizeof(T)), sum);
    }
    for (; j + F <= n; j += F)
      narrow<T, R>(dst + j * i64(sizeof(T)), load_lanes<A, F>(from + j * i64(sizeof(A))));
    if (j < n && n >= F) {
      narrow<T, R>(dst + (n - F) * i64(sizeof(T)), load_lanes<A, F>(from + (n - F) * i64(sizeof(A))));
      return;
    }
  }
  while (j < n) {
    const i64 count = n - j < F ? n - j : F;
    A in[F] = {};
    std::memcpy(in, from + j * i64(sizeof(A)), count * sizeof(A));
    T part[F];
    narrow<T, R>(part, load_lanes<A, F>(in));
    for (i64 k = 0; k < count; ++k) std::memcpy(dst + (j + k) * stride, &part[k], sizeof(T));
    j += count;
  }
}

template <class T, Rounding R>
void settle_row(void* row, i64 n) {
  using A = Accumulator<T>;
  constexpr int F = few_of<A>;
  if constexpr (!std::is_same_v<T, A>) {
    T part[F];
    A* at = static_cast<A*>(row);
    i64 j = 0;
    for (; j + F <= n; j += F) {
      narrow<T, R>(part, load_lanes<A, F>(at + j));
      store_lanes(at + j, widen<T, F>(part));
    }
    if (j == n) return;
    A rest[F] = {};
    std::memcpy(rest, at + j, (n - j) * sizeof(A));
    narrow<T, R>(part, load_lanes<A, F>(rest));
    const V<A, F> x = widen<T, F>(part);
    std::memcpy(at + j, &x, (n - j) * sizeof(A));
  }
}

template <class T>
bool any_nan(const char* row, i64 n) {
  if constexpr (is_int<T>) {
    return false;
  } else {
    using A = Accumulator<T>;
    constexpr int F = few_of<A>;
    using I = std::conditional_t<sizeof(A) == 4, std::int32_t, std::int64_t>;
    V<I, F> found{};
    const auto look = [&](const void* p) {
      const V<A, F> x = widen<T, F>(p);
      found |= x != x;
    };
    if (n < F) {
      T part[F] = {};
      std::memcpy(part, row, n * sizeof(T));
      look(part);
    }
    for (i64 o = 0; o < n && n >= F; o += F) look(row + block_start(o, n, F) * i64(sizeof(T)));
    std::uint64_t parts[sizeof found / 8], any = 0;
    std::memcpy(parts, &found, sizeof found);
    for (const std::uint64_t part : parts) any |= part;
    return any != 0;
  }
}

// Choose the instantiation for a rounding rule; floats have none.
template <class T, class Call>
inline void with_rounding(Rounding rounding, Call call) {
  if constexpr (!is_int<T>) {
    call(std::integral_constant<Rounding, Rounding::half_even>{});
  } else {
    switch (rounding) {
      case Rounding::half_even: return call(std::integral_constant<Rounding, Rounding::half_even>{});
      case Rounding::half_away: return call(std::integral_constant<Rounding, Rounding::half_away>{});
      case Rounding::truncate: return call(std::integral_constant<Rounding, Rounding::truncate>{});
      case Rounding::half_up: return call(std::integral_constant<Rounding, Rounding::half_up>{});
      case Rounding::float32_half_even:
        if constexpr (sizeof(Accumulator<T>) == 8)
          return call(std::integral_constant<Rounding, Rounding::float32_half_even>{});
        else
          return call(std::integral_constant<Rounding, Rounding::half_even>{});
    }
  }
}

template <class A>
constexpr decltype(RowKernels::sum_square) square_kernel() {
  if constexpr (!std::is_same_v<A, float>) return nullptr;
  else
    return [](const RowTable& table, const char* const* rows, const char* const* next,
              const void* across, char* dst, bool safe) {
      const float* weights = static_cast<const float*>(across);
      float* to = reinterpret_cast<float*>(dst);
      if (table.lerp && safe) sum_square<true, true>(table, rows, next, weights, to);
      else if (table.lerp) sum_square<false, true>(table, rows, next, weights, to);
      else if (safe) sum_square<true, false>(table, rows, next, weights, to);
      else sum_square<false, false>(table, rows, next, weights, to);
    };
}

template <class T>
constexpr decltype(RowKernels::sum_rows_twice) two_sums_of_rows() {
  if constexpr (sizeof(Accumulator<T>) == 4)
    return [](const char* const* rows, bool wide_rows, const TwoSums& sums, char* const* dst, bool wide_dst,
              i64 n, Rounding rounding, bool stream) {
      with_rounding<T>(rounding, [&](auto r) {
        sum_rows_twice<T, decltype(r)::value>(rows, wide_rows, sums, dst, wide_dst, n, stream);
      });
    };
  else
    return nullptr;
}

template <class T>
constexpr bool has_products = is_int<T> && sizeof(T) <= 2 && !is_doubled<T>;

template <class T>
constexpr decltype(RowKernels::sum_products) products_of_rows() {
  if constexpr (has_products<T>)
    return [](const char* const* rows, bool wide_rows, const void* weights, Tree tree, char* dst,
              bool wide_dst, i64 n, Rounding rounding, bool stream) {
      const float* w = static_cast<const float*>(weights);
      with_rounding<T>(rounding, [&](auto r) {
        sum_products<T, decltype(r)::value>(rows, wide_rows, w, tree, dst, wide_dst, n, stream);
      });
    };
  else
    return nullptr;
}

template <class T>
constexpr decltype(RowKernels::sum_row_products) products_along_rows() {
  if constexpr (has_products<T>) return sum_row_products<T>;
  else return nullptr;
}

template <class T>
constexpr RowKernels row_kernels() {
  using A = Accumulator<T>;
  return {
      sizeof(T),
      sizeof(A),
      !std::is_same_v<T, A>,
      !is_int<T>,
      permutes<A>,
      few_of<A>,
      load_row<T>,
      [](const void* src, char* dst, std::ptrdiff_t stride, i64 n, Rounding rounding) {
        with_rounding<T>(rounding, [&](auto r) { store_row<T, decltype(r)::value>(src, dst, stride, n); });
      },
      [](void* row, i64 n, Rounding rounding) {
        with_rounding<T>(rounding, [&](auto r) { settle_row<T, decltype(r)::value>(row, n); });
      },
      [](const char* const* rows, bool wide_rows, const void* weights, int taps, char* dst,
         bool wide_dst, i64 n, Rounding rounding, bool safe, bool stream) {
        const A* w = static_cast<const A*>(weights);
        with_rounding<T>(rounding, [&](auto r) {
          constexpr Rounding R = decltype(r)::value;
          if constexpr (!is_int<T>) {
            if (safe) return sum_rows_any<T, true, R>(rows, wide_rows, w, taps, dst, wide_dst, n);
          }
          if constexpr (std::is_same_v<T, A>) {
            if (stream) return stream_rows<T>(rows, w, taps, dst, n);
          }
          sum_rows_any<T, false, R>(rows, wide_rows, w, taps, dst, wide_dst, n, stream);
        });
      },
      two_sums_of_rows<T>(),
      products_of_rows<T>(),
      products_along_rows<T>(),
      [](const char* const* rows, bool wide_rows, const void* weights, char* dst, bool wide_dst, i64 n,
         Rounding rounding) {
        const A w = static_cast<const A*>(weights)[1];
        with_rounding<T>(rounding, [&](auto r) {
          lerp_rows<T, decltype(r)::value>(rows, wide_rows, w, dst, wide_dst, n);
        });
      },
      [](const char* base, std::ptrdiff_t stride, const i64* starts, const int* counts,
         const void* weights, int taps, bool lerp, i64 from, i64 to, char* dst,
         std::ptrdiff_t dst_stride, bool wide_dst, i64 n, Rounding rounding, bool safe) {
        const A* w = static_cast<const A*>(weights);
        with_rounding<T>(rounding, [&](auto r) {
          constexpr Rounding R = decltype(r)::value;
          const auto sums = [&](auto guarded) {
            const char* rows[most_axis_taps];
            for (i64 i = from; i < to; ++i) {
              for (int t = 0; t < counts[i]; ++t) rows[t] = base + (starts[i] + t) * stride;
              if (lerp && counts[i] == 2) {
                lerp_rows<T, R>(rows, true, w[i * taps + 1], dst + i * dst_stride, wide_dst, n);
                continue;
              }
              sum_rows_any<T, decltype(guarded)::value, R>(rows, true, w + i * taps, counts[i],
                                                           dst + i * dst_stride, wide_dst, n);
            }
          };
          if constexpr (!is_int<T>) {
            if (safe) return sums(std::true_type{});
          }
          sums(std::false_type{});
        });
      },
      [](const RowTable& table, const char* const* rows, int count, char* const* dst, void* scratch,
         bool safe) {
        if constexpr (!is_int<T>) {
          if (safe && table.lerp) return lerp_taps<A, true>(table, rows, count, dst, scratch);
          if (safe) return sum_taps<A, true>(table, rows, count, dst, scratch);
        }
        if (table.lerp) return lerp_taps<A, false>(table, rows, count, dst, scratch);
        sum_taps<A, false>(table, rows, count, dst, scratch);
      },
      square_kernel<A>(),
      [](const char* const* rows, int count, char* lanes, i64 step, i64 n) {
        rows_to_lanes<A>(rows, count, reinterpret_cast<A*>(lanes), step, n);
      },
      [](const char* lanes, i64 step, char* const* rows, int count, i64 n) {
        lanes_to_rows<A>(reinterpret_cast<const A*>(lanes), step, rows, count, n);
      },
      any_nan<T>,
  };
}

static const Kernels all = {
    NDRESIZE_ISA_NAME,
    W,
    {row_kernels<float>(), row_kernels<double>(), row_kernels<Half>(), row_kernels<BFloat>(),
     row_kernels<std::uint8_t>(), row_kernels<std::int8_t>(), row_kernels<std::uint16_t>(),
     row_kernels<std::int16_t>(), row_kernels<std::uint32_t>(), row_kernels<std::int32_t>(),
     row_kernels<std::uint64_t>(), row_kernels<std::int64_t>(),
     row_kernels<Doubled<std::uint8_t>>(), row_kernels<Doubled<std::int8_t>>(),
     row_kernels<Doubled<std::uint16_t>>(), row_kernels<Doubled<std::int16_t>>(),
     row_kernels<Doubled<float>>()},
};

}  // namespace ndresize::NDRESIZE_ISA

const ndresize::Kernels& ndresize::NDRESIZE_KERNELS() { return ndresize::NDRESIZE_ISA::all; }
