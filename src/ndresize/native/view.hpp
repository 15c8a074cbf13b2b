// Where a slab of a walk lies.
#pragma once
#include "program.hpp"

namespace ndresize {

constexpr int most_levels = 9;  // most_passes, or one loop

// The arrays themselves, or scratch, which holds the tile's part of rows only.
struct View {
  char* p;
  bool wide;   // accumulators
  bool array;  // the input or output array itself; if not, scratch, whose rows are padded
  i64 element;  // bytes from one element of a row to the next
  i64 stride[most_levels];  // per level
};

// The part of a slab at one place of a level.
inline View sub(const View& view, int l, i64 i) {
  View r = view;
  r.p += i * view.stride[l];
  return r;
}

}  // namespace ndresize
