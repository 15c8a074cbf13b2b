// Lanes of the accumulator, and how elements become lanes and lanes elements.
// Compiler vectors: the compiler lowers them to whatever the instruction set has.
#pragma once
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels.hpp"
#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace ndresize::NDRESIZE_ISA {

constexpr int L = 8;  // lanes
#ifdef __AVX512F__
constexpr int W = 16;  // lanes of floats where nothing but sums is done with them
#else
constexpr int W = 8;
#endif

template <class T, int N>
struct Lanes {
  typedef T type __attribute__((vector_size(N * sizeof(T))));
};
template <class T, int N = L>
using V = typename Lanes<T, N>::type;
using Floats = V<float, W>;
using Words = V<std::int32_t, W>;

// The type of a vector's lanes, how many there are, and vectors of as many others.
template <class X> using Lane = std::remove_reference_t<decltype(std::declval<X&>()[0])>;
template <class X> constexpr int lanes_in = sizeof(X) / sizeof(Lane<X>);
template <class T, class X> using As = V<T, lanes_in<X>>;
template <class X> using Integers = As<std::conditional_t<sizeof(Lane<X>) == 4, std::int32_t, std::int64_t>, X>;

struct Half { std::uint16_t bits; };
struct BFloat { std::uint16_t bits; };

// A small type whose sums are double, where a system's bits ask for it.
template <class T> struct Doubled { T value; };

template <class T> struct Stored { using type = T; };
template <class T> struct Stored<Doubled<T>> { using type = T; };
template <class T> constexpr bool is_doubled = !std::is_same_v<T, typename Stored<T>::type>;

template <class T> constexpr bool is_int = std::is_integral_v<typename Stored<T>::type>;
template <class T> constexpr bool is_small_float = std::is_same_v<T, Half> || std::is_same_v<T, BFloat>;

// What sums of T are computed in: float up to 16 bits, double above.
template <class T>
using Accumulator = std::conditional_t<
    std::is_same_v<T, double> || is_doubled<T> || (is_int<T> && sizeof(T) >= 4), double, float>;

// Lanes of the accumulator in the smallest vectors that rows are taken in, and in the widest. Doubles of
// AVX2 come by fours: the compiler keeps vectors of more than the machine has in memory.
#if defined(__AVX2__) && !defined(__AVX512F__)
template <class A> constexpr int few_of = sizeof(A) == 4 ? 8 : 4;
#else
template <class A> constexpr int few_of = 8;
#endif
template <class A> constexpr int lanes_of = sizeof(A) == 4 ? W : few_of<A>;

