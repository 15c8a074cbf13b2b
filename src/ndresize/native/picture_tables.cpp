#include "picture_tables.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

namespace ndresize {

FixedPass fixed_pass(int axis, i64 n_in, i64 n_out, int taps, const i64* starts,
                     const std::int32_t* weights) {
  FixedPass pass;
  pass.axis = axis;
  pass.n_in = n_in, pass.n_out = n_out;
  pass.taps = taps;
  pass.padded = (taps + 15) / 16 * 16;  // what the longest load of weights takes
  pass.starts.assign(starts, starts + n_out);
  pass.counts.resize(static_cast<size_t>(n_out));
  const size_t size = static_cast<size_t>(n_out) * pass.padded;
  pass.low.resize(size);
  const auto fits = [](std::int32_t w) { return w == static_cast<std::int16_t>(w); };
  if (!std::all_of(weights, weights + n_out * taps, fits)) pass.high.resize(size);
  for (i64 o = 0; o < n_out; ++o)
    for (int t = 0; t < taps; ++t) {
      const std::int32_t w = weights[o * taps + t];
      if (w != 0) pass.counts[o] = t + 1;
      const auto low = static_cast<std::int16_t>(static_cast<std::uint16_t>(w & 0xffff));
      pass.low[o * pass.padded + t] = low;
      if (!pass.high.empty())
        pass.high[o * pass.padded + t] = static_cast<std::int16_t>((w - low) >> 16);
    }
  return pass;
}

std::unique_ptr<LaneTables> lane_tables(const FixedPass& pass, i64 channels, int vector_bytes) {
  const i64 bytes = pass.n_in * channels, elements = pass.n_out * channels;
  if (!vector_bytes || pass.taps > 4 || !pass.high.empty() || !pass.bias.empty() || pass.cut || bytes < 16 ||
      bytes > (i64{1} << 30))
    return nullptr;
  auto made = std::make_unique<LaneTables>();
  FixedLanes& t = made->lanes;
  t.vectors = pass.store.format == Format::byte ? 4 : pass.store.format == Format::word ? 2 : 1;
  t.pairs = pass.taps > 2 ? 2 : 1;
  t.elements = elements;
  t.group_elements = i64(t.vectors) * vector_bytes / 4;
  t.store = pass.store;
  const i64 groups = (elements + t.group_elements - 1) / t.group_elements;
  const i64 quads = groups * t.vectors * vector_bytes / 16;  // four elements each
  made->offset.assign(quads, 0);
  made->control.assign(quads * t.pairs * 16, -1);
  made->weights.assign(quads * t.pairs * 8, 0);
  const int parts = vector_bytes / 16;
  for (i64 q = 0; q < quads; ++q) {
    const i64 vector = q / parts, part = q % parts;
    const i64 first = vector / t.vectors * t.group_elements + part * 4 * t.vectors +
                      vector % t.vectors * 4;
    i64 low = bytes - 16;
    for (i64 e = first; e < std::min(first + 4, elements); ++e)
      low = std::min(low, pass.starts[e / channels] * channels + e % channels);
    made->offset[q] = static_cast<int>(low);
    for (i64 e = first; e < std::min(first + 4, elements); ++e) {
      const i64 o = e / channels;
      for (int tap = 0; tap < pass.counts[o]; ++tap) {
        const i64 at = (pass.starts[o] + tap) * channels + e % channels - low;
        if (at >= 16) return nullptr;
        const i64 place = (vector * t.pairs + tap / 2) * parts + part;  // 16 bytes each
        const i64 word = (e - first) * 2 + tap % 2;
        made->control[place * 16 + word * 2] = static_cast<signed char>(at);
        made->weights[place * 8 + word] = pass.low[o * pass.padded + tap];
      }
    }
  }
  t.offset = made->offset.data();
  t.control = made->control.data();
  t.weights = made->weights.data();
  return made;
}

namespace {

// The lowest digit of a weight, which has a sign, and what is left above it.
template <class Digit>
Digit take_digit(std::int32_t& weight) {
  const auto digit = static_cast<Digit>(static_cast<std::make_unsigned_t<Digit>>(weight));
  weight = static_cast<std::int32_t>((i64(weight) - digit) >> (8 * sizeof(Digit)));
  return digit;
}

// Digits of the longest weight.
template <class Digit>
int most_digits(const FixedPass& pass) {
  int most = 1;
  for (i64 o = 0; o < pass.n_out; ++o)
    for (int tap = 0; tap < pass.counts[o]; ++tap) {
      std::int32_t rest = weight_of(pass.weights_of(o), tap);
      for (int count = 1; rest != 0; ++count) {
        most = std::max(most, count);
        take_digit<Digit>(rest);
      }
    }
  return most;
}

// `place`: where the weights of a group's four pixels go.
template <class Digit>
void fill_stack(const FixedPass& pass, StackTables& made, const std::array<int, 4>& place) {
  const FixedStack& t = made.stack;
  made.weights.resize(static_cast<size_t>(pass.n_out) * t.groups * t.digits * 4 * sizeof(Digit));
  for (i64 o = 0; o < pass.n_out; ++o)
    for (int tap = 0; tap < pass.counts[o]; ++tap) {
      const i64 pixel = pass.starts[o] - made.first[o] * 4 + tap;
      const i64 group = o * t.groups + pixel / 4;
      std::int32_t rest = weight_of(pass.weights_of(o), tap);
      for (int d = 0; d < t.digits; ++d) {
        const Digit digit = take_digit<Digit>(rest);
        const i64 at = (group * t.digits + d) * 4 + place[pixel % 4];
        std::memcpy(&made.weights[at * sizeof(Digit)], &digit, sizeof(Digit));
      }
    }
}

}  // namespace

std::unique_ptr<StackTables> stack_tables(const FixedPass& pass, bool bytes) {
  const bool sparse = pass.taps * pass.n_out * 2 < pass.n_in;  // most of what is transposed is not read
  if (pass.cut || sparse) return nullptr;
  auto made = std::make_unique<StackTables>();
  FixedStack& t = made->stack;
  for (i64 o = 0; o < pass.n_out; ++o) {
    const i64 first = pass.starts[o] / 4, end = (pass.starts[o] + pass.counts[o] + 3) / 4;
    made->first.push_back(first);
    made->counts.push_back(pass.counts[o] ? static_cast<int>(end - first) : 0);
    t.groups = std::max(t.groups, made->counts.back());
  }
  t.digits = bytes ? std::max(most_digits<std::int8_t>(pass), 2) : most_digits<std::int16_t>(pass);
  if (t.groups > most_stack_groups || t.digits > (bytes ? 3 : 2)) return nullptr;
  if (bytes) fill_stack<std::int8_t>(pass, *made, {0, 1, 2, 3});
  else fill_stack<std::int16_t>(pass, *made, {0, 2, 1, 3});
  t.n_in = pass.n_in;
  t.first = made->first.data();
  t.counts = made->counts.data();
  t.weights = made->weights.data();
  t.store = pass.store;
  t.bias = pass.bias.empty() ? nullptr : pass.bias.data();
  return made;
}

}  // namespace ndresize
