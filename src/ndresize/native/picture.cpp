#include "picture.hpp"

#include <algorithm>
#include <cstring>

#include "blocks.hpp"
#include "pool.hpp"
#include "scratch.hpp"

namespace ndresize {
namespace {

constexpr i64 little = 1 << 17;        // element operations that are not worth waking a thread for
constexpr i64 ring_bytes = 192 << 10;  // of rows between two passes: they stay in the second cache

int size_of(Format format) {
  return format == Format::byte ? 1 : format == Format::word ? 2 : 4;
}

thread_local Scratch scratch;

// Pixels of `block` bytes, `from` bytes apart, to pixels that are `to` bytes apart.
void copy_pixels(const char* src, i64 from, char* dst, i64 to, i64 block, i64 n) {
  if (block == 1) {
    for (i64 k = 0; k < n; ++k) dst[k * to] = src[k * from];
  } else {
    for (i64 k = 0; k < n; ++k) std::memcpy(dst + k * to, src + k * from, static_cast<size_t>(block));
  }
}

void flip(char* row, i64 n) {
  for (i64 k = 0; k < n; ++k) row[k] = static_cast<char>(row[k] ^ 0x80);
}

// How the arrays lie in memory: rows of pixels, one row per place of the axis across them.
struct Layout {
  std::vector<int> batch;
  int across_axis = -1;            // -1: a single row
  i64 across_in = 1, across_out = 1;
  i64 row_in = 0, row_out = 0;     // bytes from row to row
  i64 pixel_in = 1, pixel_out = 1;  // bytes from pixel to pixel
  i64 channels = 1;                // bytes of a pixel
  i64 n_in = 1, n_out = 1;         // pixels of a row
  std::vector<std::int32_t> bias;  // of sums along it, see FixedTable
  bool flipped = false;             // bytes have a sign: their highest bit is turned over
  bool wraps = false;               // but not of those that a pass gives: the next turns it
  bool flipped_out() const { return flipped && !wraps; }
  bool contiguous_in() const { return !flipped && (pixel_in == channels || n_in <= 1); }
  bool contiguous_out() const { return !flipped_out() && (pixel_out == channels || n_out <= 1); }
};

// How the rows of a picture are made.
struct How {
  bool along_first;
  bool halves;
  bool stream;  // past the caches
};

// One range of output rows of one picture.
class Rows {
 public:
  Rows(const Layout& layout, const FixedKernels& kernels, const FixedPass* along,
       const LaneTables* lanes, const StackTables* stacked,
       const FixedPass* across, How how, const char* in, char* out)
      : at_(layout), k_(kernels), along_(along), lanes_(lanes), stacks_(stacked),
        group_(stacked ? kernels.stack_rows : kernels.group), across_(across), how_(how), in_(in), out_(out) {
    if (along_) {
      table_ = {at_.channels,       along->n_in, along->n_out, along->taps, along->padded,
                along->starts.data(), along->counts.data(), along->low.data(),
                along->high.empty() ? nullptr : along->high.data(), along->cut, along->store,
                layout.bias.empty() ? nullptr : layout.bias.data(), quad_sums(at_.channels)};
      if (stacked) {
        stacked_ = stacked->stack;
        stacked_.channels = at_.channels;
      }
      reach_ = fixed_reach(at_.channels, along->taps);
      while (safe_ < along->n_out && along->starts[safe_] * at_.channels + reach_ <= in_bytes())
        ++safe_;
      tail_ = along->n_in;
      for (i64 o = safe_; o < along->n_out; ++o) tail_ = std::min(tail_, along->starts[o]);
    }
  }

  void make(i64 begin, i64 end) {
    const i64 padded_in = in_bytes() + reach_ + 64, out_bytes = at_.n_out * at_.channels;
    const i64 each = padded_in + out_bytes + 64 + 3 * 64;
    const i64 taps = across_ ? across_->taps : 0;
    const i64 group = std::max(group_, 2);
    scratch.reset(group * (each + padded_in) + (taps + 1) * (in_bytes() + 64) + 4096);
    for (i64 g = 0; g < group; ++g) {
      rows_in_[g] = scratch.take(padded_in);
      tails_[g] = scratch.take(padded_in - tail_ * at_.channels * (along_ != nullptr));
      rows_out_[g] = scratch.take(out_bytes + 64);
    }
    if (!across_) alone(begin, end);
    else if (!along_) sums(begin, end);
    else if (how_.halves) halves(begin, end);
    else if (how_.along_first) ring(begin, end);
    else summed_first(begin, end);
#ifdef __SSE2__
    if (how_.stream) __builtin_ia32_sfence();  // another thread may read what was streamed
#endif
  }

