#include "maps.hpp"

#include <algorithm>

#include "pool.hpp"
#include "scratch.hpp"

namespace ndresize {
namespace {

constexpr int L = map_lanes;
constexpr i64 most_bytes = i64{1} << 18;  // of eight maps between two passes: they stay in the second cache
constexpr i64 few_bytes = i64{1} << 16;   // of what is done together, if it can be little
constexpr int most_blocks = 8;
constexpr i64 little = 1 << 16;  // element operations that are not worth waking a thread for

thread_local Scratch scratch;

i64 product(const std::vector<i64>& values, size_t from, size_t to) {
  i64 p = 1;
  for (size_t k = from; k < to; ++k) p *= values[k];
  return p;
}

// Whether rows of a map fill vectors so badly that moving all its elements, each a lane of its own, takes
// less time. Measured: what a row costs that is read, and one that is made, in elements that are moved.
bool rows_cost_more(const Spec& spec, const RowKernels& k, int first, int last, i64 channels, i64 moved) {
  i64 read = 1, made = 1;
  // Pairs of samples that are far from each other have a kernel of their own, sum_square.
  bool apart = k.sum_square && !k.widens && channels == 1 && spec.shape_in[last] > 2 * L;
  for (const PassSpec& pass : spec.passes) {
    const AxisTable& t = pass.table;
    apart &= t.taps == 2 && t.n_out * 5 <= t.n_in * 2;
    if (pass.axis == last) continue;
    read *= std::min(t.n_in, t.n_out * t.taps);
    made *= t.n_out;
  }
  for (int axis = first; axis < last; ++axis) {
    const auto own = [&](const PassSpec& pass) { return pass.axis == axis; };
    if (std::any_of(spec.passes.begin(), spec.passes.end(), own)) continue;
    read *= spec.shape_in[axis], made *= spec.shape_in[axis];
  }
  if (apart) return moved < 20 * (read + made);
  if (k.widens) {
    const i64 partial = spec.shape_out[last] * channels < L ? 2 : 1;  // vectors, which are slow to write
    return moved < partial * (25 * read + 20 * made);
  }
  return k.accumulator_size == 4 ? moved < 45 * read + 22 * made : moved < 25 * read + 15 * made;
}

}  // namespace

std::unique_ptr<const Maps> Maps::of(const Spec& spec, const Kernels& kernels) {
  if (spec.picks || spec.wide_in || spec.wide_out || spec.passes.empty()) return nullptr;
  const RowKernels& k = kernels.rows[spec.type];
  const size_t rank = spec.shape_in.size();
  std::unique_ptr<Maps> made(new Maps);
  Maps& maps = *made;
  int last = 0;
  maps.first_ = static_cast<int>(rank);
  for (const PassSpec& pass : spec.passes) {
    if (pass.table.has_products() || pass.table.taps > most_axis_taps) return nullptr;
    maps.first_ = std::min(maps.first_, pass.axis);
    last = std::max(last, pass.axis);
    maps.careful_ |= pass.table.has_gaps;
  }
  const size_t first = static_cast<size_t>(maps.first_);
  const i64 channels = product(spec.shape_in, static_cast<size_t>(last) + 1, rank);
  maps.careful_ &= k.has_nan;
  maps.batch_.assign(spec.shape_in.begin(), spec.shape_in.begin() + maps.first_);
  maps.count_ = product(maps.batch_, 0, first);
  if (maps.count_ < L) return nullptr;
  maps.shape_.assign(spec.shape_in.begin() + maps.first_, spec.shape_in.end());
  maps.n_in_ = maps.most_ = product(maps.shape_, 0, maps.shape_.size());
  maps.n_out_ = product(spec.shape_out, first, rank);
  std::vector<i64> shape = maps.shape_;
  for (const PassSpec& pass : spec.passes) {
    shape[static_cast<size_t>(pass.axis) - first] = pass.table.n_out;
    maps.most_ = std::max(maps.most_, product(shape, 0, shape.size()));
  }
  if (!rows_cost_more(spec, k, maps.first_, last, channels, maps.n_in_ + maps.n_out_)) return nullptr;
  const i64 bytes = 2 * maps.most_ * L * k.accumulator_size;
  if (bytes > most_bytes || maps.n_in_ == 0 || maps.n_out_ == 0) return nullptr;
  maps.blocks_ = static_cast<int>(
      std::min({few_bytes / bytes + 1, i64{most_blocks}, (maps.count_ + L - 1) / L}));
  maps.work_ = maps.n_in_ + maps.n_out_;
  for (const PassSpec& pass : spec.passes) maps.work_ += maps.n_out_ * pass.table.taps;
  return made;
}

bool Maps::takes(const Spec& spec, const i64* stride_in, const i64* stride_out) const {
  i64 next_in = spec.item, next_out = spec.item_out;
  for (size_t axis = spec.shape_in.size(); axis-- > batch_.size();) {
    const i64 from = spec.shape_in[axis], to = spec.shape_out[axis];
    if ((from > 1 && stride_in[axis] != next_in) || (to > 1 && stride_out[axis] != next_out)) return false;
    next_in *= from, next_out *= to;
  }
  return true;
}

bool Maps::run(const Spec& spec, const Kernels& kernels, const char* in, const i64* stride_in, char* out,
               const i64* stride_out, int threads, bool (*interrupted)()) const {
  if (count_ * work_ < little) threads = 1;
  else if (threads <= 0) threads = usable_threads();
  const i64 together = blocks_ * L, groups = (count_ + together - 1) / together;
  const i64 grain = std::clamp<i64>(little / (together * work_), 1, std::max<i64>(groups / (4 * threads), 1));
  const RowKernels& k = kernels.rows[spec.type];
  const RowKernels& sums = kernels.rows[k.accumulator_size == 4 ? f32 : f64];
  const auto place = [&](i64 map, const i64* strides) {
    i64 offset = 0;
    for (size_t axis = batch_.size(); axis-- > 0;) {  // a division takes as long as a very little map
      const i64 next = axis > 0 ? map / batch_[axis] : 0;
      offset += (map - next * batch_[axis]) * strides[axis];
      map = next;
    }
    return offset;
  };
  const auto group = [&](i64 first) {
    const int count = static_cast<int>(std::min(together, count_ - first)), blocks = (count + L - 1) / L;
    const i64 a = k.accumulator_size, vector = L * a, lanes = blocks * L;
    const i64 row = std::max(n_in_, n_out_) * a;
    scratch.reset(2 * (most_ * lanes * a + 64) + L * (row + 64));
    char* const from = scratch.take(most_ * lanes * a);
    char* const to = scratch.take(most_ * lanes * a);
    char* wide[L];
    for (char*& p : wide) p = scratch.take(row);
    char* const result = spec.passes.size() % 2 ? to : from;
    for (const bool safe : {false, true}) {
      for (int b = 0; b < blocks; ++b) {
        const int some = std::min(L, count - b * L);
        const char* rows[L];
        for (int r = 0; r < some; ++r) {
          rows[r] = in + place(first + b * L + r, stride_in);
          if (!k.widens) continue;
          k.load(rows[r], spec.item, wide[r], n_in_);
          rows[r] = wide[r];
        }
        k.rows_to_lanes(rows, some, from + b * vector, blocks, n_in_);
      }
      passes(spec, k, from, to, lanes, safe);
      if (!careful_ || !sums.any_nan(result, n_out_ * lanes)) break;
    }
    for (int b = 0; b < blocks; ++b) {
      const int some = std::min(L, count - b * L);
      char *rows[L], *made[L];
      for (int r = 0; r < some; ++r) {
        made[r] = out + place(first + b * L + r, stride_out);
        rows[r] = k.widens ? wide[r] : made[r];
      }
      k.lanes_to_rows(result + b * vector, blocks, rows, some, n_out_);
      for (int r = 0; r < some && k.widens; ++r)
        k.store(rows[r], made[r], spec.item_out, n_out_, spec.rounding);
    }
  };
  return parallel(
      (groups + grain - 1) / grain, threads,
      [&](i64 task) {
        for (i64 g = task * grain; g < std::min(groups, (task + 1) * grain); ++g) group(g * together);
      },
      interrupted);
}

// All passes over maps that lie in `from`, element by element, a lane each; the last one's sums are
// in `to`, or in `from` if their number is even.
void Maps::passes(const Spec& spec, const RowKernels& k, char* from, char* to, i64 lanes,
                  bool safe) const {
  std::vector<i64> shape = shape_;
  const i64 a = k.accumulator_size;
  for (const PassSpec& pass : spec.passes) {
    const size_t axis = static_cast<size_t>(pass.axis - first_);
    const AxisTable& t = pass.table;
    const i64 outer = product(shape, 0, axis), inner = product(shape, axis + 1, shape.size()) * lanes;
    for (i64 o = 0; o < outer; ++o)
      k.sum_axis(from + o * t.n_in * inner * a, inner * a, t.starts.data(), t.counts.data(),
                 t.weights.data(), t.taps, t.lerp, 0, t.n_out, to + o * t.n_out * inner * a, inner * a,
                 true, inner, spec.rounding, safe);
    shape[axis] = t.n_out;
    if (pass.settle) k.settle(to, outer * t.n_out * inner, spec.rounding);
    std::swap(from, to);
  }
}

}  // namespace ndresize