template <class T, int N = L>
inline V<T, N> load_lanes(const void* p) {
  V<T, N> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class X>
inline void store_lanes(void* p, const X& v) {
  std::memcpy(p, &v, sizeof v);
}
// The same past the caches, where the instruction set can; p is aligned to the vector.
template <class X>
inline void stream_lanes(void* p, const X& v) {
#ifdef __AVX512F__
  if constexpr (sizeof(X) == 64) {
    _mm512_stream_si512(static_cast<__m512i*>(p), reinterpret_cast<__m512i>(v));
    return;
  }
#endif
#ifdef __AVX2__
  __m256i part[sizeof(X) / 32];
  std::memcpy(part, &v, sizeof v);
  for (size_t k = 0; k < sizeof(X) / 32; ++k)
    _mm256_stream_si256(static_cast<__m256i*>(p) + k, part[k]);
#else
  store_lanes(p, v);
#endif
}
template <int N = L, class A>
inline V<A, N> splat(A x) {
  return x - V<A, N>{};
}

template <int N>
inline V<float, N> widen_bfloat(const void* p) {
  using Bits = V<std::uint32_t, N>;
  const Bits bits = __builtin_convertvector((load_lanes<std::uint16_t, N>(p)), Bits) << 16;
  V<float, N> v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

template <class X>
inline void narrow_bfloat(void* p, const X& x) {
  using Bits = As<std::uint32_t, X>;
  Bits bits;
  std::memcpy(&bits, &x, sizeof bits);
  const Bits even = bits + 0x7fffu + ((bits >> 16) & 1u);  // round half to even
  const Bits quiet = bits | 0x400000u;                     // NaN stays NaN
  const auto nan = (bits & 0x7fffffffu) > 0x7f800000u;
  const Bits chosen = nan ? quiet : even;
  store_lanes(p, __builtin_convertvector(chosen >> 16, As<std::uint16_t, X>));
}

#ifdef __F16C__
template <int N>
inline V<float, N> widen_half(const void* p) {
#ifdef __AVX512F__
  if constexpr (N == 16)
    return reinterpret_cast<V<float, N>>(_mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(p))));
#endif
  if constexpr (N == 8)
    return reinterpret_cast<V<float, N>>(_mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i*>(p))));
}
template <class X>
inline void narrow_half(void* p, const X& x) {
#ifdef __AVX512F__
  if constexpr (sizeof(X) == 64)
    _mm256_storeu_si256(static_cast<__m256i*>(p),
                        _mm512_cvtps_ph(reinterpret_cast<__m512>(x), _MM_FROUND_TO_NEAREST_INT));
#endif
  if constexpr (sizeof(X) == 32)
    _mm_storeu_si128(static_cast<__m128i*>(p),
                     _mm256_cvtps_ph(reinterpret_cast<__m256>(x), _MM_FROUND_TO_NEAREST_INT));
}
#else
inline float half_to_float(std::uint16_t h) {
  const std::uint32_t sign = std::uint32_t(h & 0x8000u) << 16;
  const std::uint32_t rest = h & 0x7fffu;
  std::uint32_t bits;
  float f;
  if (rest >= 0x7c00u) {
    bits = sign | 0x7f800000u | ((rest & 0x3ffu) << 13);
  } else if (rest >= 0x400u) {
    bits = sign | ((rest << 13) + 0x38000000u);
  } else {  // subnormal: rest * 2**-24
    f = float(rest) * 5.9604644775390625e-08f;
    std::memcpy(&bits, &f, 4);
    bits |= sign;
  }
  std::memcpy(&f, &bits, 4);
  return f;
}
inline std::uint16_t float_to_half(float f) {
  std::uint32_t bits;
  std::memcpy(&bits, &f, 4);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  bits &= 0x7fffffffu;
  if (bits > 0x7f800000u) return std::uint16_t(sign | 0x7e00u | ((bits >> 13) & 0x3ffu));
  if (bits >= 0x477ff000u) return std::uint16_t(sign | 0x7c00u);
  if (bits >= 0x38800000u) {
    const std::uint32_t even = bits + 0xfffu + ((bits >> 13) & 1u);
    return std::uint16_t(sign | ((even - 0x38000000u) >> 13));
  }
  // Subnormal: adding 1/2 makes the float adder round at the half's last bit.
  float magnitude;
  std::memcpy(&magnitude, &bits, 4);
  magnitude += 0.5f;
  std::memcpy(&bits, &magnitude, 4);
  return std::uint16_t(sign | (bits - 0x3f000000u));
}
template <int N>
inline V<float, N> widen_half(const void* p) {
  const auto h = load_lanes<std::uint16_t, N>(p);
  V<float, N> v;
  for (int i = 0; i < N; ++i) v[i] = half_to_float(h[i]);
  return v;
}
template <class X>
inline void narrow_half(void* p, const X& x) {
  As<std::uint16_t, X> h;
  for (int i = 0; i < lanes_in<X>; ++i) h[i] = float_to_half(x[i]);
  store_lanes(p, h);
}
#endif

