// Rows cut into pieces, each with the tables of its row pass.
#pragma once
#include <new>
#include <vector>

#include "program.hpp"

namespace ndresize {

// Begins a line of 64 bytes: the widest vectors are then loaded from one line each.
template <class T>
struct Lined {
  using value_type = T;
  Lined() = default;
  template <class U>
  Lined(const Lined<U>&) {}
  T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* p, size_t) { ::operator delete(p, std::align_val_t{64}); }
  template <class U>
  bool operator==(const Lined<U>&) const { return true; }
  template <class U>
  bool operator!=(const Lined<U>&) const { return false; }
};
template <class T>
using Table = std::vector<T, Lined<T>>;

// From so many taps on, two outputs are summed at once: of rows of the input, and of a ring.
constexpr int taps_to_share = 5, taps_of_ring_to_share = 4;

struct Tile {
  i64 sample = 0;  // the first output
  i64 in_begin = 0, n_in = 0, out_begin = 0, n_out = 0;  // elements of the row
  const Tile* model = nullptr;  // the tile whose tables this one shares, or null: it has its own
  const Tile& tables() const { return model ? *model : *this; }
  RowTable table{};        // sums: the row pass
  std::vector<i64> starts;
  // Of rows that are widened and of which little is read: the samples that are, and `n_in` counts
  // those alone. Empty: the row is read from `in_begin` on.
  std::vector<i64> compact;
  std::vector<int> window_start;
  Table<int> index;
  std::vector<char> weights;
  Table<char> lanes;
  std::vector<Tree> block_trees;
  std::vector<int> lane_trees;
  ShuffleTable shuffle{};  // picks: where byte shuffles can do it
  i64 shuffled = 0;        // samples that they do; the rest goes by `starts`
  std::vector<int> offset;
  std::vector<signed char> control;
};

// Cut the rows of a nest and build the tables. `rows` is how many rows there are to share them.
void make_tiles(Prepared& prepared, const Spec& spec, const Kernels& kernels, const PickKernels& picks,
                i64 rows);

}  // namespace ndresize
