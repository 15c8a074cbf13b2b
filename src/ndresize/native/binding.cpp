// What Python sees: compile a plan's passes to a Program, run it on two arrays.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "blocks.hpp"
#include "joint.hpp"
#include "picture.hpp"
#include "pool.hpp"
#include "program.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using ndresize::i64;

struct InstructionSet {
  const char* name;
  const ndresize::Kernels& (*kernels)();
  const ndresize::FixedKernels& (*fixed)();
  const ndresize::PickKernels& (*picks)();
  bool (*available)();
};

#ifdef NDRESIZE_X86
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("f16c");
}

bool has_vnni() { return has_avx512() && __builtin_cpu_supports("avx512vnni"); }
#endif

// The best first.
const InstructionSet sets[] = {
#ifdef NDRESIZE_X86
    {"vbmi", ndresize::kernels_avx512, ndresize::fixed_kernels_vbmi, ndresize::pick_kernels_vbmi,
     [] { return has_vnni() && __builtin_cpu_supports("avx512vbmi"); }},
    {"vnni", ndresize::kernels_avx512, ndresize::fixed_kernels_vnni, ndresize::pick_kernels_avx512, has_vnni},
    {"avx512", ndresize::kernels_avx512, ndresize::fixed_kernels_avx512, ndresize::pick_kernels_avx512, has_avx512},
    {"avx2", ndresize::kernels_avx2, ndresize::fixed_kernels_avx2, ndresize::pick_kernels_avx2,
     [] {
       return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("f16c");
     }},
#endif
    {"baseline", ndresize::kernels_baseline, ndresize::fixed_kernels_baseline, ndresize::pick_kernels_baseline,
     [] { return true; }},
};

// The kernels of NDRESIZE_ISA, or the best that this processor has.
const InstructionSet& chosen() {
  static const InstructionSet& best = []() -> const InstructionSet& {
    const char* forced = std::getenv("NDRESIZE_ISA");
    std::string possible;
    for (const InstructionSet& set : sets) {
      if (!set.available()) continue;
      if (!forced || !*forced || std::strcmp(forced, set.name) == 0) return set;
      possible += std::string(possible.empty() ? "" : ", ") + set.name;
    }
    throw std::runtime_error("NDRESIZE_ISA must be one of " + possible + " on this processor, got " +
                             forced);
  }();
  return best;
}

// The kernels whose products and sums round one by one. Without FMA those are the only ones.
const ndresize::Kernels& apart() {
#ifdef NDRESIZE_X86
  static const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
  if (!avx2 || std::strcmp(chosen().name, "baseline") == 0) return ndresize::kernels_baseline();
#endif
  return ndresize::kernels_apart();
}

using Starts = nb::ndarray<const i64, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

ndresize::AxisTable axis_table(const Starts& starts, const Weights& weights, i64 n_in, int size) {
  ndresize::AxisTable table;
  const i64 n = static_cast<i64>(starts.shape(0)), taps = static_cast<i64>(weights.shape(1));
  if (static_cast<i64>(weights.shape(0)) != n) throw std::invalid_argument("rows of weights");
  table.n_in = n_in;
  table.n_out = n;
  table.taps = static_cast<int>(taps);
  table.starts.assign(starts.data(), starts.data() + n);
  table.counts.resize(n);
  table.weights.resize(n * taps * size);
  table.has_zeros = table.has_gaps = false;
  for (i64 i = 0; i < n; ++i) {
    const double* row = weights.data() + i * taps;
    int count = 0;
    bool has_zero = false;
    for (i64 t = 0; t < taps; ++t) {
      if (row[t] != 0) count = static_cast<int>(t + 1);
      else has_zero = true;
      // A weight too small for float32 becomes zero there, and reads nothing.
      if (size == 4) {
        const float w = static_cast<float>(row[t]);
        has_zero |= w == 0;
        table.has_gaps |= w == 0 && row[t] != 0;
        std::memcpy(table.weights.data() + (i * taps + t) * 4, &w, 4);
      } else {
        std::memcpy(table.weights.data() + (i * taps + t) * 8, &row[t], 8);
      }
    }
    for (int t = 0; t < count; ++t) table.has_gaps |= row[t] == 0;
    table.has_zeros |= has_zero;
    if (has_zero) {
      const i64 at = static_cast<i64>(i);
      if (at < table.n_out / 2) table.head = at + 1;
      else table.tail = std::max(table.tail, table.n_out - at);
    }
    if (table.starts[i] < 0 || table.starts[i] + count > n_in)
      throw std::invalid_argument("a weight outside the input");
    table.counts[i] = count;
  }
  return table;
}