 private:
  i64 in_bytes() const { return at_.n_in * at_.channels; }
  const char* input(i64 row) const { return in_ + row * at_.row_in; }
  char* output(i64 row) const { return out_ + row * at_.row_out; }

  // A row of the input, its pixels side by side.
  const char* read(i64 row, char* spare) const {
    if (across_ && !across_->rows.empty()) row = across_->rows[row];
    if (at_.contiguous_in()) return input(row);
    gather(input(row), at_.pixel_in, spare);
    return spare;
  }

  void gather(const char* from, i64 apart, char* row) const {
    if (apart == at_.channels) std::memcpy(row, from, static_cast<size_t>(in_bytes()));
    else copy_pixels(from, apart, row, at_.channels, at_.channels, at_.n_in);
    if (at_.flipped) flip(row, in_bytes());
  }

  // `pixels` of a finished row to an output row, from pixel `first` on.
  void scatter(char* row, i64 to, i64 first, i64 pixels) const {
    if (at_.flipped_out()) flip(row, pixels * at_.channels);
    char* place = output(to) + first * at_.pixel_out;
    if (at_.pixel_out == at_.channels)
      std::memcpy(place, row, static_cast<size_t>(pixels * at_.channels));
    else
      copy_pixels(row, at_.channels, place, at_.pixel_out, at_.channels, pixels);
  }

  void write(char* row, i64 to) const { scatter(row, to, 0, at_.n_out); }

  // Outputs from..to - 1 along up to `group_` rows. `room`: the rows go on for `reach_` bytes.
  void along(const char* const* rows, int count, i64 from, i64 to, char* const* dst, bool room) {
    const std::uint8_t* sources[16];
    for (int g = 0; g < count; ++g) sources[g] = reinterpret_cast<const std::uint8_t*>(rows[g]);
    if (lanes_) {  // its windows stay inside the row
      const i64 size = lanes_->lanes.group_elements;
      k_.sum_lanes(lanes_->lanes, sources, count, from * at_.channels / size,
                   (to * at_.channels + size - 1) / size, dst);
      return;
    }
    if (stacks_ && count > 2 * k_.group) {  // with fewer rows its lanes are too empty
      k_.sum_stack(stacked_, sources, count, from, to, dst);
      return;
    }
    for (int done = 0; done < count; done += k_.group)
      pixels(rows + done, sources + done, std::min(k_.group, count - done), from, to, dst + done, room);
  }

  void pixels(const char* const* rows, const std::uint8_t** sources, int count, i64 from, i64 to,
              char* const* dst, bool room) {
    const i64 safe = room ? to : std::clamp(safe_, from, to);
    k_.sum_pixels(table_, sources, count, from, safe, dst);
    if (safe == to) return;
    // What the last outputs read, in rows that may be read beyond their ends.
    const i64 begin = tail_ * at_.channels;
    for (int g = 0; g < count; ++g) {
      std::memcpy(tails_[g], rows[g] + begin, static_cast<size_t>(in_bytes() - begin));
      sources[g] = reinterpret_cast<const std::uint8_t*>(tails_[g]) - begin;
    }
    k_.sum_pixels(table_, sources, count, safe, to, dst);
  }

  // A pass along the rows and none across.
  void alone(i64 begin, i64 end) {
    const char* from[16];
    char* to[16];
    for (i64 i = begin; i < end; i += group_) {
      const int count = static_cast<int>(std::min<i64>(group_, end - i));
      for (int g = 0; g < count; ++g) {
        from[g] = read(i + g, rows_in_[g]);
        to[g] = at_.contiguous_out() ? output(i + g) : rows_out_[g];
      }
      along(from, count, 0, at_.n_out, to, !at_.contiguous_in());
      for (int g = 0; g < count && !at_.contiguous_out(); ++g) write(to[g], i + g);
    }
  }

