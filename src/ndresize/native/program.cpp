#include "program.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

#include "blocks.hpp"
#include "maps.hpp"
#include "picks.hpp"
#include "pool.hpp"
#include "walk.hpp"

namespace ndresize {

std::pair<int, bool> layout_of(const Spec&, const i64*, const i64*);
Nest make_nest(const Spec&, int, bool);

namespace {

constexpr i64 little = 1 << 16;  // element operations that are not worth waking a thread for

i64 product(const std::vector<i64>& values) {
  i64 p = 1;
  for (const i64 v : values) p *= v;
  return p;
}

}  // namespace

Prepared::Prepared() = default;
Prepared::~Prepared() = default;

Program::Program(Spec s, const Kernels& k, const PickKernels& p)
    : spec(std::move(s)), kernels(k), picks(p), maps_(Maps::of(spec, kernels)) {}
Program::~Program() = default;

const Prepared& Program::prepared(const i64* stride_in, const i64* stride_out) const {
  const auto [trailing, adjacent] = layout_of(spec, stride_in, stride_out);
  const std::vector<bool> key = [&, t = trailing, a = adjacent] {
    std::vector<bool> bits(spec.shape_in.size() + 2, false);
    bits[static_cast<size_t>(t)] = true;
    bits.back() = a;
    return bits;
  }();
  return *known_.get(key, [&, t = trailing, a = adjacent] { return prepare(t, a); });
}

std::unique_ptr<Prepared> Program::prepare(int trailing, bool adjacent) const {
  const RowKernels& k = kernels.rows[spec.type];
  auto fresh = std::make_unique<Prepared>();
  fresh->nest = make_nest(spec, trailing, adjacent);
  i64 rows = 1;
  for (const Level& level : fresh->nest.levels) rows *= std::max<i64>(level.n_in, 1);
  // Rows between those that are read would only be made to fill up a group.
  const std::vector<Level>& levels = fresh->nest.levels;
  if (!levels.empty() && levels.back().kind == Kind::after &&
      levels.back().n_out * levels.back().pass->table.taps < levels.back().n_in)
    rows = 1;
  make_tiles(*fresh, spec, kernels, picks, rows);
  for (const PassSpec& pass : spec.passes)
    fresh->careful |= &pass == fresh->nest.row ? pass.table.has_zeros : pass.table.has_gaps;
  fresh->careful &= k.has_nan;
  fresh->stream = product(spec.shape_out) * spec.item_out >= large_output;
  return fresh;
}

bool Program::run(const char* in, const i64* stride_in, char* out, const i64* stride_out,
                  bool touched, int threads, bool (*interrupted)()) const {
  if (product(spec.shape_out) == 0) return true;
  if (maps_ && maps_->takes(spec, stride_in, stride_out))
    return maps_->run(spec, kernels, in, stride_in, out, stride_out, threads, interrupted);
  const Prepared& ready = prepared(stride_in, stride_out);
  const Nest& nest = ready.nest;
  const int levels = static_cast<int>(nest.levels.size());

  View from{const_cast<char*>(in), spec.wide_in, true, 0, {}};
  View to{out, spec.wide_out, true, 0, {}};
  const bool strided = nest.row_axis >= 0 && nest.channels == 1;
  from.element = strided ? stride_in[nest.row_axis] : spec.item;
  to.element = strided ? stride_out[nest.row_axis] : spec.item_out;
  for (int l = 0; l < levels; ++l) {
    from.stride[l] = stride_in[nest.levels[l].axis];
    to.stride[l] = stride_out[nest.levels[l].axis];
  }

  i64 batches = 1;
  for (const int axis : nest.batch) batches *= spec.shape_out[axis];
  const i64 tiles = static_cast<i64>(ready.tiles.size());
  const i64 length = levels ? nest.levels[0].n_out : 1;
  i64 work = product(spec.shape_out) + product(spec.shape_in);
  for (const PassSpec& pass : spec.passes) work += product(spec.shape_out) * (pass.table.taps - 1);
  if (work < little) threads = 1;
  else if (threads <= 0) threads = usable_threads();

  // Enough pieces of the outermost level that the threads finish together; few, because a ring is
  // filled anew in each.
  // And so many that each takes a fraction of a second, for between them an interrupt is seen.
  i64 chunks = work / longest_task / (batches * tiles) + 1;
  if (threads > 1) {
    // Where pieces have no ring they may be small: a thread that lost its core holds up the others less.
    const bool has_ring = levels && nest.levels[0].kind == Kind::after &&
                          nest.levels[0].n_out * nest.levels[0].pass->table.taps > nest.levels[0].n_in;
    const i64 shares = (has_ring ? 4 : 16) * threads;
    chunks = std::max(chunks, (shares + batches * tiles - 1) / (batches * tiles));
    chunks = equal_shares(chunks, batches * tiles, threads);
  }
  chunks = std::min(chunks, length);
  // Little batch entries are taken several at a time.
  const i64 each = std::max<i64>(1, work / (batches * tiles * chunks));
  const i64 units = batches * tiles * chunks;
  const i64 grain = std::clamp<i64>(little / each, 1, std::max<i64>(units / (4 * threads), 1));
  const i64 tasks = (units + grain - 1) / grain;

  std::atomic<bool> safe{false};
  // A walk serves all units of a task that have its tile: to make one takes as long as a little map.
  const auto unit = [&](i64 u, std::optional<Walk>& walk, std::optional<Picks>& walk_of_picks, const Tile*& walked) {
    i64 entry = u;
    const auto take = [&](i64 n) {  // a division takes as long as a very little map
      const bool last = entry < n;
      const i64 part = n == 1 ? 0 : last ? entry : entry % n;
      if (n > 1) entry = last ? 0 : entry / n;
      return part;
    };
    const i64 chunk = take(chunks);
    const Tile& tile = *ready.tiles[static_cast<size_t>(take(tiles))];
    View a = from, b = to;
    for (auto axis = nest.batch.rbegin(); axis != nest.batch.rend(); ++axis) {
      const i64 part = take(spec.shape_out[*axis]);
      a.p += part * stride_in[*axis];
      b.p += part * stride_out[*axis];
    }
    const i64 blocks = spec.picks && nest.row ? nest.channels : 1;
    a.p += tile.in_begin * a.element * blocks;
    b.p += tile.out_begin * b.element * blocks;
    const i64 begin = chunks == 1 ? 0 : length * chunk / chunks;
    const i64 end = chunks == 1 ? length : length * (chunk + 1) / chunks;
    const bool same = walked == &tile.tables();
    walked = &tile.tables();
    if (spec.picks) {
      if (!same) walk_of_picks.emplace(spec, picks, ready, tile, touched);
      return walk_of_picks->run(a, b, begin, end);
    }
    if (!walk || !same) walk.emplace(spec, kernels, picks, ready, tile, false, touched);
    if (safe.load(std::memory_order_relaxed) || !walk->sums(a, b, begin, end)) {
      safe = ready.careful;  // where one NaN is there are more
      walk.reset();          // the walks of a thread share its scratch
      Walk(spec, kernels, picks, ready, tile, true, touched).sums(a, b, begin, end);
    }
  };
  return parallel(
      tasks, threads,
      [&](i64 task) {
        std::optional<Walk> walk;
        std::optional<Picks> walk_of_picks;
        const Tile* walked = nullptr;
        for (i64 u = task * grain; u < std::min(units, (task + 1) * grain); ++u)
          unit(u, walk, walk_of_picks, walked);
      },
      interrupted);
}

}  // namespace ndresize
