// Random programs on random strided arrays against plain loops, for the sanitizers.
// Usage: fuzz SEED COUNT. Prints the first disagreement and returns 1.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "../../src/ndresize/native/joint.hpp"
#include "../../src/ndresize/native/picture.hpp"
#include "../../src/ndresize/native/program.hpp"

using namespace ndresize;

namespace {

std::mt19937_64 rng;
std::vector<const PickKernels*> pick_sets;  // that the processor has
i64 draw(i64 low, i64 high) { return std::uniform_int_distribution<i64>(low, high)(rng); }

template <class T>
const T& one_of(const std::vector<const T*>& sets) {
  return *sets[static_cast<size_t>(draw(0, static_cast<i64>(sets.size()) - 1))];
}

struct Array {
  std::vector<char> memory;
  std::vector<i64> stride;
  char* p;
};

// Memory of exactly the size that the strides reach, so that a step outside is seen. `repeats`: an
// axis may have stride 0. `plain`: C order without gaps, from anywhere in a line of the cache on.
Array make_array(const std::vector<i64>& shape, i64 item, bool repeats, bool plain = false) {
  Array a;
  const size_t rank = shape.size();
  std::vector<size_t> order(rank);
  for (size_t k = 0; k < rank; ++k) order[k] = k;
  if (!plain && draw(0, 2) == 0) std::shuffle(order.begin(), order.end(), rng);
  a.stride.resize(rank);
  i64 step = item, low = 0, high = 0;
  const bool gaps = !plain && draw(0, 2) == 0, backwards = !plain && draw(0, 3) == 0;
  for (size_t k = rank; k-- > 0;) {
    const size_t axis = order[k];
    if (gaps) step += draw(0, 2) * (draw(0, 3) ? item : 1);  // also where elements are not aligned
    a.stride[axis] = step;
    if (backwards && draw(0, 1)) a.stride[axis] = -step;
    if (repeats && draw(0, 19) == 0) {
      a.stride[axis] = 0;
      continue;
    }
    const i64 reach = a.stride[axis] * (shape[axis] - 1);
    (reach < 0 ? low : high) += reach;
    step *= shape[axis];
  }
  i64 lead = draw(0, 3) ? 0 : draw(1, 63);
  if (plain && draw(0, 2)) lead = item * draw(0, 15);
  a.memory.resize(static_cast<size_t>(lead + high - low + item));
  a.p = a.memory.data() + lead - low;
  return a;
}

template <class T>
double get(const char* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return static_cast<double>(v);
}
template <class T>
void put(char* p, double v) {
  const T t = static_cast<T>(v);
  std::memcpy(p, &t, sizeof t);
}

template <class Visit>
void each(const std::vector<i64>& shape, Visit visit) {
  std::vector<i64> at(shape.size(), 0);
  for (;;) {
    visit(at);
    size_t k = shape.size();
    while (k > 0 && ++at[k - 1] == shape[k - 1]) at[--k] = 0;
    if (k == 0) return;
  }
}

// All places, or some of many.
template <class Visit>
void most(const std::vector<i64>& shape, Visit visit) {
  i64 count = 1;
  for (const i64 n : shape) count *= n;
  if (count <= 100'000) return each(shape, visit);
  std::vector<i64> at(shape.size());
  for (int k = 0; k < 20'000; ++k) {
    for (size_t axis = 0; axis < shape.size(); ++axis)
      at[axis] = draw(0, 9) ? draw(0, shape[axis] - 1) : draw(0, 1) * (shape[axis] - 1);
    visit(at);
  }
}

i64 offset(const std::vector<i64>& at, const std::vector<i64>& stride) {
  i64 o = 0;
  for (size_t k = 0; k < at.size(); ++k) o += at[k] * stride[k];
  return o;
}

AxisTable make_axis(i64 n_in, i64 n_out, bool picks, int size) {
  AxisTable t{};
  t.n_in = n_in, t.n_out = n_out;
  t.taps = picks ? 1 : static_cast<int>(draw(1, std::min<i64>(n_in, draw(0, 1) ? 12 : draw(0, 1) ? 4 : 2)));
  t.has_zeros = true, t.head = n_out;
  t.has_gaps = !picks && draw(0, 1);
  t.weights.assign(static_cast<size_t>(n_out * t.taps * size), 0);
  const bool steady = draw(0, 3) != 0;
  for (i64 i = 0; i < n_out; ++i) {
    const int count = picks ? 1 : static_cast<int>(draw(draw(0, 9) ? 1 : 0, t.taps));
    const i64 start = steady ? std::min(i * n_in / n_out, n_in - count) : draw(0, n_in - count);
    t.starts.push_back(count ? start : 0);
    t.counts.push_back(count);
    for (int k = 0; k < count; ++k) {
      // Eighths: sums are exact in any order and in any accumulator.
      double w = picks ? 1 : static_cast<double>(draw(-8, 8)) / 8;
      if (w == 0 && !t.has_gaps) w = 1;
      char* p = t.weights.data() + (i * t.taps + k) * size;
      if (size == 4) put<float>(p, w);
      else put<double>(p, w);
    }
  }
  return t;
}

// Make weights of two taps 1 - w and w.
void make_lerp(AxisTable& t, int size) {
  t.lerp = true;
  t.has_gaps = false;
  for (i64 i = 0; i < t.n_out; ++i) {
    t.counts[i] = std::max(t.counts[i], 1);
    const double w = t.counts[i] == 1 ? 0 : static_cast<double>(draw(1, 7)) / 8;
    char* p = t.weights.data() + i * 2 * size;
    if (size == 4) put<float>(p, 1 - w), put<float>(p + 4, w);
    else put<double>(p, 1 - w), put<double>(p + 8, w);
  }
}

// Four products per output, each of any of a few neighbours.
AxisTable make_products(i64 n_in, i64 n_out) {
  AxisTable t{};
  t.n_in = n_in, t.n_out = n_out;
  t.taps = 1;
  const bool steady = draw(0, 3) != 0, one_tree = draw(0, 1);
  const i64 tree = draw(0, 2), most = std::min<i64>(n_in, draw(0, 3) ? 4 : most_product_reach);
  for (i64 i = 0; i < n_out; ++i) {
    const i64 count = draw(1, most);
    t.starts.push_back(steady ? std::min(i * n_in / n_out, n_in - count) : draw(0, n_in - count));
    t.counts.push_back(static_cast<int>(count));
    t.taps = std::max(t.taps, t.counts.back());
    t.trees.push_back(static_cast<Tree>(one_tree ? tree : draw(0, 2)));
    for (int k = 0; k < 4; ++k) {
      t.places.push_back(static_cast<int>(draw(0, count - 1)));
      t.weights.resize(t.weights.size() + 4);
      put<float>(&t.weights.back() - 3, static_cast<double>(draw(-8, 8)) / 8);
    }
  }
  return t;
}

// Give every second output the weights of the one before it, one sample further on, while the samples last.
void make_phases(AxisTable& t, int size) {
  const i64 row = i64(t.has_products() ? 4 : t.taps) * (t.has_products() ? 4 : size), first = draw(0, 4);
  for (i64 i = first; i < t.n_out; ++i) {
    const bool begins = i < first + 2;
    if (begins) {
      t.counts[i] = t.taps;
      t.starts[i] = std::min<i64>(t.n_in - t.taps, draw(0, 2));
    }
    for (int k = 0; begins && !t.has_products() && k < t.taps; ++k) {
      const double w = t.lerp ? 0.5 : static_cast<double>(draw(1, 8)) / 8;
      char* p = t.weights.data() + (i * t.taps + k) * size;
      if (size == 4) put<float>(p, w);
      else put<double>(p, w);
    }
    if (begins || t.starts[i - 2] + 1 + t.counts[i - 2] > t.n_in) continue;
    t.starts[i] = t.starts[i - 2] + 1;
    t.counts[i] = t.counts[i - 2];
    std::copy_n(t.weights.begin() + (i - 2) * row, row, t.weights.begin() + i * row);
    if (!t.has_products()) continue;
    t.trees[i] = t.trees[i - 2];
    for (int k = 0; k < 4; ++k) t.places[i * 4 + k] = t.places[(i - 2) * 4 + k] = k % t.counts[i];
  }
}

// How large an output is: anything, or sums or picks that go to memory past the caches, or many little
// maps without gaps, or a row of pixels whose weights repeat.
enum class Size { any, large_sums, large_picks, maps, doubled };

template <class T>
bool once(int type, const Kernels& kernels, Size how_large = Size::any) {
  const bool maps = how_large == Size::maps, doubled = how_large == Size::doubled;
  const bool large = how_large != Size::any && !maps && !doubled;
  const bool floating = std::is_floating_point_v<T>;
  Spec spec{};
  spec.type = type;
  spec.picks = large ? how_large == Size::large_picks : !maps && !doubled && draw(0, 4) == 0;
  spec.wide_in = !spec.picks && !floating && !maps && draw(0, 3) == 0;
  spec.wide_out = !spec.picks && !floating && !maps && draw(0, 3) == 0;
  spec.item = spec.item_out = sizeof(T);
  const int size = kernels.rows[type].accumulator_size;
  if (spec.wide_in) spec.item = size;
  if (spec.wide_out) spec.item_out = size;
  spec.rounding = static_cast<Rounding>(draw(0, 4));
  const bool volume = how_large == Size::large_picks && draw(0, 1);  // planes that repeat
  const bool lines = how_large == Size::large_picks && draw(0, 1);   // rows of whole lines of the cache
  const size_t rank = large ? 2 + volume : doubled ? 2 : static_cast<size_t>(draw(maps ? 2 : 1, 4));
  const bool pixels = doubled || (rank == 2 && !large && !maps && draw(0, 1));  // a row of a few channels
  const i64 longest = large ? 300 : rank == 1 || pixels ? 700 : rank == 2 ? 70 : 12;
  for (size_t k = 0; k < rank; ++k) spec.shape_in.push_back(draw(1, longest));
  if (maps) spec.shape_in[0] = draw(8, 40);
  if (volume) spec.shape_in[0] = draw(1, 4);
  if (pixels) spec.shape_in[1] = draw(1, 4);
  spec.shape_out = spec.shape_in;
  const bool products = !spec.picks && !maps && kernels.rows[type].sum_products && draw(0, 1);
  std::vector<int> axes;
  for (size_t k = maps; k < rank; ++k)
    if (large || draw(0, 2)) axes.push_back(static_cast<int>(k));
  if (axes.empty()) axes.push_back(maps);
  if (axes.size() > 2) axes.resize(2);  // products of eighths stay exact
  if (pixels) axes = {0};
  else if (volume) axes = {2, 1, 0};
  else if (large) axes = {1, 0};  // sums of resized rows are what is streamed
  else std::shuffle(axes.begin(), axes.end(), rng);
  const i64 side = static_cast<i64>(std::sqrt(double(i64{16} << 20) / spec.item_out)) + 1;
  for (const int axis : axes) {
    const i64 n_out = volume && axis == 0 ? draw(1, 2)
                      : lines             ? (side + 63) / 64 * 64
                      : large             ? side + draw(0, 40)
                                          : draw(1, longest);
    spec.shape_out[axis] = n_out;
    PassSpec pass{};
    pass.axis = axis;
    pass.table = products && draw(0, 3) ? make_products(spec.shape_in[axis], n_out)
                                        : make_axis(spec.shape_in[axis], n_out, spec.picks, size);
    if (pass.table.taps == 2 && !pass.table.has_products() && draw(0, 1)) make_lerp(pass.table, size);
    if (!spec.picks && (doubled || draw(0, 2) == 0)) make_phases(pass.table, size);
    spec.passes.push_back(std::move(pass));
  }
  Array in = make_array(spec.shape_in, spec.item, !maps, maps);
  Array out = make_array(spec.shape_out, spec.item_out, false, large || maps || doubled);
  if (lines) {
    out.memory.resize(out.memory.size() + 64);
    out.p = out.memory.data() + (64 - reinterpret_cast<std::uintptr_t>(out.memory.data()) % 64) % 64;
  }
  each(spec.shape_in, [&](const std::vector<i64>& at) {
    const double value = static_cast<double>(draw(std::is_signed_v<T> ? -100 : 0, 100));
    char* p = in.p + offset(at, in.stride);
    if (!spec.wide_in) put<T>(p, value);
    else if (size == 4) put<float>(p, value);
    else put<double>(p, value);
  });
  const Spec copy = spec;
  const Program program(std::move(spec), kernels, one_of(pick_sets));
  program.run(in.p, in.stride.data(), out.p, out.stride.data(), draw(0, 3) > 0,
              static_cast<int>(draw(1, 3)),
              [] { return false; });

  bool good = true;
  most(copy.shape_out, [&](const std::vector<i64>& at) {
    double sum = 0;
    std::vector<i64> reach(copy.shape_in.size(), 1);
    for (const PassSpec& p : copy.passes)
      reach[p.axis] = p.table.has_products() ? 4 : p.table.counts[at[p.axis]];
    bool nothing = false;
    for (const i64 r : reach) nothing |= r == 0;
    if (!nothing)
      each(reach, [&](const std::vector<i64>& tap) {
        double w = 1;
        std::vector<i64> from = at;
        for (const PassSpec& p : copy.passes) {
          const i64 i = at[p.axis];
          from[p.axis] = p.table.starts[i] + (p.table.has_products() ? p.table.places[i * 4 + tap[p.axis]]
                                                                     : tap[p.axis]);
          const char* row = static_cast<const char*>(p.table.row_weights(i, size));
          w *= size == 4 ? get<float>(row + tap[p.axis] * 4) : get<double>(row + tap[p.axis] * 8);
        }
        const char* p = in.p + offset(from, in.stride);
        sum += w * (!copy.wide_in ? get<T>(p) : size == 4 ? get<float>(p) : get<double>(p));
      });
    if (!floating && !copy.wide_out) {
      switch (copy.rounding) {
        case Rounding::half_even: sum = std::nearbyint(sum); break;
        case Rounding::half_away: sum = std::round(sum); break;
        case Rounding::truncate: sum = std::trunc(sum); break;
        case Rounding::half_up: sum = std::floor(sum + 0.5); break;  // sums have few bits here
        case Rounding::float32_half_even: sum = std::nearbyint(static_cast<float>(sum)); break;
      }
      sum = std::min(std::max(sum, static_cast<double>(std::numeric_limits<T>::min())),
                     static_cast<double>(std::numeric_limits<T>::max()));
    }
    const char* p = out.p + offset(at, out.stride);
    const double got = !copy.wide_out ? get<T>(p) : size == 4 ? get<float>(p) : get<double>(p);
    if (good && got != sum) {
      std::printf("%s type %d picks %d: got %g, not %g\n", kernels.name, type, copy.picks, got, sum);
      good = false;
    }
  });
  return good;
}

// --- 8-bit pictures in fixed point ---

// A sum without its last `bits` bits, within a byte.
i64 rounded(i64 sum, int bits, Rounding rounding) {
  const i64 unit = i64{1} << bits, low = sum >> bits, rest = sum - low * unit;
  bool up = false;
  if (rounding == Rounding::half_away || rounding == Rounding::half_up) up = 2 * rest >= unit;
  if (rounding == Rounding::half_even) up = 2 * rest > unit || (2 * rest == unit && low % 2 != 0);
  return std::clamp<i64>(low + up, 0, 255);
}

// One pass with its weights as they were drawn.
struct Along {
  FixedPass pass;
  std::vector<std::int32_t> weights;
  Rounding rounding;
};

// Rows whose weights have magnitudes that sum to 2**bits at most, from `n_in` samples or from rows
// that are picked out of `shape`.
Along make_pass(int axis, i64 length, i64 n_out, int bits, bool picked) {
  Along made;
  std::vector<i64> rows;
  if (picked)
    for (i64 k = draw(1, 70); k > 0; --k) rows.push_back(draw(0, length - 1));
  const i64 n_in = picked ? static_cast<i64>(rows.size()) : length;
  const int taps = static_cast<int>(draw(1, std::min<i64>(n_in, std::array<i64, 3>{4, 8, 40}[draw(0, 2)])));
  const bool steady = draw(0, 2) != 0;
  std::vector<i64> starts;
  const i64 most = (i64{1} << bits) / taps;
  for (i64 o = 0; o < n_out; ++o) {
    starts.push_back(steady ? std::min(o * n_in / n_out, n_in - taps) : draw(0, n_in - taps));
    for (int t = 0; t < taps; ++t)
      made.weights.push_back(static_cast<std::int32_t>(draw(0, 9) ? draw(-most / 2, most) : 0));
  }
  std::sort(starts.begin(), starts.end());
  made.pass = fixed_pass(axis, n_in, n_out, taps, starts.data(), made.weights.data());
  made.pass.rows = rows;
  return made;
}

// How sums with that many fractional bits become bytes.
void store_bytes(Along& last, int bits) {
  last.rounding = static_cast<Rounding>(draw(0, 3));
  FixedStore& store = last.pass.store;
  if (bits > 0 && draw(0, 3) == 0) {
    store.format = Format::byte;
    store.scale = static_cast<float>(draw(1, 99)) / static_cast<float>(draw(1, 99) << bits);
    return;
  }
  store.format = Format::byte, store.shift = bits;
  if (bits == 0 || last.rounding == Rounding::truncate) return;
  store.half_even = last.rounding == Rounding::half_even;
  store.half = (1 << (bits - 1)) - store.half_even;
}

// Means of two neighbours, in units of a half or finer.
Along make_pairs(int axis, i64 n_in, int bits) {
  Along made;
  std::vector<i64> starts;
  const i64 n_out = n_in / 2;
  for (i64 o = 0; o < n_out; ++o) starts.push_back(2 * o);
  made.weights.assign(static_cast<size_t>(2 * n_out), 1 << (bits - 1));
  made.pass = fixed_pass(axis, n_in, n_out, 2, starts.data(), made.weights.data());
  return made;
}

// The pass on dense whole numbers.
std::vector<i64> apply(const Along& along, const std::vector<i64>& x, std::vector<i64>& shape) {
  const FixedPass& pass = along.pass;
  const size_t axis = static_cast<size_t>(pass.axis);
  i64 outer = 1, inner = 1;
  for (size_t k = 0; k < shape.size(); ++k) (k < axis ? outer : inner) *= k == axis ? 1 : shape[k];
  const i64 length = shape[axis];
  std::vector<i64> y(static_cast<size_t>(outer * pass.n_out * inner));
  for (i64 a = 0; a < outer; ++a)
    for (i64 o = 0; o < pass.n_out; ++o)
      for (i64 b = 0; b < inner; ++b) {
        i64 sum = 0;
        for (int t = 0; t < pass.taps; ++t) {
          const i64 row = pass.starts[o] + t, from = pass.rows.empty() ? row : pass.rows[row];
          sum += (along.weights[o * pass.taps + t] * x[(a * length + from) * inner + b]) >> pass.cut;
        }
        i64& to = y[(a * pass.n_out + o) * inner + b];
        switch (pass.store.format) {
          case Format::byte:
            to = pass.store.scale != 0
                     ? std::clamp<i64>(std::lrint(static_cast<float>(sum) * pass.store.scale), 0, 255)
                     : rounded(sum, pass.store.shift, along.rounding);
            break;
          case Format::word: to = sum >> pass.store.shift; break;
          case Format::wide: to = sum;
        }
      }
  shape[axis] = pass.n_out;
  return y;
}

// Mark the passes whose sums are small: see FixedStore.
void mark_small(std::vector<Along>& passes) {
  i64 low = 0, high = 255;
  bool words = false;
  for (Along& along : passes) {
    FixedPass& pass = along.pass;
    i64 least = 0, most = 0, magnitude = 0, longest = 0;
    for (i64 o = 0; o < pass.n_out; ++o) {
      i64 plus = 0, minus = 0;
      for (int t = 0; t < pass.taps; ++t) {
        const i64 weight = along.weights[o * pass.taps + t];
        (weight > 0 ? plus : minus) += std::abs(weight);
        longest = std::max(longest, std::abs(weight));
      }
      least = std::min(least, low * plus - high * minus);
      most = std::max(most, high * plus - low * minus);
      magnitude = std::max(magnitude, plus + minus);
    }
    FixedStore& store = pass.store;
    const bool shifts = store.format == Format::byte ? store.shift <= 15 : store.shift == 0;
    store.small = store.format != Format::wide && shifts && pass.cut == 0 && store.scale == 0 &&
                  std::max(most, -least) < 1 << 15 && (words || (magnitude <= 128 && longest < 128));
    words = store.format == Format::word;
    low = store.format == Format::byte ? 0 : least >> store.shift;
    high = store.format == Format::byte ? 255 : most >> store.shift;
  }
}

bool picture(const FixedKernels& kernels) {
  const size_t rank = static_cast<size_t>(draw(1, 4));
  const i64 longest = rank == 1 ? 300 : rank == 2 ? 70 : rank == 3 ? 40 : 12;
  std::vector<i64> shape;
  for (size_t k = 0; k < rank; ++k) shape.push_back(draw(1, longest));
  if (rank > 2 && draw(0, 1)) shape.back() = draw(1, 7);  // channels
  const bool two = rank > 1 && draw(0, 3) != 0;
  const int last = static_cast<int>(draw(two, static_cast<i64>(rank) - 1));
  std::vector<Along> passes;
  const auto length = [&] { return draw(1, longest); };
  if (!two) {
    const int bits = static_cast<int>(draw(1, 22)), cut = draw(0, 4) ? 0 : static_cast<int>(draw(0, bits));
    passes.push_back(make_pass(last, shape[last], length(), bits, false));
    passes[0].pass.cut = cut;
    store_bytes(passes[0], bits - cut);
  } else {
    const int across = static_cast<int>(draw(0, last - 1));
    const bool picked = draw(0, 2) == 0;
    const i64 kind = draw(0, 3);
    // Both sums have to fit into 32 bits.
    const int one = static_cast<int>(draw(1, kind == 0 ? 22 : kind == 1 ? 6 : 11));
    const int other = static_cast<int>(draw(1, kind == 0 ? 22 : 11));
    const bool pairs = kind == 2 && shape[last] > 1 && shape[across] > 1 && draw(0, 1);
    Along along = pairs ? make_pairs(last, shape[last], one) : make_pass(last, shape[last], length(), one, false);
    Along sums = pairs ? make_pairs(across, shape[across], other)
                       : make_pass(across, shape[across], length(), other, picked);
    if (kind == 0 && draw(0, 1)) {
      store_bytes(sums, other), store_bytes(along, one);
      passes = {sums, along};
    } else {
      const int kept = kind == 3 ? static_cast<int>(draw(0, std::min(one, 7))) : one;
      const int cut = kind != 3 ? 0 : draw(0, 2) && kept + other > 16 ? 16 : static_cast<int>(draw(0, kept + other));
      if (kind == 0) store_bytes(along, one);
      else along.pass.store.format = kind == 2 ? Format::wide : Format::word, along.pass.store.shift = one - kept;
      sums.pass.cut = cut;
      store_bytes(sums, (kind == 0 ? 0 : kept) + other - cut);
      passes = {along, sums};
    }
  }
  mark_small(passes);
  std::vector<i64> shape_out = shape;
  for (const Along& along : passes) shape_out[static_cast<size_t>(along.pass.axis)] = along.pass.n_out;
  Array in = make_array(shape, 1, true), out = make_array(shape_out, 1, false);
  const bool extremes = draw(0, 1);
  each(shape, [&](const std::vector<i64>& at) {
    const i64 value = extremes ? 255 * draw(0, 1) : draw(0, 255);
    in.p[offset(at, in.stride)] = static_cast<char>(value);
  });
  std::vector<i64> expected;
  each(shape, [&](const std::vector<i64>& at) {
    expected.push_back(static_cast<std::uint8_t>(in.p[offset(at, in.stride)]));
  });
  std::vector<i64> now = shape;
  std::vector<FixedPass> own;
  for (const Along& along : passes) {
    expected = apply(along, expected, now);
    own.push_back(along.pass);
  }
  const Picture program(shape, shape_out, own, false, kernels);
  program.run(in.p, in.stride.data(), out.p, out.stride.data(), draw(0, 1) == 1,
              static_cast<int>(draw(1, 3)), [] { return false; });
  bool good = true;
  size_t place = 0;
  each(shape_out, [&](const std::vector<i64>& at) {
    const int got = static_cast<std::uint8_t>(out.p[offset(at, out.stride)]);
    const int right = static_cast<int>(expected[place++]);
    if (good && got != right) {
      std::printf("%s picture of %zu passes, taps %d: got %d, not %d\n", kernels.name, own.size(),
                  own[0].taps, got, right);
      good = false;
    }
  });
  return good;
}

// --- Sums along several axes at once ---

template <class T>
bool joint(int type, const JointKernels* kernels) {
  const size_t rank = static_cast<size_t>(draw(1, 4));
  const i64 longest = rank == 1 ? 3000 : rank == 2 ? 70 : 14;
  std::vector<i64> shape;
  for (size_t k = 0; k < rank; ++k) shape.push_back(draw(1, longest));
  if (rank > 1 && draw(0, 1)) shape.back() = draw(0, 3) ? draw(1, 7) : draw(8, 90);  // channels
  std::vector<i64> shape_out = shape;
  std::vector<int> axes(rank);
  for (size_t k = 0; k < rank; ++k) axes[k] = static_cast<int>(k);
  std::shuffle(axes.begin(), axes.end(), rng);
  axes.resize(static_cast<size_t>(draw(1, std::min<i64>(static_cast<i64>(rank), 3))));
  std::vector<JointPass> passes;
  for (const int axis : axes) {
    JointPass pass;
    pass.axis = axis;
    pass.n_out = shape_out[axis] = draw(1, longest);
    pass.taps = static_cast<int>(draw(1, 2));
    const bool steady = draw(0, 2) != 0;
    for (int t = 0; t < pass.taps; ++t)
      for (i64 o = 0; o < pass.n_out; ++o) {
        const i64 at = steady ? std::min(o * shape[axis] / pass.n_out + t, shape[axis] - 1)
                              : draw(0, shape[axis] - 1);
        pass.index.push_back(at);
        pass.weights.push_back(static_cast<float>(draw(-8, 8)) / 8);  // sums are exact
      }
    passes.push_back(pass);
  }
  const auto rounding = static_cast<Rounding>(draw(0, 2));
  const float plus = draw(0, 1) ? 0.5f : 0.0f;
  Array in = make_array(shape, sizeof(T), true), out = make_array(shape_out, sizeof(T), false);
  each(shape, [&](const std::vector<i64>& at) {
    put<T>(in.p + offset(at, in.stride), static_cast<double>(draw(std::is_signed_v<T> ? -100 : 0, 100)));
  });
  const Joint program(shape, shape_out, passes, {rounding, plus}, kernels[type]);
  program.run(in.p, in.stride.data(), out.p, out.stride.data(), static_cast<int>(draw(1, 3)),
              [] { return false; });
  bool good = true;
  most(shape_out, [&](const std::vector<i64>& at) {
    double sum = 0;
    std::vector<i64> reach(shape.size(), 1);
    for (const JointPass& p : passes) reach[p.axis] = p.taps;
    each(reach, [&](const std::vector<i64>& tap) {
      double w = 1;
      std::vector<i64> from = at;
      for (const JointPass& p : passes) {
        const i64 entry = tap[p.axis] * p.n_out + at[p.axis];
        from[p.axis] = p.index[entry];
        w *= p.weights[entry];
      }
      sum += w * get<T>(in.p + offset(from, in.stride));
    });
    if (!std::is_floating_point_v<T>) {
      sum += plus;
      switch (rounding) {
        case Rounding::half_even: sum = std::nearbyint(sum); break;
        case Rounding::half_away: sum = std::round(sum); break;
        default: sum = std::trunc(sum); break;
      }
      sum = std::min(std::max(sum, static_cast<double>(std::numeric_limits<T>::min())),
                     static_cast<double>(std::numeric_limits<T>::max()));
    }
    const double got = get<T>(out.p + offset(at, out.stride));
    if (good && got != sum) {
      std::printf("joint sum of %zu passes, type %d: got %g, not %g\n", passes.size(), type, got, sum);
      good = false;
    }
  });
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  rng.seed(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0);
  const int count = argc > 2 ? std::atoi(argv[2]) : 1000;
  std::vector<const Kernels*> sets = {&kernels_baseline()};
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sets.push_back(&kernels_avx2());
  const bool wide = __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  if (wide && __builtin_cpu_supports("avx512dq")) sets.push_back(&kernels_avx512());
  const bool vnni = wide && __builtin_cpu_supports("avx512vnni");
  std::vector<const FixedKernels*> fixed_sets = {&fixed_kernels_baseline()};
  pick_sets = {&pick_kernels_baseline()};
  const auto add = [&](const FixedKernels& fixed, const PickKernels& picks) {
    fixed_sets.push_back(&fixed);
    pick_sets.push_back(&picks);
  };
  if (__builtin_cpu_supports("avx2")) add(fixed_kernels_avx2(), pick_kernels_avx2());
  if (wide) add(fixed_kernels_avx512(), pick_kernels_avx512());
  if (vnni) fixed_sets.push_back(&fixed_kernels_vnni());
  if (vnni && __builtin_cpu_supports("avx512vbmi")) add(fixed_kernels_vbmi(), pick_kernels_vbmi());
  for (const Kernels* kernels : sets) {
    if (!once<float>(f32, *kernels, Size::large_sums) || !once<double>(f64, *kernels, Size::large_sums)) return 1;
    for (int k = 0; k < 300; ++k)
      if (!once<float>(f32, *kernels, Size::doubled) || !once<std::uint8_t>(u8, *kernels, Size::doubled)) return 1;
    for (int k = 0; k < 6; ++k)
      if (!once<float>(f32, *kernels, Size::large_picks) || !once<std::uint8_t>(u8, *kernels, Size::large_picks))
        return 1;
  }
  std::vector<const JointKernels*> joint_sets = {joint_kernels_baseline()};
  if (__builtin_cpu_supports("avx2")) joint_sets.push_back(joint_kernels_apart());
  for (int k = 0; k < count; ++k) {
    const JointKernels* joints = joint_sets[static_cast<size_t>(draw(0, static_cast<i64>(joint_sets.size()) - 1))];
    const Kernels& kernels = one_of(sets);
    const Size size = draw(0, 3) ? Size::any : Size::maps;
    bool good = true;
    switch (draw(0, 18)) {
      case 0: good = once<float>(f32, kernels, size); break;
      case 1: good = once<double>(f64, kernels, size); break;
      case 2: good = once<std::uint8_t>(u8, kernels, size); break;
      case 3: good = once<std::int8_t>(i8, kernels, size); break;
      case 4: good = once<std::uint16_t>(u16, kernels, size); break;
      case 5: good = once<std::int16_t>(i16, kernels, size); break;
      case 6: good = once<std::uint32_t>(u32, kernels, size); break;
      case 7: good = once<std::int32_t>(i32, kernels, size); break;
      case 8: good = once<std::int64_t>(s64, kernels, size); break;
      case 9: good = once<std::uint8_t>(u8d, kernels, size); break;
      case 10: good = once<std::int16_t>(i16d, kernels, size); break;
      case 11: good = joint<std::uint8_t>(u8, joints); break;
      case 12: good = joint<std::int8_t>(i8, joints); break;
      case 13: good = joint<std::int32_t>(i32, joints); break;
      case 14: good = joint<float>(f32, joints); break;
      default: good = picture(one_of(fixed_sets));
    }
    if (!good) return 1;
  }
  std::printf("%d programs\n", count);
  return 0;
}
