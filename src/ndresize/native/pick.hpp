// Copies of samples: a row of a plan that picks and never sums.
#pragma once
#include "vectors.hpp"
#ifdef __SSSE3__
#include <immintrin.h>
#endif

namespace ndresize::NDRESIZE_ISA {

template <int Size>
inline void pick_blocks(const char* src, char* dst, const i64* index, i64 n) {
  for (i64 i = 0; i < n; ++i) std::memcpy(dst + i * Size, src + index[i] * Size, Size);
}

inline void pick_row(const char* src, char* dst, const i64* index, i64 n, i64 size) {
  switch (size) {
    case 1: return pick_blocks<1>(src, dst, index, n);
    case 2: return pick_blocks<2>(src, dst, index, n);
    case 3: return pick_blocks<3>(src, dst, index, n);
    case 4: return pick_blocks<4>(src, dst, index, n);
    case 6: return pick_blocks<6>(src, dst, index, n);
    case 8: return pick_blocks<8>(src, dst, index, n);
    case 12: return pick_blocks<12>(src, dst, index, n);
    case 16: return pick_blocks<16>(src, dst, index, n);
    default:
      for (i64 i = 0; i < n; ++i) std::memcpy(dst + i * size, src + index[i] * size, size);
  }
}

inline void stream_copy(const char* src, char* dst, i64 size) {
  i64 j = 0;
#ifdef __AVX2__
  const i64 before = (64 - reinterpret_cast<std::uintptr_t>(dst) % 64) % 64;
  if (size >= before + 64) {
    std::memcpy(dst, src, before);
    for (j = before; j + 64 <= size; j += 64) {
      const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src + j));
      const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src + j + 32));
      _mm256_stream_si256(reinterpret_cast<__m256i*>(dst + j), a);
      _mm256_stream_si256(reinterpret_cast<__m256i*>(dst + j + 32), b);
    }
  }
#endif
  std::memcpy(dst + j, src + j, size - j);
}

#ifdef __SSSE3__
template <int Windows>
inline void pick_windows(const char* src, char* dst, const ShuffleTable& table) {
  const __m128i* control = reinterpret_cast<const __m128i*>(table.control);
  for (i64 g = 0; g < table.groups; ++g, control += Windows) {
    const __m128i* from = reinterpret_cast<const __m128i*>(src + table.offset[g]);
    __m128i x = _mm_shuffle_epi8(_mm_loadu_si128(from), _mm_loadu_si128(control));
#pragma GCC unroll 4
    for (int w = 1; w < Windows; ++w)
      x = _mm_or_si128(x, _mm_shuffle_epi8(_mm_loadu_si128(from + w), _mm_loadu_si128(control + w)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst) + g, x);
  }
}

inline void pick_shuffle(const char* src, char* dst, const ShuffleTable& table) {
  switch (table.windows) {
    case 1: return pick_windows<1>(src, dst, table);
    case 2: return pick_windows<2>(src, dst, table);
    case 3: return pick_windows<3>(src, dst, table);
    default: return pick_windows<4>(src, dst, table);
  }
}
#endif

}  // namespace ndresize::NDRESIZE_ISA