// Four, eight or sixteen integers of 8 or 16 bits as 32-bit ones.
template <class T, int n>
inline V<std::int32_t, n> load_small(const void* p) {
  using Result = V<std::int32_t, n>;
#ifdef __AVX2__
  // By instructions of its own: the compiler takes bytes apart one by one.
  const auto from = [&] {
    __m128i x{};
    if constexpr (n * sizeof(T) <= 16) std::memcpy(&x, p, n * sizeof(T));
    return x;
  };
  const auto with = [&](auto bytes, auto signed_bytes, auto words, auto signed_words, auto x) {
    if constexpr (std::is_same_v<T, std::uint8_t>) return bytes(x);
    else if constexpr (std::is_same_v<T, std::int8_t>) return signed_bytes(x);
    else if constexpr (std::is_same_v<T, std::uint16_t>) return words(x);
    else return signed_words(x);
  };
  if constexpr (n == 4)
    return reinterpret_cast<Result>(with([](__m128i x) { return _mm_cvtepu8_epi32(x); },
                                        [](__m128i x) { return _mm_cvtepi8_epi32(x); },
                                        [](__m128i x) { return _mm_cvtepu16_epi32(x); },
                                        [](__m128i x) { return _mm_cvtepi16_epi32(x); }, from()));
  if constexpr (n == 8)
    return reinterpret_cast<Result>(with([](__m128i x) { return _mm256_cvtepu8_epi32(x); },
                                        [](__m128i x) { return _mm256_cvtepi8_epi32(x); },
                                        [](__m128i x) { return _mm256_cvtepu16_epi32(x); },
                                        [](__m128i x) { return _mm256_cvtepi16_epi32(x); }, from()));
#ifdef __AVX512F__
  if constexpr (n == 16 && sizeof(T) == 1)
    return reinterpret_cast<Result>(std::is_signed_v<T> ? _mm512_cvtepi8_epi32(from())
                                                       : _mm512_cvtepu8_epi32(from()));
  if constexpr (n == 16 && sizeof(T) == 2) {
    const __m256i x = _mm256_loadu_si256(static_cast<const __m256i*>(p));
    return reinterpret_cast<Result>(std::is_signed_v<T> ? _mm512_cvtepi16_epi32(x)
                                                       : _mm512_cvtepu16_epi32(x));
  }
#endif
#else
  return __builtin_convertvector((load_lanes<T, n>(p)), Result);
#endif
}

// Eight elements, or more, as accumulators.
template <class T, int N = L>
inline V<Accumulator<T>, N> widen(const void* p) {
  using A = Accumulator<T>;
  using S = typename Stored<T>::type;
  if constexpr (std::is_same_v<T, Half>) return widen_half<N>(p);
  else if constexpr (std::is_same_v<T, BFloat>) return widen_bfloat<N>(p);
  else if constexpr (std::is_same_v<T, A>) return load_lanes<A, N>(p);
  else if constexpr (sizeof(T) <= 2) return __builtin_convertvector((load_small<S, N>(p)), V<A, N>);
  else return __builtin_convertvector((load_lanes<S, N>(p)), V<A, N>);
}

// The same of four-byte elements that lie `stride` bytes apart.
template <class T, int N>
inline V<Accumulator<T>, N> widen_apart(const char* p, int stride) {
  static_assert(sizeof(T) == 4);
  T part[N];
#ifdef __AVX2__
  const auto gathered = [&](auto gather, auto first, auto step) {
    const auto x = gather(reinterpret_cast<const int*>(p), step * first);
    std::memcpy(part, &x, sizeof x);
  };
  const V<std::int32_t, N> steps = splat<N>(std::int32_t(stride));
  if constexpr (N == 8)
    gathered([](const int* from, auto at) { return _mm256_i32gather_epi32(from, reinterpret_cast<__m256i>(at), 1); },
             V<std::int32_t, N>{0, 1, 2, 3, 4, 5, 6, 7}, steps);
  else
    gathered([](const int* from, auto at) { return _mm_i32gather_epi32(from, reinterpret_cast<__m128i>(at), 1); },
             V<std::int32_t, N>{0, 1, 2, 3}, steps);
#else
  for (int k = 0; k < N; ++k) std::memcpy(&part[k], p + i64(k) * stride, sizeof(T));
#endif
  return widen<T, N>(part);
}

