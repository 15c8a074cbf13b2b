#include "picks.hpp"

#include <algorithm>
#include <cstring>

#include "scratch.hpp"

namespace ndresize {
namespace {

constexpr int most_rows = 4;           // that are picked at a time
constexpr i64 made_bytes = 16 << 10;  // of rows that stay in the first cache

thread_local Scratch scratch;

}  // namespace

Picks::Picks(const Spec& spec, const PickKernels& kernels, const Prepared& prepared, const Tile& tile, bool touched)
    : spec_(spec), kernels_(kernels), nest_(prepared.nest), tile_(tile.tables()), stream_(prepared.stream && touched),
      levels_(static_cast<int>(prepared.nest.levels.size())),
      block_((prepared.nest.row ? prepared.nest.channels : 1) * spec.item), row_bytes_(tile_.n_out * block_) {
  if (!stream_) return;
  streamed_ = static_cast<int>(std::clamp<i64>(made_bytes / std::max<i64>(row_bytes_, 1), 1, most_rows));
  scratch.reset(streamed_ * row_bytes_ + 128);
  made_ = scratch.take(streamed_ * row_bytes_);
}

void Picks::run(const View& in, const View& out, i64 begin, i64 end) {
  std::uintptr_t misaligned = reinterpret_cast<std::uintptr_t>(out.p);
  for (int l = 0; l < levels_; ++l) misaligned |= static_cast<std::uintptr_t>(out.stride[l]);
  direct_ = nest_.row && tile_.shuffled == tile_.n_out && in.element == spec_.item && misaligned % 64 == 0;
  level(0, in, out, begin, end);
#ifdef __SSE2__
  if (stream_) __builtin_ia32_sfence();  // another thread may read what was streamed
#endif
}

// Whether slabs of the levels from `below` on have no gaps.
bool Picks::contiguous(const View& out, int below) const {
  if (nest_.row && nest_.channels == 1 && out.element != spec_.item) return false;
  i64 bytes = row_bytes_;
  for (int l = levels_ - 1; l >= below; --l) {
    if (out.stride[l] != bytes) return false;
    bytes *= nest_.levels[l].n_out;
  }
  return true;
}

void Picks::level(int l, const View& in, const View& out, i64 begin, i64 end) {
  if (l == levels_) {
    const char* const from = in.p;
    return rows(&from, &out.p, 1, in, out);
  }
  // Of outputs with the same source the first is picked, and the others are copies of it: of slabs without
  // gaps, or, past the caches, of each row.
  const Level& at = nest_.levels[l];
  const bool innermost = l + 1 == levels_;
  const bool copied = contiguous(out, stream_ ? levels_ : l + 1);
  const bool past = stream_ && copied;
  const int most = !innermost ? 1 : past ? streamed_ : most_rows;
  for (i64 i = begin; i < end;) {
    const char* from[most_rows];
    char* to[most_rows];
    i64 first[most_rows + 1];
    i64 source = i;
    int count = 0;
    for (; i < end && count < most; ++count) {
      source = at.pass ? at.pass->table.starts[i] : i;
      from[count] = in.p + source * in.stride[l];
      to[count] = out.p + i * out.stride[l];
      first[count] = i++;
      while (copied && at.pass && i < end && at.pass->table.starts[i] == source) ++i;
    }
    first[count] = i;
    if (innermost && past) {
      rows_past(from, to, first, count, in, out);
    } else if (innermost) {
      rows(from, to, count, in, out);
    } else {
      const size_t places = places_.size();
      if (past) repeat(i - first[0], out.stride[l]);
      level(l + 1, sub(in, l, source), sub(out, l, first[0]), 0, nest_.levels[l + 1].n_out);
      places_.resize(places);
    }
    for (int k = 0; copied && !stream_ && k < count; ++k) copies(to[k], l, out, first[k] + 1, first[k + 1]);
  }
}

// Copies of a slab to outputs first..end - 1 of a level.
void Picks::copies(const char* made, int l, const View& out, i64 first, i64 end) {
  i64 bytes = row_bytes_;
  for (int k = l + 1; k < levels_; ++k) bytes *= nest_.levels[k].n_out;
  if (out.stride[l] != bytes) {
    for (i64 i = first; i < end; ++i) std::memcpy(out.p + i * out.stride[l], made, bytes);
  } else {  // each copy doubles what there is to copy
    char* const slab = out.p + (first - 1) * bytes;
    for (i64 done = 1, all = end - first + 1; done < all; done *= 2)
      std::memcpy(slab + done * bytes, slab, std::min(done, all - done) * bytes);
  }
}

// Let places be `count` times as many, each group `step` bytes after the one before.
void Picks::repeat(i64 count, i64 step) {
  const size_t places = places_.size();
  for (i64 k = 1; k < count; ++k)
    for (size_t p = 0; p < places; ++p) places_.push_back(places_[p] + k * step);
}

// Rows to all their places past the caches, row k from `to[k]` on: as they are picked, or from the first cache.
void Picks::rows_past(const char* const* from, char* const* to, const i64* first, int count, const View& in,
                      const View& out) {
  char* made[most_rows];
  for (int k = 0; k < count; ++k) made[k] = made_ + k * row_bytes_;
  if (nest_.row && !direct_) rows(from, made, count, in, out);
  const size_t places = places_.size();
  for (int k = 0; k < count; ++k) {
    repeat(first[k + 1] - first[k], out.stride[levels_ - 1]);
    if (direct_) {
      kernels_.shuffle_past(tile_.shuffle, from[k], to[k], places_.data(), static_cast<i64>(places_.size()));
    } else {
      for (const i64 place : places_)
        kernels_.stream_copy(nest_.row ? made[k] : from[k], to[k] + place, row_bytes_);
    }
    places_.resize(places);
  }
}

void Picks::rows(const char* const* from, char* const* to, int count, const View& in, const View& out) {
  const i64 item = spec_.item;
  if (!nest_.row) {
    for (int k = 0; k < count; ++k) std::memcpy(to[k], from[k], row_bytes_);
    return;
  }
  if (nest_.channels == 1 && (in.element != item || out.element != item)) {
    for (int k = 0; k < count; ++k)
      for (i64 i = 0; i < tile_.n_out; ++i)
        std::memcpy(to[k] + i * out.element, from[k] + tile_.starts[i] * in.element, item);
    return;
  }
  if (tile_.shuffle.groups > 0) kernels_.shuffle(tile_.shuffle, from, to, count);
  const i64 done = tile_.shuffled;
  for (int k = 0; done < tile_.n_out && k < count; ++k)
    kernels_.row(from[k], to[k] + done * block_, tile_.starts.data() + done, tile_.n_out - done, block_);
}

}  // namespace ndresize