using Places = nb::ndarray<const i64, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Trees = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Four products per output, each of a sample of its own.
ndresize::AxisTable product_table(const Places& index, const Weights& weights, const Trees& trees,
                                  i64 n_in) {
  ndresize::AxisTable table;
  const size_t n = index.shape(0);
  if (index.shape(1) != 4 || weights.shape(0) != n || weights.shape(1) != 4 || trees.shape(0) != n)
    throw std::invalid_argument("products");
  table.n_in = n_in;
  table.n_out = static_cast<i64>(n);
  table.taps = 1;
  table.has_zeros = table.has_gaps = false;
  table.weights.resize(n * 4 * sizeof(float));
  for (size_t i = 0; i < n; ++i) {
    const i64* row = index.data() + i * 4;
    const auto [low, high] = std::minmax_element(row, row + 4);
    if (*low < 0 || *high >= n_in || *high - *low >= ndresize::most_product_reach)
      throw std::invalid_argument("a product outside the input");
    if (trees.data()[i] >= int(ndresize::Tree::mixed)) throw std::invalid_argument("a tree");
    table.starts.push_back(*low);
    table.counts.push_back(static_cast<int>(*high - *low + 1));
    table.taps = std::max(table.taps, table.counts.back());
    table.trees.push_back(static_cast<ndresize::Tree>(trees.data()[i]));
    for (int t = 0; t < 4; ++t) {
      table.places.push_back(static_cast<int>(row[t] - *low));
      const float w = static_cast<float>(weights.data()[i * 4 + t]);
      std::memcpy(table.weights.data() + (i * 4 + t) * 4, &w, 4);
    }
  }
  return table;
}

using Whole = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Bias = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

struct Buffer {
  Buffer(const nb::object& array, int flags) {
    if (PyObject_GetBuffer(array.ptr(), &view, flags) != 0) throw nb::python_error();
  }
  ~Buffer() { PyBuffer_Release(&view); }
  Buffer(const Buffer&) = delete;

  // Check the shape and return the strides.
  const i64* strides(const std::vector<i64>& shape, i64 item, i64* to) const {
    const size_t rank = static_cast<size_t>(view.ndim);
    bool right = rank == shape.size() || rank + 1 == shape.size();
    for (size_t a = 0; right && a < rank; ++a) {
      right = view.shape[a] == shape[a];
      to[a] = view.strides[a];
    }
    if (right && rank < shape.size()) to[rank] = item;
    if (!right || view.itemsize != item * (rank < shape.size() ? shape.back() : 1))
      throw std::invalid_argument("an array that the program was not made for");
    return to;
  }

  Py_buffer view;
};

class Bound {
 public:
  Bound(int type, bool picks, i64 item, bool wide_in, bool wide_out, int rounding, bool fused,
        std::vector<i64> shape_in, std::vector<i64> shape_out, const nb::list& passes)
      : program_(make(type, picks, item, wide_in, wide_out, rounding, std::move(shape_in),
                      std::move(shape_out), passes),
                 fused ? chosen().kernels() : apart(), chosen().picks()) {}

