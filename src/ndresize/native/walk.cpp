#include "walk.hpp"

#include <algorithm>
#include <cstring>

#include "scratch.hpp"

namespace ndresize {
namespace {

constexpr i64 little_slabs = 32 << 10;  // bytes that stay in the first cache
constexpr i64 padding = 48;  // elements after a scratch row that a window may read

thread_local Scratch scratch;

void copy_elements(const char* src, i64 from, char* dst, i64 to, i64 n, i64 size) {
  for (i64 j = 0; j < n; ++j) std::memcpy(dst + j * to, src + j * from, size);
}

}  // namespace

Walk::Walk(const Spec& spec, const Kernels& kernels, const PickKernels& picks, const Prepared& prepared,
           const Tile& tile, bool safe, bool touched)
    : spec_(spec), kernels_(kernels), pick_kernels_(picks), k_(kernels.rows[spec.type]), prepared_(prepared),
      nest_(prepared.nest), tile_(tile.tables()), safe_(safe), stream_(prepared.stream && touched),
      levels_(static_cast<int>(prepared.nest.levels.size())) {
  const i64 a = k_.accumulator_size;
  // Rows of a slab lie side by side, so that slabs can be summed as one row; a slab ends with room.
  const auto padded = [&](i64 bytes) { return (bytes + padding * a + 63) / 64 * 64; };
  row_in_bytes_ = padded(tile_.n_in * a);
  row_out_bytes_ = padded(tile_.n_out * a);
  i64 total = 64 * 8 + prepared.group * (row_in_bytes_ + row_out_bytes_);
  i64 most_taps = 0;
  // Innermost first: a slab of level l is made of the levels below it.
  i64 slab_in = tile_.n_in * a, slab_out = tile_.n_out * a;
  i64 stride_in[most_levels] = {}, stride_out[most_levels] = {};
  for (int l = levels_ - 1; l >= 0; --l) {
    const Level& at = nest_.levels[l];
    Frame& f = frames_[l];
    const bool innermost = l == levels_ - 1;
    const i64 group = innermost ? prepared.group : 1;
    if (at.kind == Kind::after) {
      f.whole = innermost && !at.pass->table.has_products() && !at.pass->settle &&
                at.n_in * tile_.n_out * a <= little_slabs && !at.pass->table.has_gaps &&
                at.pass->table.taps <= most_axis_taps;
      f.slots = 1;
      while (f.slots < (f.whole ? at.n_in : at.pass->table.taps + group - 1)) f.slots *= 2;
      f.slab_bytes = padded(slab_out);
      std::copy_n(stride_out, most_levels, f.stride);
      total += f.slots * (f.slab_bytes + 64 + static_cast<i64>(sizeof(i64)));
      pointers_[l].resize(2 * at.pass->table.taps + 1);
    } else if (at.kind == Kind::first) {
      f.slots = innermost && !nest_.row ? 0 : group;
      f.slab_bytes = padded(slab_in);
      std::copy_n(stride_in, most_levels, f.stride);
      total += f.slots * (f.slab_bytes + 64);
      most_taps = std::max<i64>(most_taps, at.pass->table.taps);
      pointers_[l].resize(2 * at.pass->table.taps + 1);
    }
    stride_in[l] = slab_in, stride_out[l] = slab_out;
    slab_in *= at.n_in, slab_out *= at.n_out;
  }
  total += most_taps * row_in_bytes_ + 64 * 8;
  const i64 lanes = nest_.row && tile_.table.method == Method::transpose
                        ? 8 * a * (tile.n_in + tile.n_out + i64(tile_.table.taps) * nest_.channels)
                        : 0;
  total += lanes + row_in_bytes_ + 64;
  scratch.reset(total);
  rows_in_ = scratch.take(prepared.group * row_in_bytes_);
  rows_out_ = scratch.take(prepared.group * row_out_bytes_);
  tap_rows_ = scratch.take(most_taps * row_in_bytes_);
  lanes_ = scratch.take(lanes);
  packed_ = scratch.take(row_in_bytes_);
  for (int l = 0; l < levels_; ++l) {
    Frame& f = frames_[l];
    f.slabs = scratch.take(f.slots * f.slab_bytes);
    f.tags = reinterpret_cast<i64*>(scratch.take(f.slots * static_cast<i64>(sizeof(i64))));
  }
}

bool Walk::sums(const View& in, const View& out, i64 begin, i64 end) {
  nan_ = false;
  level(0, in, out, begin, end);
  fence();
  return !nan_;
}

void Walk::level(int l, const View& in, const View& out, i64 begin, i64 end) {
  if (nan_) return;  // everything will be made again
  if (l == levels_) {
    const char* from = in.p;
    char* to = out.p;
    rows(&from, in, &to, out, 1);
    return;
  }
  const Level& at = nest_.levels[l];
  if (at.kind == Kind::after) return after(l, in, out, begin, end);
  if (at.kind == Kind::first) return first(l, in, out, begin, end);
  for (i64 i = begin; i < end; i += prepared_.group) {
    const char* from[8];
    char* to[8];
    const int count = static_cast<int>(std::min<i64>(prepared_.group, end - i));
    for (int g = 0; g < count; ++g) {
      from[g] = in.p + (i + g) * in.stride[l];
      to[g] = out.p + (i + g) * out.stride[l];
    }
    rows(from, in, to, out, count);
  }
}

// Have a row of the input on its way to the second cache. Only of rows that are cut into tiles: one that
// is read to its end and the next one after it are fetched by the processor itself.
void Walk::fetch(const char* row, const View& from) const {
  const bool cut = prepared_.tiles.size() > 1;
  if (!cut || !from.array || from.element != (from.wide ? k_.accumulator_size : k_.element_size)) return;
  for (i64 at = 0; at < tile_.n_in * from.element; at += 64) __builtin_prefetch(row + at, 0, 2);
}

// Little slabs: all rows along, then all sums across, with few calls.
void Walk::after_whole(int l, const View& in, const View& out, i64 begin, i64 end) {
  const AxisTable& axis = nest_.levels[l].pass->table;
  const Frame& f = frames_[l];
  i64 low = axis.n_in, high = 0;
  for (i64 i = begin; i < end; ++i) {
    low = std::min(low, axis.starts[i]);
    high = std::max(high, axis.starts[i] + axis.counts[i]);
  }
  View slab{f.slabs, true, false, k_.accumulator_size, {}};
  for (i64 r = low; r < high; r += prepared_.group) {
    const char* from[8];
    char* to[8];
    const int count = static_cast<int>(std::min<i64>(prepared_.group, high - r));
    for (int g = 0; g < count; ++g) {
      from[g] = in.p + (r + g) * in.stride[l];
      to[g] = f.slabs + (r + g) * f.slab_bytes;
    }
    rows(from, in, to, slab, count);
  }
  k_.sum_axis(f.slabs, f.slab_bytes, axis.starts.data(), axis.counts.data(), axis.weights.data(),
              axis.taps, axis.lerp, begin, end, out.p, out.stride[l], out.wide, tile_.n_out, spec_.rounding, safe_);
}

// Whether two taps across and two along can be summed at once: of rows of the input that no other
// output row reads.
bool Walk::takes_squares(int l, const View& in, const View& out) const {
  const Level& at = nest_.levels[l];
  const i64 a = k_.accumulator_size;
  return l + 1 == levels_ && tile_.table.pairs && at.pass->table.taps == 2 &&
         at.pass->table.lerp == tile_.table.lerp && !at.pass->table.has_zeros && !at.pass->settle &&
         !nest_.row->settle && !at.pass->table.has_products() && at.n_out * 2 <= at.n_in && !k_.widens &&
         in.element == a && out.element == a && tile_.compact.empty() && !(stream_ && out.array);
}

void Walk::squares(int l, const View& in, const View& out, i64 begin, i64 end) {
  const AxisTable& axis = nest_.levels[l].pass->table;
  for (i64 i = begin; i < end && !nan_; ++i) {
    const char* first = in.p + axis.starts[i] * in.stride[l];
    const char* following = in.p + axis.starts[std::min(i + 1, end - 1)] * in.stride[l];
    const char* rows[2] = {first, first + in.stride[l]};
    const char* next[2] = {following, following + in.stride[l]};
    char* to = out.p + i * out.stride[l];
    k_.sum_square(tile_.table, rows, next, axis.row_weights(i, k_.accumulator_size), to, safe_);
    if (nest_.row->table.has_zeros) check_ends(to);
  }
}

void Walk::after(int l, const View& in, const View& out, i64 begin, i64 end) {
  const AxisTable& axis = nest_.levels[l].pass->table;
  Frame& f = frames_[l];
  if (takes_squares(l, in, out)) return squares(l, in, out, begin, end);
  if (f.whole && out.element == (out.wide ? k_.accumulator_size : k_.element_size) && !(stream_ && out.array))
    return after_whole(l, in, out, begin, end);
  std::fill_n(f.tags, f.slots, i64{-1});
  i64 limit = 0;
  for (i64 i = begin; i < end; ++i) limit = std::max(limit, axis.starts[i] + axis.counts[i]);
  View ring{f.slabs, true, false, k_.accumulator_size, {}};
  std::copy_n(f.stride, most_levels, ring.stride);
  std::vector<const char*>& slabs = pointers_[l];
  const char* from[8];
  char* to[8];
  int count = 0;  // rows to make
  const auto want = [&](i64 index, char* slab) {
    from[count] = in.p + index * in.stride[l];
    to[count] = slab;
    if (index + prepared_.group < limit) fetch(from[count] + prepared_.group * in.stride[l], in);
    if (++count < prepared_.group) return;
    rows(from, in, to, ring, count);
    count = 0;
  };
  const Level& at = nest_.levels[l];
  // Outputs that read the same rows are made together.
  const auto pairs = [&](i64 i) {
    return i + 1 < end && axis.starts[i] == axis.starts[i + 1] && axis.counts[i] == axis.counts[i + 1];
  };
  for (i64 i = begin; i < end && !nan_;) {
    i64 index = axis.starts[i];
    const bool twice = l + 1 == levels_ && axis.taps >= taps_of_ring_to_share && (pairs(i) || !pairs(i + 1)) &&
                       sums_twice(at, i, end, ring, out) &&
                       axis.starts[i + 1] + axis.counts[i + 1] - index <= f.slots;
    const i64 last = axis.starts[i + twice] + axis.counts[i + twice];
    const i64 ahead = prepared_.ahead ? std::min(limit, index + f.slots) : last;
    for (; index < last || (count > 0 && index < ahead); ++index) {
      const i64 slot = index & (f.slots - 1);
      char* slab = f.slabs + slot * f.slab_bytes;
      if (index < last) slabs[index - axis.starts[i]] = slab;
      if (f.tags[slot] == index) continue;
      f.tags[slot] = index;
      if (l + 1 == levels_) {
        want(index, slab);
      } else {
        ring.p = slab;
        level(l + 1, sub(in, l, index), ring, 0, nest_.levels[l + 1].n_out);
      }
    }
    if (count > 0) rows(from, in, to, ring, count), count = 0;
    char* const to_both[2] = {out.p + i * out.stride[l], out.p + (i + twice) * out.stride[l]};
    if (twice) sum_twice(at, i, slabs.data(), true, to_both, out, tile_.n_out);
    else sum_slab(l, l + 1, i, ring, slabs.data(), axis.counts[i], to_both[0], out, false);
    i += twice ? 2 : 1;
  }
}

void Walk::first(int l, const View& in, const View& out, i64 begin, i64 end) {
  const Level& at = nest_.levels[l];
  const AxisTable& axis = at.pass->table;
  Frame& f = frames_[l];
  std::vector<const char*>& slabs = pointers_[l];
  const bool innermost = l + 1 == levels_;
  // Outputs i and, where they can be made together, i + 1. Returns how many.
  const auto make = [&](i64 i, i64 limit, char* dst, std::ptrdiff_t stride, const View& to) {
    const bool twice = innermost && axis.taps >= taps_to_share && sums_twice(at, i, limit, in, to);
    const i64 last = twice ? axis.starts[i + 1] + axis.counts[i + 1] : axis.starts[i] + axis.counts[i];
    for (i64 index = axis.starts[i]; index < last; ++index)
      slabs[index - axis.starts[i]] = in.p + index * in.stride[l];
    char* const both[2] = {dst, dst + stride};
    if (twice) sum_twice(at, i, slabs.data(), in.wide, both, to, tile_.n_in);
    else sum_slab(l, l + 1, i, in, slabs.data(), axis.counts[i], dst, to, true);
    return twice ? 2 : 1;
  };
  if (innermost && !nest_.row) {  // the sum of rows is the row
    for (i64 i = begin; i < end && !nan_;) i += make(i, end, out.p + i * out.stride[l], out.stride[l], out);
    return;
  }
  View slab{f.slabs, true, false, k_.accumulator_size, {}};
  std::copy_n(f.stride, most_levels, slab.stride);
  for (i64 i = begin; i < end && !nan_; i += f.slots) {
    const int count = static_cast<int>(std::min<i64>(f.slots, end - i));
    const char* from[8];
    char* to[8];
    for (int g = 0; g < count;) g += make(i + g, i + count, f.slabs + g * f.slab_bytes, f.slab_bytes, slab);
    for (int g = 0; g < count; ++g) {
      from[g] = f.slabs + g * f.slab_bytes;
      to[g] = out.p + (i + g) * out.stride[l];
    }
    if (innermost) {
      rows(from, slab, to, out, count);
    } else {
      slab.p = f.slabs;
      level(l + 1, slab, sub(out, l, i), 0, nest_.levels[l + 1].n_out);
    }
  }
}

// Sum `count` slabs with row i's weights of level l into `dst`, row by row, or all at once where
// the slabs are contiguous. `lengths_in` tells whether they have input or output lengths.
void Walk::sum_slab(int l, int below, i64 i, const View& from, const char* const* slabs, i64 count,
                    char* dst, const View& to, bool lengths_in) {
  const Level& at = nest_.levels[l];
  const i64 n = lengths_in ? tile_.n_in : tile_.n_out;
  const i64 size = from.wide ? k_.accumulator_size : k_.element_size;
  if (below == levels_) {
    const char* const* rows = slabs;
    std::vector<const char*> many;
    if (from.element != size && count > 0) {  // strided rows become rows of accumulators
      many.resize(count);
      for (i64 t = 0; t < count; ++t) {
        char* row = tap_rows_ + t * row_in_bytes_;
        if (from.wide) copy_elements(slabs[t], from.element, row, size, n, size);
        else k_.load(slabs[t], from.element, row, n);
        many[t] = row;
      }
      rows = many.data();
    }
    sum(at, i, rows, from.wide || from.element != size, dst, to, n);
    return;
  }
  const i64 size_to = to.wide ? k_.accumulator_size : k_.element_size;
  if (from.element == size && to.element == size_to) {
    i64 elements = n;
    int inner = levels_;
    const auto adjoins = [&](int level) {
      return from.stride[level] == elements * size && to.stride[level] == elements * size_to;
    };
    for (; inner > below && adjoins(inner - 1); --inner)
      elements *= lengths_in ? nest_.levels[inner - 1].n_in : nest_.levels[inner - 1].n_out;
    if (inner == below) return sum(at, i, slabs, from.wide, dst, to, elements);
  }
  const Level& next = nest_.levels[below];
  const i64 length = lengths_in ? next.n_in : next.n_out;
  std::vector<const char*> rows(slabs, slabs + count);
  for (i64 j = 0; j < length; ++j) {
    sum_slab(l, below + 1, i, from, rows.data(), count, dst + j * to.stride[below], to, lengths_in);
    for (const char*& row : rows) row += from.stride[below];
  }
}

// Whether outputs i and i + 1 can be made at once: they share some taps.
bool Walk::sums_twice(const Level& at, i64 i, i64 end, const View& from, const View& to) const {
  const AxisTable& axis = at.pass->table;
  const auto whole = [&](const View& view) {
    return view.element == (view.wide ? k_.accumulator_size : k_.element_size);
  };
  if (i + 1 >= end || !k_.sum_rows_twice || safe_ || axis.lerp || axis.has_products() ||
      at.pass->settle || !whole(from) || !whole(to) || (stream_ && to.array && !k_.widens))
    return false;
  const i64 shift = axis.starts[i + 1] - axis.starts[i];
  return shift >= 0 && shift < axis.counts[i] && shift + axis.counts[i + 1] >= axis.counts[i];
}

void Walk::sum_twice(const Level& at, i64 i, const char* const* rows, bool wide_rows, char* const* dst,
                     const View& to, i64 n) {
  const AxisTable& axis = at.pass->table;
  const int a = k_.accumulator_size;
  const TwoSums sums{{axis.row_weights(i, a), axis.row_weights(i + 1, a)},
                     {axis.counts[i], axis.counts[i + 1]},
                     static_cast<int>(axis.starts[i + 1] - axis.starts[i])};
  k_.sum_rows_twice(rows, wide_rows, sums, dst, to.wide, n, spec_.rounding, stream_ && to.array);
  for (int k = 0; k < 2 && axis.has_gaps; ++k) check(dst[k], to.wide, n);
}

void Walk::sum(const Level& at, i64 i, const char* const* rows, bool wide_rows, char* dst,
               const View& out, i64 n) {
  const AxisTable& axis = at.pass->table;
  const void* weights = axis.row_weights(i, k_.accumulator_size);
  const bool direct = out.element == (out.wide ? k_.accumulator_size : k_.element_size);
  char* to = direct ? dst : rows_out_;
  const bool wide = !direct || out.wide;
  if (axis.has_products()) {
    const char* of[4];
    for (int t = 0; t < 4; ++t) of[t] = rows[axis.places[i * 4 + t]];
    k_.sum_products(of, wide_rows, weights, axis.trees[i], to, wide, n, spec_.rounding,
                    stream_ && out.array && direct);
  } else if (axis.lerp && axis.counts[i] == 2) {
    k_.lerp_rows(rows, wide_rows, weights, to, wide, n, spec_.rounding);
  } else {
    k_.sum_rows(rows, wide_rows, weights, axis.counts[i], to, wide, n, spec_.rounding, safe_,
              stream_ && out.array && direct);
  }
  if (axis.has_gaps) check(to, wide, n);
  if (wide && at.pass->settle) k_.settle(to, n, spec_.rounding);
  if (!direct) {
    const i64 a = k_.accumulator_size;
    if (out.wide) copy_elements(to, a, dst, out.element, n, a);
    else k_.store(to, dst, out.element, n, spec_.rounding);
  }
}

void Walk::rows(const char* const* in, const View& from, char* const* out, const View& to,
                int count) {
  const RowTable& table = tile_.table;
  const i64 a = k_.accumulator_size;
  const bool same_type = from.wide || !k_.widens;
  // `permute` loads whole windows, which a short row of an array does not have.
  const bool short_row = table.method == Method::permute && table.n_in < table.window && from.array;
  const bool packed = !tile_.compact.empty();
  const bool pixels = table.method == Method::pixels && !from.wide && from.element == k_.element_size;
  const bool direct_in = pixels || (same_type && from.element == a && !short_row && !packed);
  const bool direct_out = (to.wide || !k_.widens) && to.element == a;
  const char* sources[8] = {};
  char* sums[8] = {};
  for (int g = 0; g < count; ++g) {
    sums[g] = direct_out ? out[g] : rows_out_ + g * row_out_bytes_;
    sources[g] = in[g];
    if (direct_in) continue;
    char* row = rows_in_ + g * row_in_bytes_;
    // Never from scratch: its rows are padded.
    if (packed) pack(in[g], from, row);
    else if (from.wide) copy_elements(in[g], from.element, row, a, tile_.n_in, a);
    else k_.load(in[g], from.element, row, tile_.n_in);
    sources[g] = row;
  }
  if (nest_.row->table.has_products()) k_.sum_row_products(table, sources, !pixels, count, sums);
  else k_.sum_taps(table, sources, count, sums, lanes_, safe_);
  for (int g = 0; g < count; ++g) {
    if (nest_.row->table.has_zeros) check_ends(sums[g]);
    if (nest_.row->settle) k_.settle(sums[g], tile_.n_out, spec_.rounding);
    if (!direct_out) {
      if (to.wide) copy_elements(sums[g], a, out[g], to.element, tile_.n_out, a);
      else k_.store(sums[g], out[g], to.element, tile_.n_out, spec_.rounding);
    }
  }
}

// The samples of an array's row that are read, side by side as accumulators.
void Walk::pack(const char* row, const View& from, char* wide) {
  const i64 block = nest_.channels * k_.element_size, count = static_cast<i64>(tile_.compact.size());
  if (from.element == k_.element_size) {
    pick_kernels_.row(row, packed_, tile_.compact.data(), count, block);
  } else {  // one channel, samples apart
    for (i64 j = 0; j < count; ++j)
      std::memcpy(packed_ + j * block, row + tile_.compact[j] * from.element, block);
  }
  k_.load(packed_, k_.element_size, wide, tile_.n_in);
}

// Look for a NaN that came through a weight of zero, in a row of accumulators or of elements.
void Walk::check(const char* row, bool wide, i64 n) {
  if (!prepared_.careful || safe_) return;
  const RowKernels& k = wide ? kernels_.rows[k_.accumulator_size == 4 ? f32 : f64] : k_;
  if (k.any_nan(row, n)) nan_ = true;
}

// The same of a row that was summed along, where weights of zero are: mostly at its ends alone.
void Walk::check_ends(const char* row) {
  const i64 n = tile_.n_out, head = std::max<i64>(tile_.table.head, 8), tail = std::max<i64>(tile_.table.tail, 8);
  if (head + tail >= n) return check(row, true, n);
  if (tile_.table.head > 0) check(row, true, head);
  if (tile_.table.tail > 0) check(row + (n - tail) * k_.accumulator_size, true, tail);
}

void Walk::fence() const {
#ifdef __SSE2__
  if (stream_) __builtin_ia32_sfence();  // another thread may read what was streamed
#endif
}

}  // namespace ndresize
