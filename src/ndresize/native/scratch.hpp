// Memory of one thread between tasks. It grows to what a task needs and is kept for the next one.
#pragma once
#include <vector>

#include "kernels.hpp"

namespace ndresize {

struct Scratch {
  std::vector<char> memory;
  size_t used = 0;
  void reset(i64 bytes) {
    const size_t size = static_cast<size_t>(bytes);
    if (memory.size() < size || memory.size() > size + (size_t{64} << 20)) {
      std::vector<char>().swap(memory);
      memory.resize(size);
    }
    used = 0;
  }
  // Begins a line of 64 bytes: what is taken needs 64 bytes more than its size.
  char* take(i64 size) {
    char* p = memory.data() + used;
    p += (64 - reinterpret_cast<std::uintptr_t>(p) % 64) % 64;
    used = static_cast<size_t>(p - memory.data()) + static_cast<size_t>(size);
    return p;
  }
};

}  // namespace ndresize