  // Arrays through the buffer protocol. Each may have one axis less than the program, whose last
  // axis then holds the parts of a complex number.
  void run(const nb::object& in, const nb::object& out, bool touched, int threads) const {
    const Buffer source(in, PyBUF_STRIDED_RO), target(out, PyBUF_STRIDED);
    const i64 *from = nullptr, *to = nullptr;
    i64 strides_in[33], strides_out[33];
    from = source.strides(program_.spec.shape_in, program_.spec.item, strides_in);
    to = target.strides(program_.spec.shape_out, program_.spec.item_out, strides_out);
    bool done = false;
    {
      const nb::gil_scoped_release release;
      done = program_.run(static_cast<const char*>(source.view.buf), from,
                          static_cast<char*>(target.view.buf), to, touched, threads, [] {
                            const nb::gil_scoped_acquire acquire;
                            return PyErr_CheckSignals() != 0;
                          });
    }
    if (!done) throw nb::python_error();
  }

  bool wide_out() const { return program_.spec.wide_out; }

 private:
  static ndresize::Spec make(int type, bool picks, i64 item, bool wide_in, bool wide_out, int rounding,
                             std::vector<i64> shape_in, std::vector<i64> shape_out,
                             const nb::list& passes) {
    if (type < 0 || type >= ndresize::type_count) throw std::invalid_argument("type");
    ndresize::Spec spec;
    spec.type = type;
    spec.picks = picks;
    spec.item = spec.item_out = item;
    const int size = chosen().kernels().rows[type].accumulator_size;
    spec.wide_in = wide_in && !picks;
    spec.wide_out = wide_out && !picks;
    if (spec.wide_in) spec.item = size;
    if (spec.wide_out) spec.item_out = size;
    spec.rounding = static_cast<ndresize::Rounding>(rounding);
    spec.shape_in = std::move(shape_in);
    spec.shape_out = std::move(shape_out);
    if (spec.shape_in.size() > 32) throw std::invalid_argument("rank");
    if (passes.size() > ndresize::most_passes) throw std::invalid_argument("passes");
    for (const nb::handle entry : passes) {
      const nb::tuple pass = nb::cast<nb::tuple>(entry);
      ndresize::PassSpec p;
      p.axis = nb::cast<int>(pass[0]);
      p.settle = nb::cast<bool>(pass[1]);
      const i64 n_in = nb::cast<i64>(pass[4]);
      if (pass[6].is_none()) {
        p.table = axis_table(nb::cast<Starts>(pass[2]), nb::cast<Weights>(pass[3]), n_in, size);
      } else {
        if (!chosen().kernels().rows[type].sum_products) throw std::invalid_argument("products of the type");
        p.table = product_table(nb::cast<Places>(pass[2]), nb::cast<Weights>(pass[3]),
                                nb::cast<Trees>(pass[6]), n_in);
      }
      p.table.period = nb::cast<i64>(pass[5]);
      p.table.lerp = nb::cast<bool>(pass[7]);
      if (p.table.lerp && p.table.taps != 2) throw std::invalid_argument("taps");
      spec.passes.push_back(std::move(p));
    }
    return spec;
  }

  ndresize::Program program_;
};

// A plan of 8-bit samples in fixed point.
class BoundPicture {
 public:
  BoundPicture(std::vector<i64> shape_in, std::vector<i64> shape_out, bool signed_bytes, bool wraps,
               const nb::list& passes)
      : picture_(shape_in, shape_out, make(shape_in, shape_out, passes), signed_bytes, chosen().fixed(), wraps) {}

  void run(const nb::object& in, const nb::object& out, bool touched, int threads) const {
    const Buffer source(in, PyBUF_STRIDED_RO), target(out, PyBUF_STRIDED);
    i64 strides_in[33], strides_out[33];
    const i64* from = source.strides(picture_.shape_in, 1, strides_in);
    const i64* to = target.strides(picture_.shape_out, 1, strides_out);
    bool done = false;
    {
      const nb::gil_scoped_release release;
      done = picture_.run(static_cast<const char*>(source.view.buf), from,
                          static_cast<char*>(target.view.buf), to, touched, threads, [] {
                            const nb::gil_scoped_acquire acquire;
                            return PyErr_CheckSignals() != 0;
                          });
    }
    if (!done) throw nb::python_error();
  }

