// One task of a run of sums: a range of the outermost level, for one batch entry and one tile of the rows.
#pragma once
#include "tiles.hpp"
#include "view.hpp"

namespace ndresize {

class Walk {
 public:
  Walk(const Spec& spec, const Kernels& kernels, const PickKernels& picks, const Prepared& prepared,
       const Tile& tile, bool safe, bool touched);
  // Do outputs begin..end of the outermost level. Returns false if a NaN was written that may have
  // come through a weight of zero; the output is then to be made again with `safe`.
  bool sums(const View& in, const View& out, i64 begin, i64 end);

 private:
  struct Frame {          // scratch of one level
    i64 slots = 0;        // `after`: slabs in the ring, a power of 2; `first`: slabs made at a time
    bool whole = false;   // `after`: all input rows are kept at once
    i64 slab_bytes = 0;
    i64 stride[most_levels] = {};  // of a slab, per level
    char* slabs = nullptr;
    i64* tags = nullptr;  // `after`: the input index that a slot holds
  };

  void level(int l, const View& in, const View& out, i64 begin, i64 end);
  void after(int l, const View& in, const View& out, i64 begin, i64 end);
  void after_whole(int l, const View& in, const View& out, i64 begin, i64 end);
  bool takes_squares(int l, const View& in, const View& out) const;
  void squares(int l, const View& in, const View& out, i64 begin, i64 end);
  void first(int l, const View& in, const View& out, i64 begin, i64 end);
  void fetch(const char* row, const View& from) const;
  void rows(const char* const* in, const View& from, char* const* out, const View& to, int count);
  void sum(const Level& at, i64 i, const char* const* rows, bool wide_rows, char* dst,
           const View& out, i64 n);
  bool sums_twice(const Level& at, i64 i, i64 end, const View& from, const View& to) const;
  void sum_twice(const Level& at, i64 i, const char* const* rows, bool wide_rows, char* const* dst, const View& to,
                 i64 n);
  void sum_slab(int l, int below, i64 i, const View& from, const char* const* slabs, i64 count,
                char* dst, const View& to, bool lengths_in);
  void pack(const char* row, const View& from, char* wide);
  void fence() const;
  void check(const char* row, bool wide, i64 n);
  void check_ends(const char* row);

  const Spec& spec_;
  const Kernels& kernels_;
  const PickKernels& pick_kernels_;
  const RowKernels& k_;
  const Prepared& prepared_;
  const Nest& nest_;
  const Tile& tile_;
  const bool safe_;
  const bool stream_;  // rows of the output array go past the caches
  const int levels_;
  bool nan_ = false;
  Frame frames_[most_levels];
  char* rows_in_ = nullptr;   // group rows, as accumulators
  char* rows_out_ = nullptr;
  char* tap_rows_ = nullptr;  // rows of `first` that had to be loaded
  void* lanes_ = nullptr;
  char* packed_ = nullptr;    // the samples of a row that are read
  i64 row_in_bytes_ = 0, row_out_bytes_ = 0;
  std::vector<const char*> pointers_[most_levels];
};

}  // namespace ndresize
