// Rows cut into pieces, each with the tables of its row pass.
#pragma once
#include <vector>

#include "program.hpp"

namespace ndresize {

struct Tile {
  i64 sample = 0;  // the first output
  i64 in_begin = 0, n_in = 0, out_begin = 0, n_out = 0;  // elements of the row
  const Tile* model = nullptr;  // the tile whose tables this one shares, or null: it has its own
  const Tile& tables() const { return model ? *model : *this; }
  RowTable table{};        // sums: the row pass
  std::vector<i64> starts;
  // Of rows that are widened and of which little is read: the samples that are, and `n_in` counts
  // those alone. Empty: the row is read from `in_begin` on.
  std::vector<i64> compact;
  std::vector<int> window_start, index;
  std::vector<char> weights, lanes;
  std::vector<Tree> block_trees;
  std::vector<int> lane_trees;
  ShuffleTable shuffle{};  // picks: where byte shuffles can do it
  i64 shuffled = 0;        // samples that they do; the rest goes by `starts`
  std::vector<int> offset;
  std::vector<unsigned char> control;
};

// Cut the rows of a nest and build the tables. `rows` is how many rows there are to share them.
void make_tiles(Prepared& prepared, const Spec& spec, const Kernels& kernels, i64 rows);

}  // namespace ndresize
