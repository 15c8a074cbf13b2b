#include "tiles.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <numeric>

#include "phase_tables.hpp"
#include "product_tables.hpp"

namespace ndresize {
namespace {

constexpr int lanes = 8;
constexpr i64 longest = 1 << 15;  // elements; a longer row is cut, for threads
constexpr i64 sums_bytes = 8 << 10;  // of a row of sums whose tables stay in the first cache
constexpr i64 longest_of_products = 1 << 10;  // whose sums of a few rows stay in the first cache
constexpr i64 line = 64;  // samples of a piece of those that is whole lines of the cache
constexpr int product_group = 4;  // rows that share what is loaded from the tables

// Whether blocks of outputs each read at most `window` elements.
bool fits(const AxisTable& axis, const Tile& tile, i64 channels, int block, int window) {
  if (tile.n_in < 1) return false;
  for (i64 e = 0; e < tile.n_out; e += block) {
    i64 low = INT64_MAX, high = 0;
    const i64 begin = block_start(e, tile.n_out, block);
    for (i64 k = begin; k < std::min(begin + block, tile.n_out); ++k) {
      const i64 sample = (tile.out_begin + k) / channels;
      const i64 first = axis.starts[sample] * channels + k % channels;
      const i64 last = first + std::max(axis.counts[sample] - 1, 0) * channels;
      low = std::min(low, first);
      high = std::max(high, last);
    }
    if (high - low >= window) return false;
  }
  return true;
}

// Per block of outputs, where each tap of each reads, and its weight.
template <class A>
void lane_tables(Tile& tile, const AxisTable& axis, i64 channels) {
  RowTable& table = tile.table;
  const bool windows = table.method == Method::permute;
  const i64 lanes = table.block, blocks = (tile.n_out + lanes - 1) / lanes;
  const i64 taps = axis.taps;
  const i64 weighed = axis.lerp ? 1 : taps;
  tile.window_start.resize(blocks);
  tile.index.assign(blocks * taps * lanes, 0);
  tile.lanes.assign(blocks * weighed * lanes * sizeof(A), 0);
  A* weights = reinterpret_cast<A*>(tile.lanes.data());
  for (i64 b = 0; b < blocks; ++b) {
    const i64 begin = block_start(b * lanes, tile.n_out, lanes), end = std::min(begin + lanes, tile.n_out);
    i64 low = windows ? INT64_MAX : 0;
    for (i64 k = begin; windows && k < end; ++k)
      low = std::min(low, axis.starts[(tile.out_begin + k) / channels] * channels + k % channels);
    // A window never ends after the row: the samples then sit further back in it.
    if (windows) low = std::max<i64>(std::min(low - tile.in_begin, tile.n_in - table.window), 0);
    tile.window_start[b] = static_cast<int>(low);
    for (i64 k = begin; k < end; ++k) {
      const i64 sample = (tile.out_begin + k) / channels;
      const A* row = static_cast<const A*>(axis.row_weights(sample, sizeof(A)));
      for (int t = 0; t < axis.counts[sample]; ++t) {
        const i64 at = (axis.starts[sample] + t) * channels + k % channels - tile.in_begin - low;
        tile.index[(b * taps + t) * lanes + k - begin] = static_cast<int>(at);
        if (!axis.lerp) weights[(b * taps + t) * lanes + k - begin] = row[t];
      }
      if (!axis.lerp) continue;
      weights[b * lanes + k - begin] = row[1];
      if (axis.counts[sample] == 1)  // the sample is its own neighbour
        tile.index[(b * taps + 1) * lanes + k - begin] = tile.index[b * taps * lanes + k - begin];
    }
  }
  table.window_start = tile.window_start.data();
  table.index = tile.index.data();
  table.lanes = tile.lanes.data();
}

// For gathers of two neighbouring samples per output; at the end of the row the pair sits one further
// back and its first weight is zero.
void pair_tables(Tile& tile, const AxisTable& axis) {
  constexpr i64 place[lanes] = {0, 1, 4, 5, 2, 3, 6, 7};  // as gather_pairs wants them
  RowTable& table = tile.table;
  const i64 blocks = (tile.n_out + lanes - 1) / lanes;
  tile.index.assign(blocks * lanes, 0);
  tile.lanes.assign(blocks * (axis.lerp ? 1 : 2) * lanes * sizeof(float), 0);
  float* weights = reinterpret_cast<float*>(tile.lanes.data());
  for (i64 b = 0; b < blocks; ++b) {
    const i64 begin = block_start(b * lanes, tile.n_out);
    for (i64 lane = 0; lane < std::min<i64>(lanes, tile.n_out - begin); ++lane) {
      const i64 sample = tile.out_begin + begin + lane;
      if (axis.counts[sample] == 0) continue;
      const i64 start = axis.starts[sample] - tile.in_begin, at = std::min(start, tile.n_in - 2);
      const float* row = static_cast<const float*>(axis.row_weights(sample, sizeof(float)));
      if (axis.lerp) weights[b * lanes + lane] = start > at ? 1 : row[1];
      for (int t = 0; t < axis.counts[sample] && !axis.lerp; ++t)
        weights[(b * 2 + start + t - at) * lanes + lane] = row[t];
      // The table's entry k holds the place of output place[k], an exchange that undoes itself.
      tile.index[b * lanes + place[lane]] = static_cast<int>(at);
    }
  }
  table.pairs = true;
  table.index = tile.index.data();
  table.lanes = tile.lanes.data();
}

void shuffle_tables(Tile& tile, i64 block, const PickKernels& picks) {
  const int group = picks.group, window = picks.window;
  const i64 bytes = tile.n_out * block, limit = tile.n_in * block;
  if (block > 16 || bytes < group || limit > INT_MAX) return;
  const i64 groups = bytes / group, of_group = group / window;  // windows that begin anywhere
  const auto source = [&](i64 k) { return tile.starts[k / block] * block + k % block; };
  i64 reach = 0;
  std::vector<int> offsets;
  for (i64 part = 0; part < groups * of_group; ++part) {
    i64 low = INT64_MAX, high = 0;
    for (i64 k = part * window; k < (part + 1) * window; ++k)
      low = std::min(low, source(k)), high = std::max(high, source(k));
    reach = std::max(reach, high - low + 1);
    offsets.push_back(static_cast<int>(low));
  }
  const int windows = static_cast<int>((reach + window - 1) / window);
  // More windows than bytes that one finds in each are slower than copies one by one.
  if (windows > most_windows || windows > window / block || limit < windows * window) return;
  for (int& offset : offsets) offset = std::min(offset, static_cast<int>(limit) - windows * window);
  tile.offset = std::move(offsets);
  const bool apart = window == 16;  // each window has a control
  const i64 controls = apart ? windows : 1;
  tile.control.assign(groups * controls * group, -1);
  for (i64 k = 0; k < groups * group; ++k) {
    const i64 at = source(k) - tile.offset[k / window];
    const i64 control = k / group * controls + (apart ? at / 16 : 0);
    tile.control[control * group + k % group] = static_cast<signed char>(apart ? at % 16 : at);
  }
  tile.shuffle = {windows, tile.offset.data(), tile.control.data(), groups};
  tile.shuffled = groups * group / block;  // samples that end within the last group; the rest is copied one by one
}

// Whether outputs from..to - 1 read as those of `model` do, only further on.
bool repeats(const AxisTable& axis, const Tile& model, i64 from, i64 to, i64 channels) {
  const i64 first = model.sample, count = to - from;
  if (count * channels != model.n_out) return false;
  const i64 ahead = axis.starts[from] - axis.starts[first];
  for (i64 k = 0; k < count; ++k)
    if (axis.counts[from + k] == 0 || axis.counts[from + k] != axis.counts[first + k] ||
        axis.starts[from + k] - axis.starts[first + k] != ahead)
      return false;
  if (axis.has_products() &&
      (!std::equal(&axis.trees[from], &axis.trees[from] + count, &axis.trees[first]) ||
       !std::equal(&axis.places[from * 4], &axis.places[from * 4] + count * 4,
                   &axis.places[first * 4])))
    return false;
  const size_t row = axis.weights.size() / std::max<size_t>(axis.starts.size(), 1);
  return std::memcmp(axis.weights.data() + from * row, axis.weights.data() + first * row,
                     count * row) == 0;
}

void share(Tile& tile, const Tile& model, const AxisTable& axis, i64 channels, i64 from) {
  tile.model = &model;
  tile.n_in = model.n_in, tile.n_out = model.n_out;
  tile.in_begin = model.in_begin + (axis.starts[from] - axis.starts[model.sample]) * channels;
  tile.out_begin = from * channels;
}

// Leave out the samples that no output reads, where that saves widening most of a row.
bool pack(Tile& tile, AxisTable& packed, const Nest& nest, const AxisTable& axis, bool widens, i64 from,
          i64 to) {
  if (!widens || axis.has_products() || to - from > (1 << 14)) return false;
  for (const Level& level : nest.levels)
    if (level.kind == Kind::first) return false;  // sums whole rows before the row pass
  std::vector<i64> needed;
  for (i64 o = from; o < to; ++o)
    for (int t = 0; t < axis.counts[o]; ++t) needed.push_back(axis.starts[o] + t);
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  const i64 count = static_cast<i64>(needed.size());
  if (count == 0 || count * 2 * nest.channels > tile.n_in) return false;
  packed = axis;
  for (i64 o = from; o < to; ++o) {
    const auto place = std::lower_bound(needed.begin(), needed.end(), axis.starts[o]);
    packed.starts[o] = axis.counts[o] > 0 ? place - needed.begin() : 0;
    tile.starts[o - from] = packed.starts[o];
  }
  const i64 first = tile.in_begin / nest.channels;
  for (i64& sample : needed) sample -= first;
  tile.compact = std::move(needed);
  tile.n_in = count * nest.channels;
  return true;
}

// The largest block of outputs that reads a window of one or two vectors, or of four of the smallest.
void choose_window(Tile& tile, const AxisTable& axis, i64 channels, int least, int most) {
  RowTable& table = tile.table;
  for (int block = most; block >= least; block /= 2)
    for (const int vectors : {1, 2, 4}) {
      const int window = block * vectors;
      if (tile.n_out < block && block > least) continue;
      if (vectors == 4 && block > least) continue;
      if (!fits(axis, tile, channels, block, window)) continue;
      // Four vectors are one permutation per tap where there are vectors of twice the lanes, else four; as
      // lanes, eight samples that are read or written take three.
      const i64 picks = vectors < 4 ? 0 : most > least ? 1 : 4;
      if (axis.taps * picks * tile.n_out > 3 * (tile.n_in + tile.n_out)) return;
      table.method = Method::permute;
      table.block = block;
      table.window = window;
      return;
    }
}

void sum_tables(Tile& tile, const AxisTable& axis, const Kernels& kernels, const RowKernels& k,
                i64 channels, i64 rows, i64 from, i64 to) {
  RowTable& table = tile.table;
  const i64 begin = tile.in_begin;
  if (!tile.compact.empty()) tile.in_begin = 0;  // where `axis` counts from
  table.method = Method::transpose;
  table.taps = axis.taps;
  table.lerp = axis.lerp;
  table.channels = static_cast<int>(channels);
  table.n_in = tile.n_in, table.n_out = tile.n_out;
  table.head = std::clamp<i64>(axis.head - from, 0, to - from) * channels;
  table.tail = std::clamp<i64>(to - (axis.n_out - axis.tail), 0, to - from) * channels;
  table.starts = tile.starts.data();
  if (axis.has_products()) {
    product_tables(tile, axis, channels, kernels.float_lanes);
    return;
  }
  const i64 row_bytes = i64(axis.taps) * k.accumulator_size;
  tile.weights.assign(axis.weights.begin() + from * row_bytes, axis.weights.begin() + to * row_bytes);
  table.weights = tile.weights.data();
  table.block = k.block;
  if (k.permutes && k.accumulator_size == 4) find_phases(tile, axis, kernels.float_lanes, lanes);
  const bool phases = table.phases.pairs > 0;
  if (phases) table.method = Method::gather, table.block = lanes;  // the ends, which they leave
  else if (axis.taps <= 8 && k.permutes)
    choose_window(tile, axis, channels, k.block, k.accumulator_size == 4 ? kernels.float_lanes : k.block);
  if (!phases && table.method != Method::permute) {
    // Eight rows as lanes cost a transposition of all that is read and written, whatever is used.
    const i64 sums = tile.n_out * axis.taps, moved = tile.n_in + tile.n_out;
    const bool apart = rows < 4 || sums * 5 < moved * 2;
    table.method = apart && tile.n_in > 0 ? Method::gather : Method::transpose;
  }
  if (table.method != Method::transpose) {
    if (table.method == Method::gather && axis.taps == 2 && channels == 1 && tile.n_in >= 2 &&
        k.accumulator_size == 4 && !phases)
      pair_tables(tile, axis);
    else if (k.accumulator_size == 4) lane_tables<float>(tile, axis, channels);
    else lane_tables<double>(tile, axis, channels);
  }
  tile.in_begin = begin;
}

void fill_tile(Tile& tile, const Prepared& prepared, const Spec& spec, const Kernels& kernels,
               const PickKernels& picks, i64 rows, i64 from, i64 to) {
  const Nest& nest = prepared.nest;
  const i64 channels = nest.channels;
  tile.out_begin = from * channels;
  tile.n_out = (to - from) * channels;
  if (!nest.row) {
    tile.in_begin = tile.out_begin;
    tile.n_in = tile.n_out;
    return;
  }
  const AxisTable& axis = nest.row->table;
  i64 first = INT64_MAX, last = 0;
  for (i64 o = from; o < to; ++o)
    if (axis.counts[o] > 0) {
      first = std::min(first, axis.starts[o]);
      last = std::max(last, axis.starts[o] + axis.counts[o]);
    }
  first = std::min(first, last);
  tile.in_begin = first * channels;
  tile.n_in = (last - first) * channels;
  tile.starts.resize(to - from);
  for (i64 o = from; o < to; ++o)
    tile.starts[o - from] = axis.counts[o] > 0 ? axis.starts[o] - first : 0;
  if (spec.picks) {
    // Picks count in samples, each a block of bytes.
    tile.in_begin = first, tile.n_in = last - first;
    tile.out_begin = from, tile.n_out = to - from;
    if (picks.group) shuffle_tables(tile, channels * spec.item, picks);
    return;
  }
  RowTable& table = tile.table;
  const RowKernels& k = kernels.rows[spec.type];
  AxisTable packed;
  if (pack(tile, packed, nest, axis, k.widens && !spec.wide_in, from, to)) {
    sum_tables(tile, packed, kernels, k, channels, rows, from, to);
  } else {
    sum_tables(tile, axis, kernels, k, channels, rows, from, to);
  }
  table.taps = axis.taps;
}

// Whether the level above the rows reads every one.
bool needs_all_rows(const Nest& nest) {
  if (nest.levels.empty() || !nest.levels.back().pass) return true;
  const Level& level = nest.levels.back();
  return level.n_out * level.pass->table.taps >= level.n_in;
}

// Whether to take short rows several at a time, to save calls: where all of them are needed.
bool few_calls(const Nest& nest, const Tile& tile, const RowKernels& k) {
  return tile.n_out * k.accumulator_size <= 2048 && needs_all_rows(nest);
}

}  // namespace

void make_tiles(Prepared& prepared, const Spec& spec, const Kernels& kernels, const PickKernels& picks,
                i64 rows) {
  const Nest& nest = prepared.nest;
  const i64 n = nest.samples_out;
  const i64 width = std::max(nest.samples_in, n) * nest.channels;
  const bool products = nest.row && nest.row->table.has_products();
  // Half as long where a ring of many such rows is read for every output.
  const bool ring = !nest.levels.empty() && nest.levels.back().kind == Kind::after;
  const bool many = ring && nest.levels.back().pass->table.taps >= taps_of_ring_to_share;
  const i64 longest_of_sums = sums_bytes / kernels.rows[spec.type].accumulator_size / (many ? 2 : 1);
  const i64 most = products ? longest_of_products : spec.picks || !nest.row ? longest : longest_of_sums;
  const i64 pieces = std::max<i64>(1, (width + most - 1) / most);
  i64 step = std::max<i64>((n + pieces - 1) / pieces, 1);
  // Where the ratio of lengths is a small one the weights repeat, and so do the tables of tiles that
  // hold whole periods.
  i64 period = nest.row ? nest.row->table.period : 0;
  if (period == 0) period = n / std::max<i64>(std::gcd(n, nest.samples_in), 1);
  i64 unit = period <= step ? period : 1;
  if (products && std::lcm(unit, line) <= step) unit = std::lcm(unit, line);
  if (pieces > 1) step = (step + unit - 1) / unit * unit;
  const Tile* model = nullptr;
  for (i64 from = 0; from < n; from += step) {
    const i64 to = std::min(from + step, n);
    prepared.tiles.push_back(std::make_unique<Tile>());
    Tile& tile = *prepared.tiles.back();
    if (model && repeats(nest.row->table, *model, from, to, spec.picks ? 1 : nest.channels)) {
      share(tile, *model, nest.row->table, spec.picks ? 1 : nest.channels, from);
      continue;
    }
    fill_tile(tile, prepared, spec, kernels, picks, rows, from, to);
    if (products) {
      prepared.group = product_group;
      prepared.ahead = needs_all_rows(nest);
    } else if (nest.row && !spec.picks &&
               (tile.table.method == Method::transpose || few_calls(nest, tile, kernels.rows[spec.type]))) {
      prepared.group = lanes;
    }
    if (nest.row && pieces > 1) model = &tile, tile.sample = from;
  }
  // Rows of many taps that are summed before are made in pairs.
  if (nest.row && !nest.levels.empty() && nest.levels.back().kind == Kind::first &&
      nest.levels.back().pass->table.taps >= taps_to_share)
    prepared.group = std::max(prepared.group, 2);
}

}  // namespace ndresize
