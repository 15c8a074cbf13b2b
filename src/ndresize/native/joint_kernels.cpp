// Sums along several axes at once. Like kernels.cpp, compiled once per instruction set, without fused
// multiply-add and without standard templates.
#include "joint_kernels.hpp"

#include "vectors.hpp"

namespace ndresize::NDRESIZE_ISA {

// Eight bytes, each in a window of four whose highest it becomes by a shift of `left` bits.
template <class T>
inline V<float> bytes_of(const V<std::int32_t>& windows, const int* left) {
  const V<std::int32_t> high = windows << load_lanes<std::int32_t>(left);
  if constexpr (std::is_signed_v<T>) return __builtin_convertvector(high >> 24, V<float>);
  V<std::uint32_t> bits;
  std::memcpy(&bits, &high, sizeof bits);
  return __builtin_convertvector(__builtin_convertvector(bits >> 24, V<std::int32_t>), V<float>);
}

inline V<std::int32_t> gather_windows(const char* row, const int* place) {
#ifdef __AVX2__
  const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(place));
  const __m256i x = _mm256_i32gather_epi32(reinterpret_cast<const int*>(row), at, 1);
  V<std::int32_t> r;
  std::memcpy(&r, &x, sizeof r);
  return r;
#else
  V<std::int32_t> r;
  for (int k = 0; k < L; ++k) {
    const auto* p = reinterpret_cast<const unsigned char*>(row) + place[k];  // the first is the lowest
    r[k] = static_cast<std::int32_t>(p[0] | p[1] << 8 | p[2] << 16 | std::uint32_t(p[3]) << 24);
  }
  return r;
#endif
}

// Elements from..to - 1 of each tap as floats, from `dst[tap]` on; up to 7 more are written.
template <class T>
void spread_row(const char* row, const SpreadTable& table, i64 from, i64 to, float* const* dst) {
  for (i64 j = from; j < to; j += L) {
    if constexpr (sizeof(T) == 1) {
      V<std::int32_t> windows{};
      for (int t = 0; t < table.taps; ++t) {
        if (t % 2 == 0 || !table.shared) windows = gather_windows(row, table.place[t] + j);
        store_lanes(dst[t] + (j - from), bytes_of<T>(windows, table.left[t] + j));
      }
    } else {
      static_assert(sizeof(T) == 4);
      for (int t = 0; t < table.taps; ++t) {
        const V<float> bits = gather_lanes(reinterpret_cast<const float*>(row), table.place[t] + j);
        T x[L];
        std::memcpy(x, &bits, sizeof x);
        store_lanes(dst[t] + (j - from), __builtin_convertvector(load_lanes<T>(x), V<float>));
      }
    }
  }
}

// Elements side by side as floats; `dst` has room for up to 7 more.
template <class T>
void widen_row(const char* row, i64 n, float* dst) {
  for (i64 j = 0; j < n; j += L) {
    T x[L] = {};
    const i64 count = n - j < L ? n - j : L;
    std::memcpy(x, row + j * i64(sizeof(T)), (count < L ? count : L) * sizeof(T));
    if constexpr (sizeof(T) == 4)
      store_lanes(dst + j, __builtin_convertvector(load_lanes<T>(x), V<float>));
    else store_lanes(dst + j, widen<T>(x));
  }
}

template <class T, Rounding R>
inline void narrow_joint(void* p, V<float> x) {
  if constexpr (std::is_same_v<T, float>) {
    store_lanes(p, x);
  } else if constexpr (sizeof(T) == 4) {
    const V<float> low = splat(-2147483648.0f), high = splat(2147483520.0f);  // the last below 2**31
    x = x > low ? x : low;
    x = x < high ? x : high;
    if constexpr (R == Rounding::truncate)
      store_lanes(p, __builtin_convertvector(x, V<T>));
    else narrow<T, R>(p, __builtin_convertvector(x, V<double>));
  } else {
    narrow<T, R>(p, x);
  }
}

// Terms: their number where the compiler knows it, or 0. Both: whether `two` is not 1 throughout.
template <class T, Rounding R, int Terms, bool Both>
void sum_terms(const JointTerm* terms, int count, char* dst, i64 n, float plus) {
  V<float> one[Terms ? Terms : most_terms], two[Terms ? Terms : most_terms];
  const int all = Terms ? Terms : count;
  for (int t = 0; t < all; ++t) one[t] = splat(terms[t].one), two[t] = splat(terms[t].two);
  for (i64 j = 0; j < n; j += L) {
    V<float> sum{};
#pragma GCC unroll 8
    for (int t = 0; t < all; ++t) {
      V<float> weight = load_lanes<float>(terms[t].weights + j) * one[t];
      if constexpr (Both) weight = weight * two[t];
      V<float> x = load_lanes<float>(terms[t].samples + j);
      if constexpr (!is_int<T>) x = guard(x, weight);
      const V<float> product = weight * x;
      sum = t == 0 ? product : sum + product;
    }
    if constexpr (is_int<T>) sum = sum + plus;
    if (j + L <= n) {
      narrow_joint<T, R>(dst + j * i64(sizeof(T)), sum);
    } else {
      T part[L];
      narrow_joint<T, R>(part, sum);
      std::memcpy(dst + j * i64(sizeof(T)), part, (n - j) * sizeof(T));
    }
  }
}

template <class T, Rounding R>
void sum_rounded(const JointTerm* terms, int count, bool both, char* dst, i64 n, float plus) {
  if (both) {
    if (count == 8) return sum_terms<T, R, 8, true>(terms, count, dst, n, plus);
    return sum_terms<T, R, 0, true>(terms, count, dst, n, plus);
  }
  switch (count) {
    case 2: return sum_terms<T, R, 2, false>(terms, count, dst, n, plus);
    case 4: return sum_terms<T, R, 4, false>(terms, count, dst, n, plus);
    default: return sum_terms<T, R, 0, false>(terms, count, dst, n, plus);
  }
}

template <class T>
void sum_joint(const JointTerm* terms, int count, bool both, char* dst, i64 n, const JointStore& store) {
  const auto sum = [&](auto r) {
    sum_rounded<T, decltype(r)::value>(terms, count, both, dst, n, store.plus);
  };
  if constexpr (is_int<T>) {
    if (store.rounding == Rounding::half_away)
      return sum(std::integral_constant<Rounding, Rounding::half_away>{});
    if (store.rounding == Rounding::truncate)
      return sum(std::integral_constant<Rounding, Rounding::truncate>{});
  }
  sum(std::integral_constant<Rounding, Rounding::half_even>{});
}

template <class T>
constexpr JointKernels joint_kernels() {
  return {sizeof(T), spread_row<T>, widen_row<T>, sum_joint<T>};
}

static const JointKernels all_joint[type_count] = {
    joint_kernels<float>(), {}, {}, {}, joint_kernels<std::uint8_t>(), joint_kernels<std::int8_t>(), {},
    {}, {}, joint_kernels<std::int32_t>(),
};

}  // namespace ndresize::NDRESIZE_ISA

const ndresize::JointKernels* ndresize::NDRESIZE_KERNELS() { return ndresize::NDRESIZE_ISA::all_joint; }
