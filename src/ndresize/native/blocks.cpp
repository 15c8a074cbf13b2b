#include "blocks.hpp"

#include <atomic>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ndresize {
namespace {

constexpr std::align_val_t alignment{size_t{2} << 20};  // of a huge page

// Slots without a lock: one that is held in the moment of a fork would stay so in the child.
std::atomic<Block*> slots[8];
std::atomic<i64> kept{0};

void release(Block* block) noexcept {
  ::operator delete(block->memory, alignment);
  delete block;
}

// Put a block into a slot that is free; null if it found one.
Block* keep(Block* block) noexcept {
  if (kept.fetch_add(block->size) + block->size <= kept_blocks)
    for (std::atomic<Block*>& slot : slots) {
      Block* none = nullptr;
      if (slot.compare_exchange_strong(none, block)) return nullptr;
    }
  kept.fetch_sub(block->size);
  return block;
}

Block* unkeep(std::atomic<Block*>& slot) noexcept {
  Block* block = slot.exchange(nullptr);
  if (block) kept.fetch_sub(block->size);
  return block;
}

}  // namespace

Block* take_block(i64 size) {
  for (std::atomic<Block*>& slot : slots) {
    Block* block = unkeep(slot);
    if (!block) continue;
    if (block->size >= size && block->size / 2 <= size) return block;
    if (Block* left = keep(block)) release(left);
  }
  auto block = std::make_unique<Block>(Block{nullptr, size, false});
  block->memory = ::operator new(static_cast<size_t>(size), alignment);
#ifdef __linux__
  madvise(block->memory, static_cast<size_t>(size), MADV_HUGEPAGE);  // advice, no more
#endif
  return block.release();
}

void give_block(Block* block) noexcept {
  block->touched = true;
  // The block that was given back last is the likeliest to fit: others make room for it.
  for (std::atomic<Block*>& slot : slots) {
    if (block->size > kept_blocks || !(block = keep(block))) break;
    if (Block* other = unkeep(slot)) release(other);
  }
  if (block) release(block);
}

}  // namespace ndresize
