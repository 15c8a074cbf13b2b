// What is made once per key and kept, without a lock: one that is held in the moment of a fork would
// stay so in the child for ever.
#pragma once
#include <atomic>
#include <memory>
#include <utility>

namespace ndresize {

template <class Key, class Value>
class Kept {
 public:
  Kept() = default;
  Kept(const Kept&) = delete;
  ~Kept() {
    for (Entry* entry = first_.load(); entry;) delete std::exchange(entry, entry->next);
  }

  // The value of a key, which `make` returns a unique_ptr of. Two threads that come first at the
  // same time both make one, and both are kept.
  template <class Make>
  Value* get(const Key& key, Make make) {
    for (Entry* entry = first_.load(std::memory_order_acquire); entry; entry = entry->next)
      if (entry->key == key) return entry->value.get();
    auto* fresh = new Entry{key, make(), first_.load(std::memory_order_relaxed)};
    while (!first_.compare_exchange_weak(fresh->next, fresh, std::memory_order_release)) {
    }
    return fresh->value.get();
  }

 private:
  struct Entry {
    Key key;
    std::unique_ptr<Value> value;
    Entry* next;
  };
  std::atomic<Entry*> first_{nullptr};
};

}  // namespace ndresize
