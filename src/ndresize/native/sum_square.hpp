// Two taps along two rows at once, where each row is read for one output row alone: the sums along them
// go through no memory, and the two rows are fetched together. Memory is what such rows wait for: while
// two are summed the next two are on their way.
#pragma once
#include "lerp.hpp"

namespace ndresize::NDRESIZE_ISA {

template <bool Safe, bool Lerp>
inline void sum_square(const RowTable& table, const char* const* rows, const char* const* next,
                       const float* across, float* dst) {
  const float *upper = reinterpret_cast<const float*>(rows[0]), *lower = reinterpret_cast<const float*>(rows[1]);
  const int* index = table.index;
  const float* weights = static_cast<const float*>(table.lanes);
  const V<float> first_row = splat(across[0]), second_row = splat(across[1]);
  const i64 each = table.n_in * i64(sizeof(float)) * L / table.n_out;  // bytes that eight outputs take
  i64 fetched = 0, end = 0;
  store_blocks<float>(dst, table.n_out, [&]() __attribute__((always_inline)) {
    for (end += each; fetched < end; fetched += 64) {
      __builtin_prefetch(next[0] + fetched);
      __builtin_prefetch(next[1] + fetched);
    }
    const auto along = [&](const float* row) {
      V<float> first, second, sum{};
      gather_pairs(row, index, first, second);
      if constexpr (Lerp) return lerp_pairs<Safe>(first, second, load_lanes<float>(weights));
      sum = multiply_add<Safe>(load_lanes<float>(weights), first, sum);
      return multiply_add<Safe>(load_lanes<float>(weights + L), second, sum);
    };
    V<float> sum{};
    if constexpr (Lerp) {
      sum = lerp<Safe>(along(upper), along(lower), second_row);
    } else {
      sum = multiply_add<Safe>(first_row, along(upper), sum);
      sum = multiply_add<Safe>(second_row, along(lower), sum);
    }
    index += L, weights += (Lerp ? 1 : 2) * L;
    return sum;
  });
}

}  // namespace ndresize::NDRESIZE_ISA
