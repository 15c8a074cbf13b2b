// Threads that wait for work, shared by all calls.
#pragma once
#include <functional>

#include "kernels.hpp"

namespace ndresize {

// Element operations of a task after which an interrupt should be looked for: a tenth of a second.
constexpr i64 longest_task = i64{1} << 27;

// How many threads a call takes if it is not told: what affinity, container and OMP_NUM_THREADS
// allow.
int usable_threads();

// How many pieces each of `parts` is cut into, at least `chunks`: so that the threads get equal shares.
inline i64 equal_shares(i64 chunks, i64 parts, int threads) {
  i64 more = chunks;
  while (more < chunks + threads && parts * more % threads != 0) ++more;
  return parts * more % threads == 0 ? more : chunks;
}

// Call work(0) .. work(tasks - 1), each once, on up to `threads` threads, this one among them.
// `poll` is called now and then on this thread; once it returns true no further task begins.
// Returns false if `poll` did return true. An exception of a task is thrown again here.
bool parallel(i64 tasks, int threads, const std::function<void(i64)>& work,
              const std::function<bool()>& poll);

}  // namespace ndresize
