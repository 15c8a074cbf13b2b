// Random programs on random strided arrays against plain loops, for the sanitizers.
// Usage: fuzz SEED COUNT. Prints the first disagreement and returns 1.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "../../src/ndresize/native/program.hpp"

using namespace ndresize;

namespace {

std::mt19937_64 rng;
i64 draw(i64 low, i64 high) { return std::uniform_int_distribution<i64>(low, high)(rng); }

struct Array {
  std::vector<char> memory;
  std::vector<i64> stride;
  char* p;
};

// Memory of exactly the size that the strides reach, so that a step outside is seen.
Array make_array(const std::vector<i64>& shape, i64 item) {
  Array a;
  const size_t rank = shape.size();
  std::vector<size_t> order(rank);
  for (size_t k = 0; k < rank; ++k) order[k] = k;
  if (draw(0, 2) == 0) std::shuffle(order.begin(), order.end(), rng);
  a.stride.resize(rank);
  i64 step = item, low = 0, high = 0;
  const bool gaps = draw(0, 2) == 0, backwards = draw(0, 3) == 0;
  for (size_t k = rank; k-- > 0;) {
    const size_t axis = order[k];
    if (gaps) step += draw(0, 2) * (draw(0, 3) ? item : 1);  // also where elements are not aligned
    a.stride[axis] = step;
    if (backwards && draw(0, 1)) a.stride[axis] = -step;
    const i64 reach = a.stride[axis] * (shape[axis] - 1);
    (reach < 0 ? low : high) += reach;
    step *= shape[axis];
  }
  a.memory.resize(static_cast<size_t>(high - low + item));
  a.p = a.memory.data() - low;
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

i64 offset(const std::vector<i64>& at, const std::vector<i64>& stride) {
  i64 o = 0;
  for (size_t k = 0; k < at.size(); ++k) o += at[k] * stride[k];
  return o;
}

AxisTable make_axis(i64 n_in, i64 n_out, bool picks, int size) {
  AxisTable t;
  t.n_in = n_in, t.n_out = n_out;
  t.taps = picks ? 1 : static_cast<int>(draw(1, std::min<i64>(n_in, 12)));
  t.has_zeros = true;
  t.weights.assign(static_cast<size_t>(n_out * t.taps * size), 0);
  const bool steady = draw(0, 3) != 0;
  for (i64 i = 0; i < n_out; ++i) {
    const int count = picks ? 1 : static_cast<int>(draw(draw(0, 9) ? 1 : 0, t.taps));
    const i64 start = steady ? std::min(i * n_in / n_out, n_in - count) : draw(0, n_in - count);
    t.starts.push_back(count ? start : 0);
    t.counts.push_back(count);
    for (int k = 0; k < count; ++k) {
      // Eighths: sums are exact in any order and in any accumulator.
      const double w = picks ? 1 : static_cast<double>(draw(-8, 8)) / 8;
      char* p = t.weights.data() + (i * t.taps + k) * size;
      if (size == 4) put<float>(p, w);
      else put<double>(p, w);
    }
  }
  return t;
}

template <class T>
bool once(int type, const Kernels& kernels) {
  const bool floating = std::is_floating_point_v<T>;
  Spec spec;
  spec.type = type;
  spec.picks = draw(0, 4) == 0;
  spec.item = sizeof(T);
  spec.rounding = static_cast<Rounding>(draw(0, 2));
  const size_t rank = static_cast<size_t>(draw(1, 4));
  const i64 longest = rank == 1 ? 300 : rank == 2 ? 70 : 12;
  for (size_t k = 0; k < rank; ++k) spec.shape_in.push_back(draw(1, longest));
  spec.shape_out = spec.shape_in;
  std::vector<int> axes;
  for (size_t k = 0; k < rank; ++k)
    if (draw(0, 2)) axes.push_back(static_cast<int>(k));
  if (axes.empty()) axes.push_back(0);
  if (axes.size() > 2) axes.resize(2);  // products of eighths stay exact
  std::shuffle(axes.begin(), axes.end(), rng);
  const int size = kernels.rows[type].accumulator_size;
  for (const int axis : axes) {
    const i64 n_out = draw(1, longest);
    spec.shape_out[axis] = n_out;
    spec.passes.push_back({axis, false, make_axis(spec.shape_in[axis], n_out, spec.picks, size)});
  }
  Array in = make_array(spec.shape_in, sizeof(T)), out = make_array(spec.shape_out, sizeof(T));
  each(spec.shape_in, [&](const std::vector<i64>& at) {
    put<T>(in.p + offset(at, in.stride), static_cast<double>(draw(std::is_signed_v<T> ? -100 : 0, 100)));
  });
  const Spec copy = spec;
  const Program program(std::move(spec), kernels);
  program.run(in.p, in.stride.data(), out.p, out.stride.data(), static_cast<int>(draw(1, 3)),
              [] { return false; });

  bool good = true;
  each(copy.shape_out, [&](const std::vector<i64>& at) {
    double sum = 0;
    std::vector<i64> reach(copy.shape_in.size(), 1);
    for (const PassSpec& p : copy.passes) reach[p.axis] = p.table.counts[at[p.axis]];
    bool nothing = false;
    for (const i64 r : reach) nothing |= r == 0;
    if (!nothing)
      each(reach, [&](const std::vector<i64>& tap) {
        double w = 1;
        std::vector<i64> from = at;
        for (const PassSpec& p : copy.passes) {
          const i64 i = at[p.axis];
          from[p.axis] = p.table.starts[i] + tap[p.axis];
          const char* row = static_cast<const char*>(p.table.row_weights(i, size));
          w *= size == 4 ? get<float>(row + tap[p.axis] * 4) : get<double>(row + tap[p.axis] * 8);
        }
        sum += w * get<T>(in.p + offset(from, in.stride));
      });
    if (!floating) {
      switch (copy.rounding) {
        case Rounding::half_even: sum = std::nearbyint(sum); break;
        case Rounding::half_away: sum = std::round(sum); break;
        case Rounding::truncate: sum = std::trunc(sum); break;
      }
      sum = std::min(std::max(sum, static_cast<double>(std::numeric_limits<T>::min())),
                     static_cast<double>(std::numeric_limits<T>::max()));
    }
    const double got = get<T>(out.p + offset(at, out.stride));
    if (good && got != sum) {
      std::printf("%s type %d picks %d: got %g, not %g\n", kernels.name, type, copy.picks, got, sum);
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
  for (int k = 0; k < count; ++k) {
    const Kernels& kernels = *sets[static_cast<size_t>(draw(0, static_cast<i64>(sets.size()) - 1))];
    bool good = true;
    switch (draw(0, 10)) {
      case 0: good = once<float>(f32, kernels); break;
      case 1: good = once<double>(f64, kernels); break;
      case 2: good = once<std::uint8_t>(u8, kernels); break;
      case 3: good = once<std::int8_t>(i8, kernels); break;
      case 4: good = once<std::uint16_t>(u16, kernels); break;
      case 5: good = once<std::int16_t>(i16, kernels); break;
      case 6: good = once<std::uint32_t>(u32, kernels); break;
      case 7: good = once<std::int32_t>(i32, kernels); break;
      case 8: good = once<std::int64_t>(s64, kernels); break;
      case 9: good = once<std::uint8_t>(u8d, kernels); break;
      case 10: good = once<std::int16_t>(i16d, kernels); break;
    }
    if (!good) return 1;
  }
  std::printf("%d programs\n", count);
  return 0;
}
