#include "joint.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "pool.hpp"

namespace ndresize {
namespace {

constexpr i64 little = 1 << 16;    // products that are not worth waking a thread for
constexpr i64 piece = 2048;        // elements of a row that are summed at a time: the first cache
constexpr i64 block_row = 32;      // so many elements side by side are a row of their own
constexpr i64 little_row = 48;     // elements of rows that are not worth the tables of each
constexpr i64 little_map = 4096;   // elements of a map that is one row instead
constexpr int most_axes = 3;

i64 product(const std::vector<i64>& values) {
  i64 p = 1;
  for (const i64 n : values) p *= n;
  return p;
}

void copy_blocks(const char* src, i64 from, char* dst, i64 to, i64 block, i64 n) {
  if (block == 1) {
    for (i64 k = 0; k < n; ++k) dst[k * to] = src[k * from];
  } else if (block == 4) {
    for (i64 k = 0; k < n; ++k) std::memcpy(dst + k * to, src + k * from, 4);
  } else {
    for (i64 k = 0; k < n; ++k) std::memcpy(dst + k * to, src + k * from, static_cast<size_t>(block));
  }
}

}  // namespace

// A pass along rows as tables of its elements.
struct JointRow {
  JointPass pass;  // of pixels
  SpreadTable table{};
  std::vector<int> place[most_terms], left[most_terms];
  std::vector<float> weights[most_terms];
};

namespace {

// The tables for pixels of `block` elements of `size` bytes, in rows of `elements`.
std::unique_ptr<JointRow> row_tables(JointPass pass, i64 block, i64 elements, i64 size) {
  auto made = std::make_unique<JointRow>();
  const i64 n = pass.n_out * block;
  SpreadTable& table = made->table;
  table.taps = pass.taps;
  for (int t = 0; t < pass.taps; ++t) {
    std::vector<int>& place = made->place[t];
    place.assign(static_cast<size_t>(n + joint_room), 0);
    made->weights[t].assign(place.size(), 0);
    for (i64 e = 0; e < n; ++e) {
      const i64 at = t * pass.n_out + e / block;
      place[e] = static_cast<int>(pass.index[at] * block + e % block);
      made->weights[t][e] = pass.weights[at];
    }
  }
  if (size == 1) {
    const int last = static_cast<int>(std::max<i64>(elements, 4)) - 4;  // windows end within the row
    table.shared = pass.taps % 2 == 0;
    for (int t = 0; t + 1 < pass.taps && table.shared; t += 2)
      for (i64 e = 0; e < n; ++e) {
        const auto [low, high] = std::minmax(made->place[t][e], made->place[t + 1][e]);
        if (high - std::min(low, last) > 3) table.shared = false;
      }
    for (int t = 0; t < pass.taps; ++t) {
      made->left[t].assign(made->place[t].size(), 0);
      for (i64 e = 0; e < n; ++e) {
        const int at = made->place[t][e];
        int window = std::min(at, last);
        if (table.shared) window = t % 2 ? made->place[t - 1][e] : std::min(window, made->place[t + 1][e]);
        made->place[t][e] = window;
        made->left[t][e] = 24 - 8 * (at - window);
      }
    }
  }
  for (int t = 0; t < pass.taps; ++t) {
    table.place[t] = made->place[t].data();
    table.left[t] = made->left[t].data();
  }
  made->pass = std::move(pass);
  return made;
}

// How the arrays lie in memory: rows of pixels, and the axes that lead from row to row.
struct Layout {
  const JointRow* along = nullptr;  // null: rows are single pixels, and all passes go across them
  std::vector<const JointPass*> passes;  // all that go across, and `along`'s place among them as null
  i64 n_in = 1, n_out = 1, block = 1;    // pixels of a row, and elements of a pixel
  i64 pixel_in = 0, pixel_out = 0;       // bytes from pixel to pixel
  std::vector<int> axes;                 // outermost first
};

// Some rows of the output, one after another.
class Rows {
 public:
  Rows(const Layout& layout, const JointKernels& kernels, const JointStore& store,
       const std::vector<i64>& shape, const i64* stride_in, const i64* stride_out)
      : at_(layout), k_(kernels), store_(store), shape_(shape), stride_in_(stride_in),
        stride_out_(stride_out) {
    const i64 size = k_.element_size;
    packed_in_ = at_.pixel_in == at_.block * size || at_.n_in == 1;
    packed_in_ &= at_.n_in * at_.block * size >= 4;  // bytes are read four at a time
    packed_out_ = at_.pixel_out == at_.block * size || at_.n_out == 1;
    width_ = std::min(std::max<i64>(piece / at_.block, 1), at_.n_out);
    tap_ = width_ * at_.block + joint_room;
    int count = 1;
    for (const JointPass* pass : at_.passes) count *= pass ? pass->taps : at_.along->pass.taps;
    for (int k = 0; k < count; ++k) {
      Term term{};
      int left = k;
      std::array<int, most_axes> taps{};
      for (size_t p = 0; p < at_.passes.size(); ++p) {
        const int n = at_.passes[p] ? at_.passes[p]->taps : at_.along->pass.taps;
        (at_.passes[p] ? taps[p] : term.tap) = left % n;
        left /= n;
      }
      const auto known = std::find(sources_.begin(), sources_.end(), taps);
      term.source = static_cast<int>(known - sources_.begin());
      if (known == sources_.end()) sources_.push_back(taps);
      terms_.push_back(term);
    }
    for (const int axis : at_.axes) {
      int found = -1;
      for (size_t p = 0; p < at_.passes.size(); ++p)
        if (at_.passes[p] && at_.passes[p]->axis == axis) found = static_cast<int>(p);
      pass_of_.push_back(found);
    }
    slot_ = tap_ * (at_.along ? at_.along->pass.taps : 1);
    spread_.resize(sources_.size() * static_cast<size_t>(slot_));
    if (!at_.along) ones_.assign(static_cast<size_t>(tap_), 1.0f);
    if (!packed_in_) source_.resize(static_cast<size_t>(std::max<i64>(at_.n_in * at_.block * size, 4)));
    if (!packed_out_) result_.resize(static_cast<size_t>(width_ * at_.block * size));
  }

