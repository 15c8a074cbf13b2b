// From a plan and a memory layout to a loop nest.
#include <algorithm>

#include "program.hpp"

namespace ndresize {

// How much of the arrays' end is one block in both: the number of trailing axes, and whether the
// last resized axis lies right before that block.
std::pair<int, bool> layout_of(const Spec& spec, const i64* stride_in, const i64* stride_out) {
  const int rank = static_cast<int>(spec.shape_in.size());
  int last = -1;
  for (const PassSpec& pass : spec.passes) last = std::max(last, pass.axis);
  i64 block = 1;
  int axis = rank - 1;
  for (; axis > last; --axis) {
    const i64 n = spec.shape_in[axis];
    if (n != 1 && (stride_in[axis] != block * spec.item || stride_out[axis] != block * spec.item_out)) break;
    block *= n;
  }
  const bool adjacent = axis == last && stride_in[last] == block * spec.item &&
                        stride_out[last] == block * spec.item_out;
  return {rank - 1 - axis, adjacent};
}

Nest make_nest(const Spec& spec, int trailing, bool adjacent) {
  const int rank = static_cast<int>(spec.shape_in.size());
  int last = -1;
  for (const PassSpec& pass : spec.passes) last = std::max(last, pass.axis);
  i64 block = 1;
  for (int axis = rank - trailing; axis < rank; ++axis) block *= spec.shape_in[axis];

  Nest nest;
  const bool covered = rank - trailing == last + 1;  // the block begins right after `last`
  // A long block is a row of its own. A short one is the channels of a row along the last axis,
  // where memory has it so; else its axes are left to the batch.
  const bool block_rows = block >= (spec.picks ? 256 : 16) && covered;
  if (!block_rows && !(covered && adjacent)) trailing = 0, block = 1;
  const int row_axis = block_rows ? -1 : last;
  if (block_rows) {
    nest.samples_in = nest.samples_out = block;
  } else {
    nest.row_axis = last;
    nest.samples_in = spec.shape_in[last];
    nest.samples_out = spec.shape_out[last];
    nest.channels = block;
  }

  std::vector<const PassSpec*> by_axis(rank, nullptr);
  std::vector<const PassSpec*> before, after;  // the row pass, or the last axis's if rows are blocks
  bool seen = false;
  for (const PassSpec& pass : spec.passes) {
    by_axis[pass.axis] = &pass;
    if (pass.axis == last) {
      seen = true;
      if (row_axis == last) nest.row = &pass;
      else before.push_back(&pass);
    } else {
      (seen ? after : before).push_back(&pass);
    }
  }
  for (int axis = 0; axis < rank - trailing; ++axis)
    if (!by_axis[axis]) nest.batch.push_back(axis);

  const auto level = [&](const PassSpec* pass, Kind kind) {
    nest.levels.push_back(
        {spec.picks ? Kind::pick : kind, pass->axis, pass->table.n_in, pass->table.n_out, pass});
  };
  if (spec.picks) {  // the order of picks does not matter: memory's order is best
    for (int axis = 0; axis < rank; ++axis)
      if (by_axis[axis] && axis != row_axis) level(by_axis[axis], Kind::pick);
  } else {
    // The outermost level is either the first of the passes before the row pass or the last of
    // those after it; of the two the one with the longer stride in memory.
    size_t front = 0, back = after.size();
    while (front < before.size() || back > 0) {
      const bool take_first = back == 0 || (front < before.size() &&
                                            before[front]->axis < after[back - 1]->axis);
      if (take_first) level(before[front++], Kind::first);
      else level(after[--back], Kind::after);
    }
  }
  if (nest.levels.empty() && !nest.batch.empty()) {
    // Rows alone: the longest kept axis is the level, so that rows come in groups.
    const auto longest = std::max_element(nest.batch.begin(), nest.batch.end(), [&](int a, int b) {
      return spec.shape_out[a] < spec.shape_out[b];
    });
    const i64 n = spec.shape_out[*longest];
    nest.levels.push_back({Kind::loop, *longest, n, n, nullptr});
    nest.batch.erase(longest);
  }
  return nest;
}

}  // namespace ndresize