 private:
  static std::vector<ndresize::FixedPass> make(const std::vector<i64>& shape_in,
                                               const std::vector<i64>& shape_out,
                                               const nb::list& entries) {
    const int rank = static_cast<int>(shape_in.size());
    if (rank > 32 || shape_out.size() != shape_in.size()) throw std::invalid_argument("rank");
    if (entries.size() < 1 || entries.size() > 2) throw std::invalid_argument("passes");
    std::vector<ndresize::FixedPass> passes;
    for (const nb::handle entry : entries) {
      const nb::tuple pass = nb::cast<nb::tuple>(entry);
      const int axis = nb::cast<int>(pass[0]);
      const Starts starts = nb::cast<Starts>(pass[1]);
      const Whole weights = nb::cast<Whole>(pass[2]);
      if (axis < 0 || axis >= rank || starts.shape(0) != weights.shape(0))
        throw std::invalid_argument("a pass");
      const Starts rows = nb::cast<Starts>(pass[8]);
      const i64 n_in = rows.shape(0) ? static_cast<i64>(rows.shape(0)) : shape_in[axis];
      ndresize::FixedPass p = ndresize::fixed_pass(
          axis, n_in, shape_out[axis], static_cast<int>(weights.shape(1)), starts.data(),
          weights.data());
      if (static_cast<i64>(starts.shape(0)) != p.n_out) throw std::invalid_argument("a pass");
      for (i64 o = 0; o < p.n_out; ++o)
        if (p.starts[o] < 0 || p.starts[o] + p.counts[o] > p.n_in)
          throw std::invalid_argument("a weight outside the input");
      p.rows.assign(rows.data(), rows.data() + rows.shape(0));
      for (const i64 row : p.rows)
        if (row < 0 || row >= shape_in[axis]) throw std::invalid_argument("a row outside the input");
      p.cut = nb::cast<int>(pass[3]);
      p.store.format = static_cast<ndresize::Format>(nb::cast<int>(pass[4]));
      p.store.shift = nb::cast<int>(pass[5]);
      p.store.half = nb::cast<std::int32_t>(pass[6]);
      p.store.half_even = nb::cast<bool>(pass[7]);
      p.store.split = nb::cast<std::int32_t>(pass[9]);
      p.store.below = nb::cast<std::int32_t>(pass[10]);
      const Bias bias = nb::cast<Bias>(pass[11]);
      if (bias.shape(0) && static_cast<i64>(bias.shape(0)) != p.n_out)
        throw std::invalid_argument("a bias");
      p.bias.assign(bias.data(), bias.data() + bias.shape(0));
      p.store.scale = nb::cast<float>(pass[12]);
      p.store.small = nb::cast<bool>(pass[13]);
      passes.push_back(std::move(p));
    }
    return passes;
  }

  ndresize::Picture picture_;
};

// A plan whose passes are one sum.
class BoundJoint {
 public:
  BoundJoint(int type, int rounding, float plus, std::vector<i64> shape_in,
             std::vector<i64> shape_out, const nb::list& passes)
      : joint_(shape_in, shape_out, make(shape_in, shape_out, passes),
               {static_cast<ndresize::Rounding>(rounding), plus}, kernels(type)) {}