template <class T> constexpr double lowest_of = 0;
template <class T> constexpr double highest_of = 0;
template <> inline constexpr double highest_of<std::uint8_t> = 255;
template <> inline constexpr double lowest_of<std::int8_t> = -128;
template <> inline constexpr double highest_of<std::int8_t> = 127;
template <> inline constexpr double highest_of<std::uint16_t> = 65535;
template <> inline constexpr double lowest_of<std::int16_t> = -32768;
template <> inline constexpr double highest_of<std::int16_t> = 32767;
template <> inline constexpr double highest_of<std::uint32_t> = 4294967295.0;
template <> inline constexpr double lowest_of<std::int32_t> = -2147483648.0;
template <> inline constexpr double highest_of<std::int32_t> = 2147483647.0;
template <> inline constexpr double highest_of<std::uint64_t> = 18446744073709551616.0;  // one above
template <> inline constexpr double lowest_of<std::int64_t> = -9223372036854775808.0;
template <> inline constexpr double highest_of<std::int64_t> = 9223372036854775808.0;    // one above

// a < b ? a : b and a > b ? a : b, which are b where either is NaN; by the instruction that is just that.
template <class X>
inline X lesser(const X& a, const X& b) {
#ifdef __AVX512F__
  if constexpr (std::is_same_v<X, V<float, 16>>)
    return reinterpret_cast<X>(_mm512_min_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b)));
#endif
#ifdef __AVX2__
  if constexpr (std::is_same_v<X, V<float, 8>>)
    return reinterpret_cast<X>(_mm256_min_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b)));
#endif
  return a < b ? a : b;
}
template <class X>
inline X greater(const X& a, const X& b) {
#ifdef __AVX512F__
  if constexpr (std::is_same_v<X, V<float, 16>>)
    return reinterpret_cast<X>(_mm512_max_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b)));
#endif
#ifdef __AVX2__
  if constexpr (std::is_same_v<X, V<float, 8>>)
    return reinterpret_cast<X>(_mm256_max_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b)));
#endif
  return a > b ? a : b;
}

// Round sums to whole numbers within the limits of T, still as accumulators. Not for 64 bits.
template <class T, Rounding R, class X>
inline X round_lanes(X x) {
  using S = typename Stored<T>::type;
  using A = Lane<X>;
  constexpr int N = lanes_in<X>;
  const X low = splat<N>(A(lowest_of<S>)), high = splat<N>(A(highest_of<S>));
  if constexpr (R == Rounding::float32_half_even && sizeof(A) == 8)
    x = __builtin_convertvector(__builtin_convertvector(x, As<float, X>), X);
  x = lesser(greater(x, low), high);  // a NaN becomes the lowest value
  if constexpr (R != Rounding::half_away && R != Rounding::truncate) {
    // 1.5 * 2**23 or 2**52: the adder rounds at the units, half to even. |x| is far below it.
    const X magic = splat<N>(A(sizeof(A) == 4 ? 12582912.0 : 6755399441055744.0));
    const X even = (x + magic) - magic;
    if constexpr (R != Rounding::half_up) return even;
    else return even + (x - even == A(0.5) ? splat<N>(A(1)) : X{});
  } else {
    if constexpr (R == Rounding::half_away) {
      // The largest number below 1/2: adding 1/2 itself would carry 0.49999997 to 1.
      const X half = splat<N>(A(sizeof(A) == 4 ? double(0x1.fffffep-2f) : 0x1.fffffffffffffp-2));
      x = x + (x < 0 ? -half : half);
    }
    using I = std::conditional_t<std::is_same_v<S, std::uint32_t>, Integers<X>, As<std::int32_t, X>>;
    return __builtin_convertvector(__builtin_convertvector(x, I), X);
  }
}

