// Memory of large outputs. The system fills a new page with zeros when it is first written, which
// takes as long as most resizes; so a block that is given back is kept for the next output.
#pragma once
#include "kernels.hpp"

namespace ndresize {

struct Block {
  void* memory;
  i64 size;      // bytes
  bool touched;  // its pages have been written before
};

// Smaller outputs are kept by malloc itself. Larger ones go past the caches where the pages are there:
// a core's own caches do not hold them, and writing them through these would first read what is
// overwritten.
constexpr i64 large_output = i64{8} << 20;
constexpr i64 kept_blocks = i64{128} << 20;  // bytes that are kept in all

// A block of at least `size` bytes, aligned to 2 MiB. Throws std::bad_alloc.
Block* take_block(i64 size);
void give_block(Block* block) noexcept;

}  // namespace ndresize
