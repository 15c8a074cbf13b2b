#include "pool.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace ndresize {
namespace {

constexpr int no_limit = 1 << 20;

// The processors that the container allows.
int cgroup_limit() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return no_limit;
  return std::max(1, static_cast<int>(std::atof(quota.c_str()) / period + 0.5));
}

// What OMP_NUM_THREADS allows.
int openmp_limit() {
  const char* given = std::getenv("OMP_NUM_THREADS");
  const int count = given ? std::atoi(given) : 0;
  return count > 0 ? count : no_limit;
}

struct Job {
  explicit Job(i64 n, const std::function<void(i64)>& w) : tasks(n), work(w) {}
  const i64 tasks;
  const std::function<void(i64)>& work;
  std::atomic<i64> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::condition_variable idle;
  int helpers = 0;  // threads of the pool that are in the job; guarded by mutex
  std::exception_ptr error;

  bool step() {
    if (stop.load(std::memory_order_relaxed)) return false;
    const i64 task = next.fetch_add(1, std::memory_order_relaxed);
    if (task >= tasks) return false;
    try {
      work(task);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!error) error = std::current_exception();
      stop = true;
    }
    return true;
  }
};

class Pool {
 public:
  // Ask for `count` more threads to join the job.
  void offer(const std::shared_ptr<Job>& job, int count) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      while (threads_ < count) {
        try {
          std::thread([this] { serve(); }).detach();
        } catch (const std::system_error&) {
          break;  // no more threads to be had: the caller's thread does the work
        }
        ++threads_;
      }
      for (int k = 0; k < count; ++k) waiting_.push_back(job);
    }
    ready_.notify_all();
  }

 private:
  void serve() {
    for (;;) {
      std::shared_ptr<Job> job;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        ready_.wait(lock, [this] { return !waiting_.empty(); });
        job = std::move(waiting_.front());
        waiting_.pop_front();
      }
      {
        const std::lock_guard<std::mutex> lock(job->mutex);
        if (job->stop || job->next >= job->tasks) continue;  // over; its `work` may be gone
        ++job->helpers;
      }
      while (job->step()) {
      }
      {
        const std::lock_guard<std::mutex> lock(job->mutex);
        --job->helpers;
      }
      job->idle.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::shared_ptr<Job>> waiting_;
  int threads_ = 0;
};

// Never destroyed: its threads may outlive main. After a fork the child has none of the threads,
// so it begins with a new pool.
std::atomic<Pool*> pool{nullptr};

// When the module is loaded, and not when a call comes first: a fork while another thread is in the
// middle of that would leave the child waiting for it.
[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { pool = nullptr; });
// Read here as well, and not by a call: another thread may write to the environment at that time.
const int limit = std::min(cgroup_limit(), openmp_limit());

Pool& the_pool() {
  Pool* known = pool.load();
  if (!known) {
    auto* fresh = new Pool;
    if (pool.compare_exchange_strong(known, fresh)) return *fresh;
    delete fresh;
  }
  return *known;
}

}  // namespace

// Affinity, container and OMP_NUM_THREADS, whichever is least.
int usable_threads() {
  int count = limit;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = std::min(count, CPU_COUNT(&set));
  return std::max(count, 1);
}

bool parallel(i64 tasks, int threads, const std::function<void(i64)>& work,
              const std::function<bool()>& poll) {
  const auto job = std::make_shared<Job>(tasks, work);
  const i64 helpers = threads - 1 < tasks - 1 ? threads - 1 : tasks - 1;
  if (helpers > 0) the_pool().offer(job, static_cast<int>(helpers));
  bool polled = false;
  auto last = std::chrono::steady_clock::now();
  while (job->step()) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last > std::chrono::milliseconds(50)) {
      last = now;
      // Not asked again: once it says so, a Python exception is set.
      if (poll()) job->stop = polled = true;
    }
  }
  if (helpers > 0) {
    std::unique_lock<std::mutex> lock(job->mutex);
    if (job->next < tasks) job->stop = true;
    job->idle.wait(lock, [&] { return job->helpers == 0; });
  }
  if (job->error) std::rethrow_exception(job->error);
  return !polled;
}

}  // namespace ndresize