template <class T, Rounding R>
inline T round_scalar(double x) {  // 64-bit integers
  if (!(x > lowest_of<T>)) return T(lowest_of<T>);
  if constexpr (R == Rounding::half_even) x = __builtin_nearbyint(x);
  else if constexpr (R == Rounding::float32_half_even) x = __builtin_nearbyint(double(float(x)));
  else if constexpr (R == Rounding::half_up) {
    const double even = __builtin_nearbyint(x);
    x = even + (x - even == 0.5);
  } else if constexpr (R == Rounding::half_away) x = __builtin_round(x);
  else x = __builtin_trunc(x);
  if (x >= highest_of<T>) return T(~T(0)) > 0 ? ~T(0) : T(~(T(1) << (8 * sizeof(T) - 1)));
  return T(x);
}

// Accumulators as elements.
template <class T, Rounding R, class X>
inline void narrow(void* p, const X& x) {
  using S = typename Stored<T>::type;
  if constexpr (std::is_same_v<T, Half>) narrow_half(p, x);
  else if constexpr (std::is_same_v<T, BFloat>) narrow_bfloat(p, x);
  else if constexpr (std::is_same_v<T, Lane<X>>) store_lanes(p, x);
  else if constexpr (!is_int<T>) store_lanes(p, __builtin_convertvector(x, As<float, X>));
  else if constexpr (sizeof(T) == 8) {
    As<T, X> v;
    for (int i = 0; i < lanes_in<X>; ++i) v[i] = round_scalar<T, R>(x[i]);
    store_lanes(p, v);
  } else {
    // By way of 32 bits with a sign, which all sets have instructions for.
    X whole = round_lanes<T, R>(x);
    constexpr bool above = std::is_same_v<S, std::uint32_t>;
    if constexpr (above) whole = whole - Lane<X>(2147483648.0);
    const auto words = __builtin_convertvector(whole, As<std::int32_t, X>);
    if constexpr (above) store_lanes(p, words ^ std::int32_t(-2147483648));
    else store_lanes(p, __builtin_convertvector(words, As<S, X>));
  }
}

