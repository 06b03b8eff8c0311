#include "symbols_tree_sitter/memory.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <tree_sitter/api.h>

namespace quarry::symbols_tree_sitter {

/// In front of each allocation.
struct alignas(16) Memory::Block {
  Memory* owner;  ///< null outside any
  Block* previous;
  Block* next;
  std::size_t size;
};

namespace {

/// The allocator's functions have no argument for it.
thread_local Memory* current = nullptr;

}  // namespace

struct Allocator {
  using Block = Memory::Block;

  static void* take(std::size_t size) { return add(std::malloc(checked(size)), size); }

  static void* take_zeros(std::size_t count, std::size_t size) {
    if (size != 0 && count > SIZE_MAX / 2 / size) fail();
    void* memory = take(count * size);
    std::memset(memory, 0, count * size);
    return memory;
  }

  static void* resize(void* memory, std::size_t size) {
    if (memory == nullptr) return take(size);
    Block* old = block_of(memory);
    void* moved = take(size);
    std::memcpy(moved, memory, old->size < size ? old->size : size);
    release(memory);
    return moved;
  }

  static void release(void* memory) {
    if (memory == nullptr) return;
    Block* block = block_of(memory);
    if (Memory* owner = block->owner; owner != nullptr) {
      owner->used_ -= block->size;
      (block->previous != nullptr ? block->previous->next : owner->blocks_) = block->next;
      if (block->next != nullptr) block->next->previous = block->previous;
    }
    std::free(block);
  }

 private:
  static Block* block_of(void* memory) { return static_cast<Block*>(memory) - 1; }

  [[noreturn]] static void fail() {
    if (current == nullptr) std::abort();  // at the compilation of a query
    current->exhausted_ = true;
    throw MemoryExhausted();
  }

  /// The bytes to allocate for `size`.
  static std::size_t checked(std::size_t size) {
    const bool beyond =
        current != nullptr && (size > current->limit_ || current->used_ > current->limit_ - size);
    if (beyond) fail();
    return size + sizeof(Block);
  }

  static void* add(void* memory, std::size_t size) {
    if (memory == nullptr) fail();
    auto* block = static_cast<Block*>(memory);
    *block = {current, nullptr, nullptr, size};
    if (current != nullptr) {
      current->used_ += size;
      block->next = current->blocks_;
      if (block->next != nullptr) block->next->previous = block;
      current->blocks_ = block;
    }
    return block + 1;
  }
};

Memory::Memory(std::size_t limit) : limit_(limit) {
  current = this;
}

Memory::~Memory() {
  current = nullptr;
  while (blocks_ != nullptr) Allocator::release(blocks_ + 1);
}

bool Memory::exhausted() {
  return current != nullptr && current->exhausted_;
}

void use_limited_memory() {
  static std::once_flag once;
  std::call_once(once, [] {
    ts_set_allocator(Allocator::take, Allocator::take_zeros, Allocator::resize, Allocator::release);
  });
}

}  // namespace quarry::symbols_tree_sitter
