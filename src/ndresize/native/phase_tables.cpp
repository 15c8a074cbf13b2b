#include "phase_tables.hpp"

#include <algorithm>
#include <cstring>

namespace ndresize {
namespace {

// Of outputs that a run holds: of shorter ones the ends take longer than what is won.
constexpr i64 fewest_vectors = 16;

struct Run {
  i64 begin, end;  // samples of the output
};

// Whether output `o` has the weights of output o + 2, one sample before.
bool repeats(const AxisTable& axis, i64 o) {
  const i64 row = i64(axis.has_products() ? 4 : axis.taps) * static_cast<i64>(sizeof(float));
  if (axis.counts[o] != axis.taps || axis.counts[o + 2] != axis.taps || axis.starts[o + 2] != axis.starts[o] + 1 ||
      std::memcmp(axis.row_weights(o, sizeof(float)), axis.row_weights(o + 2, sizeof(float)), row) != 0)
    return false;
  return !axis.has_products() ||
         (axis.trees[o] == axis.trees[o + 1] && axis.trees[o] == axis.trees[o + 2] &&
          std::equal(&axis.places[o * 4], &axis.places[o * 4] + 4, &axis.places[(o + 2) * 4]));
}

// Whether the products of an output are of neighbours in their order.
bool in_order(const AxisTable& axis, i64 o) {
  const int* const place = &axis.places[o * 4];
  return place[1] == place[0] + 1 && place[2] == place[0] + 2 && place[3] == place[0] + 3;
}

Run longest_run(const AxisTable& axis, i64 from, i64 to) {
  Run best{from, from};
  for (i64 o = from; o + 2 < to; ++o) {
    const i64 begin = o;
    while (o + 2 < to && repeats(axis, o)) ++o;
    if (o > begin && o + 2 - begin > best.end - best.begin) best = {begin, o + 2};
  }
  return best;
}

}  // namespace

void find_phases(Tile& tile, const AxisTable& axis, int lanes, int block) {
  RowTable& table = tile.table;
  const i64 channels = table.channels;
  if (channels > 4 || (!axis.has_products() && axis.taps != 2 && axis.taps != 4)) return;
  const i64 from = tile.out_begin / channels;
  const Run run = longest_run(axis, from, from + tile.n_out / channels);
  Phases phases{};
  i64 last = 0;  // element that the last tap of the first pair reads
  for (int p = 0; p < 2; ++p) {
    const i64 o = run.begin + p;
    if (run.end - run.begin < 4 || (axis.has_products() && !in_order(axis, o))) return;
    const i64 place = axis.has_products() ? axis.places[o * 4] : 0;
    const int taps = axis.has_products() ? 4 : axis.taps;
    phases.from[p] = (axis.starts[o] + place) * channels - tile.in_begin;
    last = std::max(last, phases.from[p] + (taps - 1) * channels);
    const float* row = static_cast<const float*>(axis.row_weights(o, sizeof(float)));
    if (axis.lerp) phases.weights[p][0] = row[1];
    else std::copy_n(row, taps, phases.weights[p]);
  }
  if (axis.has_products()) phases.tree = axis.trees[run.begin];
  phases.out = (run.begin - from) * channels;
  // Vectors hold whole samples and something else after these, which the blocks after the run make again.
  const i64 step = lanes / channels * channels;
  if ((run.end - run.begin) * channels < fewest_vectors * lanes) return;
  for (phases.pairs = (run.end - run.begin) / 2; phases.pairs * channels >= step; --phases.pairs) {
    const i64 n = phases.pairs * channels;
    if (phases.out + 2 * (n - step + lanes) <= tile.n_out && last + n - step + lanes <= tile.n_in) break;
  }
  const i64 end = phases.out + 2 * phases.pairs * channels;
  phases.first_block = (phases.out + block - 1) / block;
  phases.end_block = end < tile.n_out ? end / block : (tile.n_out + block - 1) / block;
  if (phases.pairs * channels >= step && phases.first_block < phases.end_block) table.phases = phases;
}

}  // namespace ndresize