#ifdef __AVX2__
// Four vectors of floats that T can hold, but for what packing saturates, rounded as the machine does.
template <class T, class X>
inline void pack_lanes(char* p, const X (&x)[4], bool stream) {
  const auto put = [&](char* to, auto v) {
    if (stream) stream_lanes(to, v);
    else store_lanes(to, v);
  };
  // Packing takes from each 128 bits in turn; the order of these is then put right.
#ifdef __AVX512BW__
  if constexpr (sizeof(X) == 64) {
    __m512i whole[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) whole[k] = _mm512_cvtps_epi32(reinterpret_cast<__m512>(x[k]));
    if constexpr (sizeof(T) == 1) {
      const __m512i a = _mm512_packs_epi32(whole[0], whole[1]), b = _mm512_packs_epi32(whole[2], whole[3]);
      const __m512i bytes = std::is_signed_v<T> ? _mm512_packs_epi16(a, b) : _mm512_packus_epi16(a, b);
      const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
      put(p, _mm512_permutexvar_epi32(order, bytes));
    } else {
      const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
#pragma GCC unroll 2
      for (int k = 0; k < 4; k += 2) {
        const __m512i words = std::is_signed_v<T> ? _mm512_packs_epi32(whole[k], whole[k + 1])
                                                  : _mm512_packus_epi32(whole[k], whole[k + 1]);
        put(p + k * 32, _mm512_permutexvar_epi64(order, words));
      }
    }
    return;
  }
#endif
  if constexpr (sizeof(X) == 32) {
    __m256i whole[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) whole[k] = _mm256_cvtps_epi32(reinterpret_cast<__m256>(x[k]));
    if constexpr (sizeof(T) == 1) {
      const __m256i a = _mm256_packs_epi32(whole[0], whole[1]), b = _mm256_packs_epi32(whole[2], whole[3]);
      const __m256i bytes = std::is_signed_v<T> ? _mm256_packs_epi16(a, b) : _mm256_packus_epi16(a, b);
      put(p, _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
    } else {
#pragma GCC unroll 2
      for (int k = 0; k < 4; k += 2) {
        const __m256i words = std::is_signed_v<T> ? _mm256_packs_epi32(whole[k], whole[k + 1])
                                                  : _mm256_packus_epi32(whole[k], whole[k + 1]);
        put(p + k * 16, _mm256_permute4x64_epi64(words, 0xd8));
      }
    }
  }
}
#endif

// Several vectors of sums as elements. Sums that become small integers are packed together; the machine
// rounds halves to even, and packing saturates.
template <class T, Rounding R, class X, int Count>
inline void narrow_all(char* p, const X (&sum)[Count], [[maybe_unused]] bool stream = false) {
#ifdef __AVX2__
  if constexpr (is_int<T> && sizeof(T) <= 2 && sizeof(Lane<X>) == 4 && Count == 4) {
    const X high = splat<lanes_in<X>>(float(highest_of<T>));
    X x[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      // What no 32 bits hold would become the lowest number, as a NaN does.
      if constexpr (R == Rounding::half_even) x[k] = lesser(high, sum[k]);
      else x[k] = round_lanes<T, R>(sum[k]);
    }
    pack_lanes<T>(p, x, stream);
    return;
  }
#endif
#pragma GCC unroll 4
  for (int k = 0; k < Count; ++k) narrow<T, R>(p + k * lanes_in<X> * i64(sizeof(T)), sum[k]);
}

// x where the weight is not zero, else a zero of x's sign: what a product by zero is for every
// finite x, so that NaN and infinity do not enter and all other sums stay the same to the bit.
template <class X>
inline X guard(const X& x, const X& weight) {
  using I = Integers<X>;
  I bits;
  std::memcpy(&bits, &x, sizeof bits);
  const I sign = bits & (Lane<I>(1) << (8 * sizeof(Lane<I>) - 1));
  const I kept = weight == Lane<X>(0) ? sign : bits;
  X r;
  std::memcpy(&r, &kept, sizeof r);
  return r;
}

template <bool Safe, class X>
inline X multiply_add(const X& w, X x, const X& sum) {
  if constexpr (Safe) x = guard(x, w);
  return w * x + sum;  // one fused multiply-add where the instruction set has it
}

// Whether there are instructions for that; without, the compiler picks lane by lane, through memory.
#if defined(__AVX512F__) || !defined(__x86_64__)
template <class A> constexpr bool permutes = true;
#elif defined(__AVX2__)
template <class A> constexpr bool permutes = sizeof(A) == 4;
#else
template <class A> constexpr bool permutes = false;
#endif

// Samples of up to two vectors at `index`, which counts on from the first into the second.
template <class X>
inline X pick_lanes(const X& a, const As<std::int32_t, X>& index) {
  return __builtin_shuffle(a, __builtin_convertvector(index, Integers<X>));
}
template <class X>
inline X pick_lanes(const X& a, const X& b, const As<std::int32_t, X>& index) {
  return __builtin_shuffle(a, b, __builtin_convertvector(index, Integers<X>));
}

// Neighbouring samples of a row in one, two or four vectors, of which a vector can be picked.
template <class A, int N, int Vectors>
struct Window;
template <class A, int N>
struct Window<A, N, 1> {
  explicit Window(const A* p) : x(load_lanes<A, N>(p)) {}
  V<A, N> pick(const V<std::int32_t, N>& index) const { return pick_lanes(x, index); }
  V<A, N> x;
};
template <class A, int N>
struct Window<A, N, 2> {
  explicit Window(const A* p) : low(load_lanes<A, N>(p)), high(load_lanes<A, N>(p + N)) {}
  V<A, N> pick(const V<std::int32_t, N>& index) const { return pick_lanes(low, high, index); }
  V<A, N> low, high;
};
template <class A, int N>
struct Window<A, N, 4> {
  explicit Window(const A* p) : low(p), high(p + 2 * N) {}
  V<A, N> pick(const V<std::int32_t, N>& index) const {
    const auto in_high = __builtin_convertvector(index, Integers<V<A, N>>) >= 2 * N;
    return in_high ? high.pick(index - 2 * N) : low.pick(index);
  }
  Window<A, N, 2> low, high;
};
#ifdef __AVX512F__
// Two vectors of 16 lanes, of which 8 are picked.
template <>
struct Window<float, 8, 4> {
  explicit Window(const float* p) : all(p) {}
  V<float> pick(const V<std::int32_t>& index) const {
    const __m512i at = _mm512_castsi256_si512(reinterpret_cast<__m256i>(index));
    const auto picked = all.pick(reinterpret_cast<V<std::int32_t, 16>>(at));
    return reinterpret_cast<V<float>>(_mm512_castps512_ps256(reinterpret_cast<__m512>(picked)));
  }
  Window<float, 16, 2> all;
};
#endif

// Pairs of neighbours from eight places of a row, the first of each and the second of each. `index`
// has the places in the order 0 1 4 5 2 3 6 7, in which two vectors of four pairs fall apart so.
inline void gather_pairs(const float* row, const int* index, V<float>& first, V<float>& second) {
#ifdef __AVX2__
  // Loads of pairs: a gather of as many takes longer, and several times as long where processors are
  // guarded against its leaks.
  const auto two = [&](const int* at) {
    const __m128i x = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + at[0]));
    return _mm_loadh_pi(_mm_castsi128_ps(x), reinterpret_cast<const __m64*>(row + at[1]));
  };
  const auto pairs = [&](const int* at) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(two(at)), two(at + 2), 1);
  };
  const __m256 a = pairs(index), b = pairs(index + 4);
  const __m256 x = _mm256_shuffle_ps(a, b, 0x88), y = _mm256_shuffle_ps(a, b, 0xdd);
  std::memcpy(&first, &x, sizeof x);
  std::memcpy(&second, &y, sizeof y);