  void run(const nb::object& in, const nb::object& out, bool touched, int threads) const {
    static_cast<void>(touched);  // nothing is streamed
    const Buffer source(in, PyBUF_STRIDED_RO), target(out, PyBUF_STRIDED);
    i64 strides_in[33], strides_out[33];
    const i64 size = joint_.kernels.element_size;
    const i64* from = source.strides(joint_.shape_in, size, strides_in);
    const i64* to = target.strides(joint_.shape_out, size, strides_out);
    bool done = false;
    {
      const nb::gil_scoped_release release;
      done = joint_.run(static_cast<const char*>(source.view.buf), from,
                        static_cast<char*>(target.view.buf), to, threads, [] {
                          const nb::gil_scoped_acquire acquire;
                          return PyErr_CheckSignals() != 0;
                        });
    }
    if (!done) throw nb::python_error();
  }

 private:
  using Index = nb::ndarray<const i64, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  using Single = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

  static const ndresize::JointKernels& kernels(int type) {
    const bool baseline = &apart() == &ndresize::kernels_baseline();
    const auto* all = baseline ? ndresize::joint_kernels_baseline() : ndresize::joint_kernels_apart();
    if (type < 0 || type >= ndresize::type_count || !all[type].element_size)
      throw std::invalid_argument("type");
    return all[type];
  }

  static std::vector<ndresize::JointPass> make(const std::vector<i64>& shape_in,
                                               const std::vector<i64>& shape_out,
                                               const nb::list& entries) {
    const int rank = static_cast<int>(shape_in.size());
    if (rank > 32 || shape_out.size() != shape_in.size()) throw std::invalid_argument("rank");
    if (entries.size() < 1 || entries.size() > 3) throw std::invalid_argument("passes");
    std::vector<ndresize::JointPass> passes;
    for (const nb::handle entry : entries) {
      const nb::tuple pass = nb::cast<nb::tuple>(entry);
      const Index index = nb::cast<Index>(pass[1]);
      const Single weights = nb::cast<Single>(pass[2]);
      ndresize::JointPass p;
      p.axis = nb::cast<int>(pass[0]);
      if (p.axis < 0 || p.axis >= rank) throw std::invalid_argument("an axis");
      for (const auto& other : passes)
        if (other.axis == p.axis) throw std::invalid_argument("two passes along one axis");
      p.n_out = shape_out[p.axis];
      p.taps = static_cast<int>(index.shape(0));
      if (p.taps < 1 || p.taps > 2 || weights.shape(0) != index.shape(0) ||
          static_cast<i64>(index.shape(1)) != p.n_out || weights.shape(1) != index.shape(1))
        throw std::invalid_argument("a pass");
      p.index.assign(index.data(), index.data() + index.size());
      p.weights.assign(weights.data(), weights.data() + weights.size());
      for (const i64 i : p.index)
        if (i < 0 || i >= shape_in[p.axis]) throw std::invalid_argument("an index outside the input");
      passes.push_back(std::move(p));
    }
    return passes;
  }

  ndresize::Joint joint_;
};

using Bytes = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>;

nb::tuple memory(i64 size) {
  ndresize::Block* block = ndresize::take_block(size);
  const nb::capsule owner(
      block, [](void* p) noexcept { ndresize::give_block(static_cast<ndresize::Block*>(p)); });
  const size_t shape[1] = {static_cast<size_t>(size)};
  return nb::make_tuple(Bytes(block->memory, 1, shape, owner), block->touched);
}

// Bytes before the first whole line of the cache, of so many bytes.
i64 before_line(const nb::ndarray<nb::ndim<1>, nb::device::cpu>& memory, i64 line) {
  const i64 address = static_cast<i64>(reinterpret_cast<std::uintptr_t>(memory.data()));
  return (line - address % line) % line;
}

// Call work(first, pixels) for shares of so many pixels.
template <class Work>
void for_pixels(i64 pixels, int threads, Work work) {
  constexpr i64 share = 1 << 15;
  const nb::gil_scoped_release release;
  ndresize::parallel((pixels + share - 1) / share, threads > 0 ? threads : ndresize::usable_threads(),
                     [&](i64 k) { work(k * share, std::min(share, pixels - k * share)); }, [] { return false; });
}