  // Rows begin..end - 1 of all.
  void make(const char* in, char* out, i64 begin, i64 end) {
    std::vector<i64> start(at_.axes.size());
    i64 rest = begin;
    for (size_t k = at_.axes.size(); k-- > 0;) {
      start[k] = rest % shape_[at_.axes[k]];
      rest /= shape_[at_.axes[k]];
    }
    for (i64 from = 0; from < at_.n_out; from += width_) {
      const i64 to = std::min(from + width_, at_.n_out);
      held_.fill(nullptr);
      place_ = start;
      for (i64 row = begin; row < end; ++row) {
        one(in, out, from, to);
        for (size_t k = place_.size(); k-- > 0;) {
          if (++place_[k] < shape_[at_.axes[k]]) break;
          place_[k] = 0;
        }
      }
    }
  }

 private:
  struct Term {
    int source;  // which of the rows that are read
    int tap;     // along it
  };
  using Pointers = std::array<const char*, most_terms>;

  void one(const char* in, char* out, i64 from, i64 to) {
    std::array<i64, most_axes> index{};  // where each pass across rows is
    for (size_t k = 0; k < place_.size(); ++k) {
      const int axis = at_.axes[k];
      out += place_[k] * stride_out_[axis];
      if (pass_of_[k] < 0) in += place_[k] * stride_in_[axis];
      else index[pass_of_[k]] = place_[k];
    }
    const size_t count = sources_.size();
    Pointers rows;
    std::array<std::array<float, 2>, most_terms> factors;
    bool both = false;
    for (size_t s = 0; s < count; ++s) {
      rows[s] = in;
      float one = 1, two = 1;
      // The weight along rows comes first in all products of two; of three it may be the last.
      bool first = true, along = at_.along == nullptr;
      const bool last = at_.along && at_.passes.back() == nullptr;
      for (size_t p = 0; p < at_.passes.size(); ++p) {
        const JointPass* pass = at_.passes[p];
        if (!pass) continue;
        const i64 tap = sources_[s][p] * pass->n_out + index[p];
        const float w = pass->weights[tap];
        if (w == 0) rows[s] = nullptr;  // reads nothing
        if (rows[s]) rows[s] += pass->index[tap] * stride_in_[pass->axis];
        if (first || along || last) one *= w;
        else two = w;
        first = false;
      }
      both |= two != 1;
      factors[s] = {one, two};
    }
    std::array<const float*, most_terms> samples;
    for (size_t s = 0; s < count; ++s)
      if (rows[s]) samples[s] = held(rows, rows[s], from, to);
    JointTerm terms[most_terms];
    int used = 0;
    for (const Term& term : terms_) {
      if (!rows[term.source]) continue;
      const float* weights = at_.along ? at_.along->weights[term.tap].data() + from * at_.block : ones_.data();
      terms[used++] = {samples[term.source] + term.tap * tap_, weights, factors[term.source][0],
                       factors[term.source][1]};
    }
    const i64 size = k_.element_size, n = (to - from) * at_.block;
    char* place = out + from * at_.pixel_out;
    k_.sum(terms, used, both, packed_out_ ? place : result_.data(), n, store_);
    if (!packed_out_)
      copy_blocks(result_.data(), at_.block * size, place, at_.pixel_out, at_.block * size, to - from);
  }

