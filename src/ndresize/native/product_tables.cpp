#include "product_tables.hpp"

#include <algorithm>
#include <climits>
#include <utility>

#include "phase_tables.hpp"

namespace ndresize {
namespace {

// What one tile reads: element `k` of the outputs takes tap t from element at(k, t) of the row.
struct Reads {
  const Tile& tile;
  const AxisTable& axis;
  i64 channels;
  i64 sample(i64 k) const { return (tile.out_begin + k) / channels; }
  i64 at(i64 k, int t) const {
    const i64 from = axis.starts[sample(k)] + axis.places[sample(k) * 4 + t];
    return from * channels + k % channels - tile.in_begin;
  }
  float weight(i64 k, int t) const {
    return static_cast<const float*>(axis.row_weights(sample(k), sizeof(float)))[t];
  }
};

// The first and the last element that outputs begin..end - 1 read.
std::pair<i64, i64> range(const Reads& reads, i64 begin, i64 end) {
  i64 low = INT64_MAX, high = 0;
  for (i64 k = begin; k < end; ++k)
    for (int t = 0; t < 4; ++t)
      low = std::min(low, reads.at(k, t)), high = std::max(high, reads.at(k, t));
  return {low, high};
}

// How many elements a block reads from at most.
i64 longest_range(const Reads& reads, int block) {
  const i64 n = reads.tile.n_out;
  i64 longest = 0;
  for (i64 b = 0; b < n; b += block) {
    const auto [low, high] = range(reads, b, std::min(b + block, n));
    longest = std::max(longest, high - low + 1);
  }
  return longest;
}

void lane_tables(Tile& tile, const Reads& reads, int block) {
  RowTable& table = tile.table;
  const i64 n = tile.n_out, blocks = (n + block - 1) / block;
  const bool windows = table.method == Method::permute;
  tile.window_start.assign(blocks, 0);
  tile.index.assign(blocks * 4 * block, 0);
  tile.lanes.assign(blocks * 4 * block * sizeof(float), 0);
  tile.lane_trees.resize(blocks * block);
  float* weights = reinterpret_cast<float*>(tile.lanes.data());
  for (i64 b = 0; b < blocks; ++b) {
    const i64 begin = b * block, end = std::min(begin + block, n);
    // A window never ends after the row: the samples then sit further back in it.
    i64 start = 0;
    if (windows) start = std::max<i64>(std::min(range(reads, begin, end).first, tile.n_in - table.window), 0);
    tile.window_start[b] = static_cast<int>(start);
    for (int t = 0; t < 4; ++t)
      for (i64 k = begin; k < end; ++k) {
        const i64 place = (b * 4 + t) * block + k - begin;
        tile.index[place] = static_cast<int>(reads.at(k, t) - start);
        weights[place] = reads.weight(k, t);
      }
    tile.block_trees.push_back(reads.axis.trees[reads.sample(begin)]);
    for (i64 k = begin; k < begin + block; ++k) {
      const Tree tree = reads.axis.trees[reads.sample(std::min(k, n - 1))];
      tile.lane_trees[k] = static_cast<int>(tree);
      if (tree != tile.block_trees.back()) tile.block_trees.back() = Tree::mixed;
    }
  }
}

void pixel_tables(Tile& tile, const Reads& reads) {
  const i64 pixels = tile.n_out / reads.channels;
  tile.lanes.resize(pixels * 4 * sizeof(float));
  float* weights = reinterpret_cast<float*>(tile.lanes.data());
  i64& whole = tile.table.whole_pixels;
  for (i64 o = 0; o < pixels; ++o) {
    const i64 k = o * reads.channels;
    tile.block_trees.push_back(reads.axis.trees[reads.sample(k)]);
    for (int t = 0; t < 4; ++t) {
      tile.index.push_back(static_cast<int>(reads.at(k, t)));
      weights[o * 4 + t] = reads.weight(k, t);
    }
    if (whole == o && range(reads, k, k + 1).second + 4 <= tile.n_in) ++whole;
  }
}

}  // namespace

void product_tables(Tile& tile, const AxisTable& axis, i64 channels, int block) {
  RowTable& table = tile.table;
  const Reads reads{tile, axis, channels};
  const i64 reach = longest_range(reads, block);
  table.window = static_cast<int>(reach <= 2 * block ? 2 * block : 3 * block);
  if (reach <= table.window) table.method = Method::permute;
  else table.method = channels == 3 || channels == 4 ? Method::pixels : Method::gather;
  if (table.method == Method::permute) find_phases(tile, axis, block, block);
  if (table.method == Method::pixels) pixel_tables(tile, reads);
  else lane_tables(tile, reads, block);
  table.window_start = tile.window_start.data();
  table.index = tile.index.data();
  table.lanes = tile.lanes.data();
  table.block_trees = tile.block_trees.data();
  table.lane_trees = tile.lane_trees.data();
}

}  // namespace ndresize
