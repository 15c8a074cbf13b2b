// Copies of samples: a row of a plan that picks and never sums.
#pragma once
#include <cstring>

#include "byte_order.hpp"
#include "pick_kernels.hpp"

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
    if (before) std::memcpy(dst, src, before);
    for (j = before; j + 64 <= size; j += 64)
      for (i64 k = 0; k < 64; k += B) store_past(dst + j + k, load(src + j + k));
  }
#endif
  if (j < size) std::memcpy(dst + j, src + j, size - j);
}

#ifdef __AVX2__
constexpr int pick_group = B, pick_window = window_bytes;

template <int Windows>
inline void pick_windows(const ShuffleTable& table, const char* const* src, char* const* dst, int count) {
  using Order = ByteOrder<1, Windows>;
  for (i64 g = 0; g < table.groups; ++g) {
    const Order order(table.offset + g * Order::parts, table.control + g * Order::controls * B);
    for (int r = 0; r < count; ++r) store(dst[r] + g * B, order.take(order.read(src[r]), 0));
  }
}

inline void pick_shuffle(const ShuffleTable& table, const char* const* src, char* const* dst, int count) {
  switch (table.windows) {
    case 1: return pick_windows<1>(table, src, dst, count);
    case 2: return pick_windows<2>(table, src, dst, count);
    case 3: return pick_windows<3>(table, src, dst, count);
    default: return pick_windows<4>(table, src, dst, count);
  }
}
#else
constexpr int pick_group = 0, pick_window = 0;

inline void pick_shuffle(const ShuffleTable&, const char* const*, char* const*, int) {}
#endif

}  // namespace ndresize::NDRESIZE_ISA
