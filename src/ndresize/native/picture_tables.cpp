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

std::unique_ptr<LaneTables> lane_tables(const FixedPass& pass, i64 channels, const FixedKernels& kernels) {
  const i64 bytes = pass.n_in * channels, elements = pass.n_out * channels;
  if (!kernels.vector_bytes || pass.taps > 4 || !pass.high.empty() || !pass.bias.empty() || pass.cut ||
      bytes > (i64{1} << 30))
    return nullptr;
  auto made = std::make_unique<LaneTables>();
  FixedLanes& t = made->lanes;
  const bool small = pass.store.small;
  const int each = small ? 8 : 4;  // elements in 128 bits of sums
  const int size = small ? 1 : 2;  // bytes of a weight
  const int format = pass.store.format == Format::byte ? 1 : pass.store.format == Format::word ? 2 : 4;
  const int lanes = kernels.vector_bytes / 16 * each;
  t.vectors = 16 / each / format;
  t.pairs = pass.taps > 2 ? 2 : 1;
  t.elements = elements;
  t.group_elements = i64(t.vectors) * lanes;
  t.store = pass.store;
  const i64 vectors = (elements + t.group_elements - 1) / t.group_elements * t.vectors;
  // The element of a lane, or -1; and the byte of the row that is its tap.
  const auto element_of = [&](i64 vector, int lane) {
    const i64 in_group = (lane / each * t.vectors + vector % t.vectors) * each + lane % each;
    const i64 e = vector / t.vectors * t.group_elements + in_group;
    return e < elements && pass.counts[e / channels] ? e : -1;
  };
  const auto byte_of = [&](i64 e, int tap) { return (pass.starts[e / channels] + tap) * channels + e % channels; };
  const int window = kernels.window_bytes, of_vector = kernels.vector_bytes / window, of_window = lanes / of_vector;
  i64 reach = 1;
  made->offset.assign(vectors * of_vector, 0);
  for (i64 v = 0; v < vectors; ++v)
    for (int k = 0; k < of_vector; ++k) {
      i64 low = bytes, high = 0;
      for (int lane = k * of_window; lane < (k + 1) * of_window; ++lane) {
        const i64 e = element_of(v, lane);
        if (e < 0) continue;
        low = std::min(low, byte_of(e, 0));
        high = std::max(high, byte_of(e, pass.counts[e / channels] - 1) + 1);
      }
      reach = std::max(reach, high - low);
      made->offset[v * of_vector + k] = static_cast<int>(low);
    }
  t.windows = static_cast<int>((reach + window - 1) / window);
  if (t.windows > 2 || bytes < window * t.windows) return nullptr;
  for (int& offset : made->offset) offset = std::min(offset, static_cast<int>(bytes) - window * t.windows);
  const bool apart = window == 16;  // each window of 16 bytes has a control
  const int controls = apart ? t.windows * t.pairs : t.pairs;
  made->control.assign(vectors * controls * kernels.vector_bytes, -1);
  made->weights.assign(vectors * t.pairs * kernels.vector_bytes, 0);
  for (i64 v = 0; v < vectors; ++v)
    for (int lane = 0; lane < lanes; ++lane) {
      const i64 e = element_of(v, lane);
      for (int tap = 0; e >= 0 && tap < pass.counts[e / channels]; ++tap) {
        const i64 at = byte_of(e, tap) - made->offset[v * of_vector + lane / of_window];
        const i64 place = (lane * 2 + tap % 2) * size, pair = tap / 2;
        const i64 control = v * controls + (apart ? at / 16 * t.pairs : 0) + pair;
        made->control[control * kernels.vector_bytes + place] = static_cast<signed char>(apart ? at % 16 : at);
        std::memcpy(&made->weights[(v * t.pairs + pair) * kernels.vector_bytes + place],
                    &pass.low[e / channels * pass.padded + tap], size);
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
