// 8-bit samples and fixed-point weights, one sum at a time: what every instruction set must equal.
//
// Weights are integers that count units of 2**-bits. Their products with 8-bit samples are summed in
// 32 bits, so every order of summation gives the same; the vector code multiplies 16-bit words in
// pairs. A weight of more than 16 bits is two digits, high * 2**16 + low, both signed.
#pragma once
#include "fixed_kernels.hpp"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace ndresize::NDRESIZE_ISA {

inline std::int32_t round_fixed(std::int32_t sum, const FixedStore& store) {
  if (store.half_even) sum += (sum >> store.shift) & 1;
  if (sum < store.split) sum += store.below;
  return (sum + store.half) >> store.shift;
}

inline std::int32_t scale_fixed(std::int32_t sum, float scale) {
  const float product = static_cast<float>(sum) * scale;
#ifdef __SSE2__
  return _mm_cvtss_si32(_mm_set_ss(product));
#else
  return static_cast<std::int32_t>(__builtin_nearbyintf(product));
#endif
}

inline std::uint8_t to_byte(std::int32_t sum, const FixedStore& store) {
  const std::int32_t x = store.scale != 0 ? scale_fixed(sum, store.scale) : round_fixed(sum, store);
  return static_cast<std::uint8_t>(x < 0 ? 0 : x > 255 ? 255 : x);
}

inline void store_one(std::int32_t sum, const FixedStore& store, char* dst, i64 j) {
  switch (store.format) {
    case Format::byte: reinterpret_cast<std::uint8_t*>(dst)[j] = to_byte(sum, store); break;
    case Format::word: reinterpret_cast<std::int16_t*>(dst)[j] = std::int16_t(sum >> store.shift); break;
    case Format::wide: reinterpret_cast<std::int32_t*>(dst)[j] = sum;
  }
}

}  // namespace ndresize::NDRESIZE_ISA