  // A pass across the rows and none along.
  void sums(i64 begin, i64 end) {
    std::vector<const char*> rows(static_cast<size_t>(across_->taps));
    std::vector<char*> spare(rows.size());
    for (char*& p : spare) p = scratch.take(in_bytes() + 64);
    for (i64 i = begin; i < end; ++i) {
      char* to = at_.contiguous_out() ? output(i) : rows_out_[0];
      sum_inputs(i, rows, spare, to);
      if (!at_.contiguous_out()) write(to, i);
    }
  }

  FixedStore store_across(i64 i) const {
    FixedStore store = across_->store;
    if (across_->bias.empty()) return store;
    store.half += across_->bias[i];
    if (store.split != INT32_MIN) store.split -= across_->bias[i];
    return store;
  }

  void sum_inputs(i64 i, std::vector<const char*>& rows, const std::vector<char*>& spare, char* to) {
    const int count = across_->counts[i];
    for (int t = 0; t < count; ++t) rows[t] = read(across_->starts[i] + t, spare[t]);
    k_.sum_rows(rows.data(), Format::byte, across_->weights_of(i), count, across_->cut, to,
                store_across(i), in_bytes(), how_.stream && !along_);
  }

  void summed_first(i64 begin, i64 end) {
    std::vector<const char*> rows(static_cast<size_t>(across_->taps));
    std::vector<char*> spare(rows.size());
    for (char*& p : spare) p = scratch.take(in_bytes() + 64);
    char* to[16];
    for (i64 i = begin; i < end; i += group_) {
      const int count = static_cast<int>(std::min<i64>(group_, end - i));
      for (int g = 0; g < count; ++g) {
        sum_inputs(i + g, rows, spare, rows_in_[g]);
        if (at_.wraps) flip(rows_in_[g], in_bytes());
        to[g] = at_.contiguous_out() ? output(i + g) : rows_out_[g];
      }
      along(rows_in_, count, 0, at_.n_out, to, true);
      for (int g = 0; g < count && !at_.contiguous_out(); ++g) write(to[g], i + g);
    }
  }

  // Means of two by two pixels.
  void halves(i64 begin, i64 end) {
    for (i64 i = begin; i < end; ++i) {
      const std::uint8_t* rows[2];
      for (int t = 0; t < 2; ++t)
        rows[t] = reinterpret_cast<const std::uint8_t*>(read(across_->starts[i] + t, rows_in_[t]));
      char* to = at_.contiguous_out() ? output(i) : rows_out_[0];
      k_.halve_rows(rows, at_.channels, to, at_.n_out * at_.channels, across_->store.half_even);
      if (!at_.contiguous_out()) write(to, i);
    }
  }

  // Along first: rows that were resized are kept in a ring until the last sum that reads them.
  void ring(i64 begin, i64 end) {
    std::vector<i64> needed;  // the input rows that are read, ascending
    std::vector<i64> first(static_cast<size_t>(end - begin));  // where in `needed` a sum begins
    for (i64 i = begin; i < end; ++i) {
      const i64 start = across_->starts[i], stop = start + across_->counts[i];
      for (i64 r = needed.empty() ? start : std::max(start, needed.back() + 1); r < stop; ++r)
        needed.push_back(r);
      first[i - begin] = std::lower_bound(needed.begin(), needed.end(), start) - needed.begin();
    }
    const i64 size = size_of(table_.store.format), slots = across_->taps + group_;
    // Columns are taken in pieces whose ring stays in the cache.
    const i64 pixels =
        std::clamp<i64>(ring_bytes / (slots * size * at_.channels) / 64 * 64, 64, std::max<i64>(at_.n_out, 64));
    const i64 slot_bytes = std::min(pixels, at_.n_out) * at_.channels * size + 64;
    std::vector<char> memory(static_cast<size_t>(slots * slot_bytes + 64));
    std::vector<const char*> rows(static_cast<size_t>(across_->taps));
    for (i64 from = 0; from < at_.n_out; from += pixels) {
      const i64 to = std::min(from + pixels, at_.n_out);
      i64 made = 0;
      for (i64 i = begin; i < end; ++i) {
        const i64 place = first[i - begin];
        const int count = across_->counts[i];
        while (made < place + count) made += more(needed, made, from, to, memory.data(), slots, slot_bytes);
        for (int t = 0; t < count; ++t) rows[t] = memory.data() + (place + t) % slots * slot_bytes;
        char* row = at_.contiguous_out() ? output(i) + from * at_.channels : rows_out_[0];
        k_.sum_rows(rows.data(), table_.store.format, across_->weights_of(i), count, across_->cut, row,
                    store_across(i), (to - from) * at_.channels, how_.stream);
        if (!at_.contiguous_out()) scatter(row, i, from, to - from);
      }
    }
  }

