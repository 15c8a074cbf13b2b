// One task of a run of picks: a range of the outermost level, for one batch entry and one tile of the rows.
#pragma once
#include <vector>

#include "tiles.hpp"
#include "view.hpp"

namespace ndresize {

class Picks {
 public:
  Picks(const Spec& spec, const PickKernels& kernels, const Prepared& prepared, const Tile& tile, bool touched);
  // Do outputs begin..end of the outermost level.
  void run(const View& in, const View& out, i64 begin, i64 end);

 private:
  void level(int l, const View& in, const View& out, i64 begin, i64 end);
  void rows(const char* const* from, char* const* to, int count, const View& in, const View& out);
  void rows_past(const char* const* from, char* const* to, const i64* first, int count, const View& in,
                 const View& out);
  void repeat(i64 count, i64 step);
  void copies(const char* made, int l, const View& out, i64 first, i64 end);
  bool contiguous(const View& out, int below) const;

  const Spec& spec_;
  const PickKernels& kernels_;
  const Nest& nest_;
  const Tile& tile_;
  const bool stream_;  // rows of the output go past the caches
  const int levels_;
  const i64 block_;      // bytes that are side by side
  const i64 row_bytes_;  // of an output row
  int streamed_ = 1;     // rows that are made before they are streamed
  bool direct_ = false;  // they are streamed as they are picked
  char* made_ = nullptr;
  std::vector<i64> places_{0};  // bytes from a row that is streamed to all that equal it in outer levels
};

}  // namespace ndresize