#else
  constexpr int lane[L] = {0, 1, 4, 5, 2, 3, 6, 7};
  for (int k = 0; k < L; ++k) {
    float pair[2];
    std::memcpy(pair, reinterpret_cast<const char*>(row) + i64(index[k]) * 4, sizeof pair);
    first[lane[k]] = pair[0];
    second[lane[k]] = pair[1];
  }
#endif
}

// Keep the compiler from fusing what made x with what takes it.
template <class X>
inline void hold(X& x) {
#ifdef __AVX512F__
  if constexpr (sizeof(X) == 64) {
    asm volatile("" : "+v"(x));
    return;
  }
#endif
#ifdef __AVX__
  if constexpr (sizeof(X) == 32 || sizeof(X) == 16) {
    asm volatile("" : "+x"(x));
    return;
  }
#endif
  asm volatile("" : "+m"(x));
}

// Samples from several places of a row.
template <class A, int N = few_of<A>>
inline V<A, N> gather_lanes(const A* row, const int* index) {
#ifdef __AVX2__
  if constexpr (sizeof(A) == 4) {
    const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index));
    return reinterpret_cast<V<A, N>>(_mm256_i32gather_ps(row, at, 4));
  } else if constexpr (N == 4) {
    // Loads in pairs, for the reason given at gather_pairs.
    const auto two = [&](const int* at) {
      const __m128i x = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + at[0]));
      return _mm_loadh_pd(_mm_castsi128_pd(x), row + at[1]);
    };
    return reinterpret_cast<V<A, N>>(_mm256_insertf128_pd(_mm256_castpd128_pd256(two(index)), two(index + 2), 1));
  }
#endif
  V<A, N> r;
  for (int k = 0; k < N; ++k) {
    A x;  // a row need not be aligned
    std::memcpy(&x, reinterpret_cast<const char*>(row) + i64(index[k]) * i64(sizeof(A)), sizeof x);
    r[k] = x;
  }
  return r;
}

}  // namespace ndresize::NDRESIZE_ISA