  i64 more(const std::vector<i64>& needed, i64 made, i64 from, i64 to, char* memory, i64 slots,
           i64 slot_bytes) {
    const char* sources[16];
    char* dst[16];
    const int count = static_cast<int>(std::min<i64>(group_, static_cast<i64>(needed.size()) - made));
    for (int g = 0; g < count; ++g) {
      sources[g] = read(needed[made + g], rows_in_[g]);
      dst[g] = memory + (made + g) % slots * slot_bytes -
               from * at_.channels * size_of(table_.store.format);
    }
    along(sources, count, from, to, dst, !at_.contiguous_in());
    for (int g = 0; g < count && at_.wraps; ++g)
      flip(dst[g] + from * at_.channels, (to - from) * at_.channels);
    return count;
  }

  const Layout& at_;
  const FixedKernels& k_;
  const FixedPass* along_;
  const LaneTables* lanes_;  // of `along_`, where they serve
  const bool stacks_;  // whether it takes stacks of rows
  const int group_;           // rows along which sums are made at a time
  const FixedPass* across_;
  const How how_;
  const char* in_;
  char* out_;
  FixedTable table_{};
  FixedStack stacked_{};
  i64 reach_ = 0;
  i64 safe_ = 0;  // outputs that read nothing beyond a row's end
  i64 tail_ = 0;  // the first pixel that the others read
  char *rows_in_[16], *tails_[16], *rows_out_[16];
};

}  // namespace

namespace {

// Whether outputs are sums of two neighbours, each pair after the one before, of equal weights.
bool takes_pairs(const FixedPass& pass) {
  for (i64 o = 0; o < pass.n_out; ++o)
    if (pass.starts[o] != 2 * o || pass.counts[o] != 2 || pass.low[o * pass.padded] != pass.low[0] ||
        pass.low[o * pass.padded + 1] != pass.low[0])
      return false;
  return pass.n_out > 0 && pass.cut == 0 && pass.high.empty() && pass.bias.empty();
}

// Whether two passes are means of four samples, ties up or to even.
bool takes_means(const std::vector<FixedPass>& passes) {
  if (passes.size() != 2 || !takes_pairs(passes[0]) || !takes_pairs(passes[1])) return false;
  const FixedStore &between = passes[0].store, &last = passes[1].store;
  return between.format != Format::byte && between.shift == 0 && last.shift >= 2 &&
         last.split == INT32_MIN && last.half + last.half_even == i64{1} << (last.shift - 1) &&
         i64{passes[0].low[0]} * passes[1].low[0] == i64{1} << (last.shift - 2);
}

}  // namespace

Picture::Picture(std::vector<i64> in, std::vector<i64> out, std::vector<FixedPass> passes,
                 bool signed_bytes, const FixedKernels& kernels, bool wraps)
    : shape_in(std::move(in)), shape_out(std::move(out)), passes_(std::move(passes)),
      signed_bytes_(signed_bytes), wraps_(wraps), halves_(takes_means(passes_)), kernels_(kernels) {}

const LaneTables* Picture::lanes(const FixedPass& along, i64 channels) const {
  return lanes_.get(channels, [&] { return lane_tables(along, channels, kernels_); });
}

const StackTables* Picture::stack(const FixedPass& along, i64 channels) const {
  if (!kernels_.stack_rows || channels > 4) return nullptr;
  return stacks_.get(&along, [&] { return stack_tables(along, kernels_.stack_bytes); });
}

bool Picture::run(const char* in, const i64* stride_in, char* out, const i64* stride_out,
                  bool touched, int threads, bool (*interrupted)()) const {
  const int rank = static_cast<int>(shape_in.size());
  i64 samples = 1;
  for (const i64 n : shape_out) samples *= n;
  if (samples == 0) return true;

  int last = -1;
  for (const FixedPass& pass : passes_) last = std::max(last, pass.axis);
  i64 block = 1;  // bytes after the last resized axis that are side by side in both arrays
  bool covered = true;
  for (int axis = rank - 1; axis > last && covered; --axis) {
    const i64 n = shape_in[axis];
    covered = n == 1 || (stride_in[axis] == block && stride_out[axis] == block);
    if (covered) block *= n;
  }
  if (!covered) block = 1;

  Layout at;
  at.flipped = signed_bytes_;
  at.wraps = wraps_;
  const FixedPass *along = nullptr, *across = nullptr;
  const bool block_rows = passes_.size() == 1 && covered && block >= 32;
  if (block_rows) {  // the block is a row, and the pass goes across such rows
    across = &passes_[0];
    at.n_in = at.n_out = block;
    at.across_axis = last;
  } else {
    for (const FixedPass& pass : passes_) (pass.axis == last ? along : across) = &pass;
    at.channels = block;
    at.n_in = along->n_in, at.n_out = along->n_out;
    at.pixel_in = stride_in[last], at.pixel_out = stride_out[last];
    if (across) at.across_axis = across->axis;
    const int step = quad_sums(at.channels);
    for (const std::int32_t bias : along->bias) at.bias.insert(at.bias.end(), static_cast<size_t>(step), bias);
    if (!at.bias.empty()) at.bias.resize(at.bias.size() + 64);  // quads are made four at a time
  }
  const int kept = covered ? last + 1 : rank;
  for (int axis = 0; axis < kept; ++axis)
    if (axis != last && axis != at.across_axis) at.batch.push_back(axis);
  if (at.across_axis < 0 && !at.batch.empty()) {  // rows come in groups along the longest kept axis
    const auto longest = std::max_element(at.batch.begin(), at.batch.end(),
                                          [&](int a, int b) { return shape_out[a] < shape_out[b]; });
    at.across_axis = *longest;
    at.batch.erase(longest);
  }
  if (at.across_axis >= 0) {
    at.across_in = shape_in[at.across_axis], at.across_out = shape_out[at.across_axis];
    at.row_in = stride_in[at.across_axis], at.row_out = stride_out[at.across_axis];
  }

  i64 pictures = 1, work = samples;
  for (const int axis : at.batch) pictures *= shape_out[axis];
  for (const FixedPass& pass : passes_) work += samples * pass.taps;
  if (work < little) threads = 1;
  else if (threads <= 0) threads = usable_threads();
  i64 chunks = work / longest_task / pictures + 1;
  if (threads > 1)
    chunks = equal_shares(std::max(chunks, (4 * threads + pictures - 1) / pictures), pictures, threads);
  chunks = std::min(chunks, at.across_out);
  const How how{along == &passes_[0], halves_ && at.channels <= 4, touched && samples >= large_output};
  const LaneTables* lane = along && !how.halves ? lanes(*along, at.channels) : nullptr;
  const StackTables* stacked = along && !how.halves && !lane ? stack(*along, at.channels) : nullptr;

  return parallel(
      pictures * chunks, threads,
      [&](i64 task) {
        const i64 chunk = task % chunks;
        i64 entry = task / chunks;
        const char* from = in;
        char* to = out;
        for (auto axis = at.batch.rbegin(); axis != at.batch.rend(); ++axis) {
          const i64 part = entry % shape_out[*axis];
          entry /= shape_out[*axis];
          from += part * stride_in[*axis];
          to += part * stride_out[*axis];
        }
        Rows(at, kernels_, along, lane, stacked, across, how, from, to)
            .make(at.across_out * chunk / chunks, at.across_out * (chunk + 1) / chunks);
      },
      interrupted);
}

}  // namespace ndresize
