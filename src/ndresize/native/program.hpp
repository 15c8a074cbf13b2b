// A plan as the executor sees it: passes over the axes of strided arrays. No rule of any system.
#pragma once
#include <memory>
#include <vector>

#include "kept.hpp"
#include "kernels.hpp"
#include "pick_kernels.hpp"

namespace ndresize {

// The rows of one axis, weights in the accumulator's type.
struct AxisTable {
  i64 n_in, n_out;
  int taps;
  std::vector<i64> starts;
  std::vector<int> counts;
  std::vector<char> weights;  // [n_out][taps]
  // Of products that are added in an order of their own, of which a row has four: how far each reads
  // from the start on, and the row's tree. Their weights are [n_out][4] floats.
  std::vector<int> places;  // [n_out][4]
  std::vector<Tree> trees;  // empty: a product per tap, in their order
  i64 period = 0;             // outputs after which starts and weights repeat, if it is known
  bool has_zeros;             // some weight inside a row, or filling it up, is zero
  bool has_gaps;              // some weight inside a row is
  i64 head = 0, tail = 0;     // outputs at both ends, between which no row has a zero
  bool lerp = false;          // two taps a and b, of weights 1 - w and w, are a + (b - a) * w
  bool has_products() const { return !trees.empty(); }
  const void* row_weights(i64 i, int size) const {
    return weights.data() + i * (has_products() ? 4 : taps) * size;
  }
};

constexpr int most_passes = 8;
constexpr i64 most_product_reach = 16;  // samples from the first to the last that one output reads

struct PassSpec {
  int axis;
  bool settle;  // round into the element type after this pass
  AxisTable table;
};

// What does not depend on the arrays' memory layout.
struct Spec {
  int type;          // index into Kernels::rows; for picks unused
  bool picks;        // every pass picks samples: copy bytes
  i64 item;          // bytes of an element of the input
  i64 item_out;      // of the output
  bool wide_in;      // the input holds accumulators
  bool wide_out;     // the output does
  Rounding rounding;
  std::vector<i64> shape_in, shape_out;
  std::vector<PassSpec> passes;  // one per axis at most, in order
};

enum class Kind { loop, after, first, pick };

// One level of the loop nest, outermost first. `after`: resize what is below, then this axis, with
// a ring of finished slabs. `first`: this axis, then what is below. `loop`: an axis that is kept.
struct Level {
  Kind kind;
  int axis;
  i64 n_in, n_out;
  const PassSpec* pass;  // null for loops
};

// The nest for one memory layout.
struct Nest {
  std::vector<int> batch;     // axes that are kept, outside of all levels
  std::vector<Level> levels;
  const PassSpec* row = nullptr;  // the pass along the row; null: rows are copied
  int row_axis = -1;              // the axis whose stride separates samples of a row
  i64 samples_in = 1, samples_out = 1, channels = 1;  // of a row
};

struct Tile;  // tables of one piece of a row, see tiles.hpp

// A nest with its tables, ready for arrays of that layout.
struct Prepared {
  Nest nest;
  std::vector<std::unique_ptr<Tile>> tiles;
  int group = 1;       // rows that the row kernel takes at a time
  bool ahead = true;   // a group is filled up with rows that are not asked for yet
  bool stream = false;  // the output is larger than the caches: it goes past them
  bool careful = false;  // a NaN may have come through a weight of zero
  Prepared();
  ~Prepared();
};

class Maps;  // see maps.hpp

class Program {
 public:
  Program(Spec spec, const Kernels& kernels, const PickKernels& picks);
  ~Program();

  // Strides in bytes. `touched`: the output's pages are in memory already; new ones are cleared and
  // in the cache when they are first written. Returns false if `interrupted` did.
  bool run(const char* in, const i64* stride_in, char* out, const i64* stride_out, bool touched,
           int threads, bool (*interrupted)()) const;

  const Spec spec;
  const Kernels& kernels;
  const PickKernels& picks;

 private:
  const Prepared& prepared(const i64* stride_in, const i64* stride_out) const;
  std::unique_ptr<Prepared> prepare(int trailing, bool adjacent) const;
  mutable Kept<std::vector<bool>, Prepared> known_;  // by memory layout
  const std::unique_ptr<const Maps> maps_;           // null: they are no little maps
};

}  // namespace ndresize
