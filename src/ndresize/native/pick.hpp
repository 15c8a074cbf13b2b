// Copies of samples: a row of a plan that picks and never sums.
#pragma once
#include <algorithm>
#include <cstring>
#include <type_traits>

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

// Vectors that fill a line of the cache are made before any is written: a line that is written in parts, with
// others between them, goes to memory in parts.
template <int Windows>
inline void pick_windows_past(const ShuffleTable& table, const char* src, char* dst, const i64* place, i64 count) {
  using Order = ByteOrder<1, Windows>;
  constexpr int of_line = 64 / B;
  for (i64 g = 0; g < table.groups; g += of_line) {
    const int n = static_cast<int>(std::min<i64>(of_line, table.groups - g));
    Word x[of_line];
    for (int k = 0; k < n; ++k) {
      const Order order(table.offset + (g + k) * Order::parts, table.control + (g + k) * Order::controls * B);
      x[k] = order.take(order.read(src), 0);
    }
    for (i64 p = 0; p < count; ++p)
      for (int k = 0; k < n; ++k) store_past(dst + place[p] + (g + k) * B, x[k]);
  }
}

// What `call` does with the number of windows.
template <class Call>
inline void with_windows(int windows, Call call) {
  switch (windows) {
    case 1: return call(std::integral_constant<int, 1>());
    case 2: return call(std::integral_constant<int, 2>());
    case 3: return call(std::integral_constant<int, 3>());
    default: return call(std::integral_constant<int, 4>());
  }
}

inline void pick_shuffle(const ShuffleTable& table, const char* const* src, char* const* dst, int count) {
  with_windows(table.windows, [&](auto windows) { pick_windows<windows>(table, src, dst, count); });
}

inline void pick_shuffle_past(const ShuffleTable& table, const char* src, char* dst, const i64* place, i64 count) {
  with_windows(table.windows, [&](auto windows) { pick_windows_past<windows>(table, src, dst, place, count); });
}
#else
constexpr int pick_group = 0, pick_window = 0;

inline void pick_shuffle(const ShuffleTable&, const char* const*, char* const*, int) {}
inline void pick_shuffle_past(const ShuffleTable&, const char*, char*, const i64*, i64) {}
#endif

}  // namespace ndresize::NDRESIZE_ISA