  // The samples of a row as floats, read anew or kept from the row of the output before.
  const float* held(const Pointers& needed, const char* row, i64 from, i64 to) {
    const auto end = needed.begin() + static_cast<std::ptrdiff_t>(sources_.size());
    size_t slot = 0;
    for (size_t s = sources_.size(); s-- > 0;) {
      if (held_[s] == row) return spread_.data() + static_cast<i64>(s) * slot_;
      if (!held_[s] || std::find(needed.begin(), end, held_[s]) == end) slot = s;
    }
    held_[slot] = row;
    float* dst = spread_.data() + static_cast<i64>(slot) * slot_;
    if (!packed_in_) {
      const i64 size = k_.element_size;
      copy_blocks(row, at_.pixel_in, source_.data(), at_.block * size, at_.block * size, at_.n_in);
      row = source_.data();
    }
    if (!at_.along) {
      k_.widen(row, at_.block, dst);
    } else {
      float* taps[most_terms];
      for (int t = 0; t < at_.along->pass.taps; ++t) taps[t] = dst + t * tap_;
      k_.spread(row, at_.along->table, from * at_.block, to * at_.block, taps);
    }
    return dst;
  }

  const Layout& at_;
  const JointKernels& k_;
  const JointStore& store_;
  const std::vector<i64>& shape_;
  const i64 *stride_in_, *stride_out_;
  bool packed_in_, packed_out_;
  i64 width_;       // pixels that are summed at a time
  i64 tap_, slot_;  // floats of one tap of a row, and of all
  std::vector<Term> terms_;  // the first pass's taps change fastest
  std::vector<std::array<int, most_axes>> sources_;  // taps of the passes across, per row that is read
  std::vector<int> pass_of_;  // per axis of the layout, or -1
  std::vector<float> spread_, ones_;
  std::vector<char> source_, result_;
  std::array<const char*, most_terms> held_{};
  std::vector<i64> place_;  // of the row that is made
};

}  // namespace

Joint::Joint(std::vector<i64> in, std::vector<i64> out, std::vector<JointPass> passes,
             JointStore store, const JointKernels& k)
    : shape_in(std::move(in)), shape_out(std::move(out)), kernels(k), passes_(std::move(passes)),
      store_(store) {}

Joint::~Joint() = default;

const JointRow* Joint::row(const JointPass& along, i64 block) const {
  return known_.get({false, block}, [&] {
    return row_tables(along, block, shape_in[along.axis] * block, kernels.element_size);
  });
}

// All passes as one, along the pixels of a map that is made of the axes from `first` on.
const JointRow* Joint::map(int first, i64 block) const {
  return known_.get({true, block}, [&] {
    JointPass all;
    all.taps = 1, all.n_out = 1;
    int last = first;
    for (const JointPass& pass : passes_) all.taps *= pass.taps, last = std::max(last, pass.axis);
    i64 n_in = 1;
    for (int axis = first; axis <= last; ++axis) all.n_out *= shape_out[axis], n_in *= shape_in[axis];
    for (int term = 0; term < all.taps; ++term)
      for (i64 o = 0; o < all.n_out; ++o) {
        std::array<i64, 32> from{};
        i64 rest = o;
        for (int axis = last; axis >= first; --axis) from[axis] = rest % shape_out[axis], rest /= shape_out[axis];
        float weight = 1;
        int left = term;
        for (const JointPass& pass : passes_) {
          const i64 tap = left % pass.taps * pass.n_out + from[pass.axis];
          left /= pass.taps;
          weight *= pass.weights[tap];
          from[pass.axis] = pass.index[tap];
        }
        i64 at = 0;
        for (int axis = first; axis <= last; ++axis) at = at * shape_in[axis] + from[axis];
        all.index.push_back(at);
        all.weights.push_back(weight);
      }
    return row_tables(std::move(all), block, n_in * block, kernels.element_size);
  });
}

bool Joint::run(const char* in, const i64* stride_in, char* out, const i64* stride_out, int threads,
                bool (*interrupted)()) const {
  const int rank = static_cast<int>(shape_in.size());
  const i64 samples = product(shape_out), size = kernels.element_size;
  if (samples == 0) return true;
  int first = rank, last = -1;
  for (const JointPass& pass : passes_) first = std::min(first, pass.axis), last = std::max(last, pass.axis);

  // Elements after the last resized axis that are side by side in both arrays.
  Layout at;
  bool covered = true;
  for (int axis = rank - 1; axis > last && covered; --axis) {
    const i64 n = shape_in[axis], step = at.block * size;
    covered = n == 1 || (stride_in[axis] == step && stride_out[axis] == step);
    if (covered) at.block *= n;
  }
  if (!covered) at.block = 1;
  // Pixels of a map that lies in memory without gaps.
  i64 map_in = 1, map_out = 1;
  bool dense = covered;
  for (int axis = last; axis >= first; --axis) {
    dense &= shape_in[axis] == 1 || stride_in[axis] == map_in * at.block * size;
    dense &= shape_out[axis] == 1 || stride_out[axis] == map_out * at.block * size;
    map_in *= shape_in[axis], map_out *= shape_out[axis];
  }

  int end = covered ? last + 1 : rank;  // of the axes that lead from row to row
  const i64 row = shape_out[last] * at.block;
  if (dense && row <= little_row && map_out * at.block <= little_map) {
    at.along = map(first, at.block);
    at.passes = {nullptr};
    at.n_in = map_in, at.n_out = map_out;
    at.pixel_in = at.pixel_out = at.block * size;
    end = first;
  } else {
    const bool across = at.block >= block_row;
    for (const JointPass& pass : passes_)
      at.passes.push_back(pass.axis == last && !across ? nullptr : &pass);
    if (!across) {
      for (const JointPass& pass : passes_)
        if (pass.axis == last) at.along = this->row(pass, at.block);
      at.n_in = shape_in[last], at.n_out = shape_out[last];
      at.pixel_in = stride_in[last], at.pixel_out = stride_out[last];
    }
  }
  for (int axis = 0; axis < end; ++axis)
    if (axis != last || !at.along) at.axes.push_back(axis);
  // Axes that are kept lead from picture to picture, outside of those that are resized.
  std::stable_partition(at.axes.begin(), at.axes.end(), [&](int axis) {
    return std::none_of(at.passes.begin(), at.passes.end(),
                        [&](const JointPass* pass) { return pass && pass->axis == axis; });
  });

  const i64 rows = samples / (at.n_out * at.block);
  i64 work = samples;
  for (const JointPass& pass : passes_) work *= pass.taps;
  if (work < little) threads = 1;
  else if (threads <= 0) threads = usable_threads();
  i64 tasks = work / longest_task + 1;
  if (threads > 1) tasks = std::max<i64>(tasks, 4 * threads);
  tasks = std::min(tasks, rows);
  return parallel(
      tasks, threads,
      [&](i64 task) {
        Rows(at, kernels, store_, shape_out, stride_in, stride_out)
            .make(in, out, rows * task / tasks, rows * (task + 1) / tasks);
      },
      interrupted);
}

}  // namespace ndresize