using Pixels = nb::ndarray<std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using ConstPixels = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

int channels_with_alpha(size_t channels) {
  if (channels != 2 && channels != 4) throw std::invalid_argument("channels");
  return static_cast<int>(channels);
}

void multiply_alpha(const ConstPixels& in, const Pixels& out, int threads) {
  const int channels = channels_with_alpha(in.shape(1));
  if (out.shape(0) != in.shape(0) || out.shape(1) != in.shape(1)) throw std::invalid_argument("output");
  const std::uint8_t* from = in.data();
  std::uint8_t* to = out.data();
  for_pixels(static_cast<i64>(in.shape(0)), threads, [=](i64 first, i64 pixels) {
    chosen().fixed().multiply_alpha(from + first * channels, to + first * channels, pixels, channels);
  });
}

void divide_alpha(const Pixels& image, int threads) {
  const int channels = channels_with_alpha(image.shape(1));
  std::uint8_t* row = image.data();
  for_pixels(static_cast<i64>(image.shape(0)), threads, [=](i64 first, i64 pixels) {
    chosen().fixed().divide_alpha(row + first * channels, pixels, channels);
  });
}

}  // namespace

NB_MODULE(_ext, m) {
  m.attr("__doc__") = "The compiled engine of ndresize. Use ndresize.Plan.";
  m.def("instruction_set", [] { return std::string(chosen().name); },
        "Return the name of the instruction set whose kernels run.");
  m.attr("large_output") = ndresize::large_output;
  m.def("memory", memory, "size"_a,
        "Return new bytes and whether their pages were written before; for large outputs.");
  m.def("before_line", before_line, "memory"_a, "line"_a,
        "Return how many bytes are before the first whole line of the cache, of so many bytes.");
  m.def("multiply_alpha", multiply_alpha, "pixels"_a, "output"_a, "threads"_a,
        "Write colours times their alpha, the last of two or four channels; threads 0 for all.");
  m.def("divide_alpha", divide_alpha, "pixels"_a, "threads"_a,
        "Divide colours by their alpha, the last of two or four channels, in place; threads 0 for all.");
  nb::class_<Bound>(m, "Program", "The passes of a plan, ready to run.")
      .def(nb::init<int, bool, i64, bool, bool, int, bool, std::vector<i64>, std::vector<i64>, nb::list>(),
           "type"_a, "picks"_a, "item"_a, "wide_in"_a, "wide_out"_a, "rounding"_a, "fused"_a, "shape_in"_a,
           "shape_out"_a, "passes"_a)
      .def_prop_ro("wide_out", &Bound::wide_out, "Whether the output has the type of the sums.")
      .def("run", &Bound::run, "input"_a, "output"_a, "touched"_a, "threads"_a,
           "Run on two arrays that have the buffer protocol; touched: the output was written before; "
           "threads 0 for all.");
  nb::class_<BoundPicture>(m, "Picture", "The passes of an 8-bit plan in fixed point, ready to run.")
      .def(nb::init<std::vector<i64>, std::vector<i64>, bool, bool, nb::list>(), "shape_in"_a,
           "shape_out"_a, "signed_bytes"_a, "wraps"_a, "passes"_a)
      .def("run", &BoundPicture::run, "input"_a, "output"_a, "touched"_a, "threads"_a,
           "Run on two arrays that have the buffer protocol; touched: the output was written before; "
           "threads 0 for all.");
  nb::class_<BoundJoint>(m, "Joint", "The passes of a plan that are one sum, ready to run.")
      .def(nb::init<int, int, float, std::vector<i64>, std::vector<i64>, nb::list>(), "type"_a,
           "rounding"_a, "plus"_a, "shape_in"_a, "shape_out"_a, "passes"_a)
      .def("run", &BoundJoint::run, "input"_a, "output"_a, "touched"_a, "threads"_a,
           "Run on two arrays that have the buffer protocol; threads 0 for all.");
}
