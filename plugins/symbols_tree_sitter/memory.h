/// The memory of the runtime's objects, which it takes from one allocator for the whole process.
#ifndef QUARRY_SYMBOLS_TREE_SITTER_MEMORY_H
#define QUARRY_SYMBOLS_TREE_SITTER_MEMORY_H

#include <cstddef>

namespace quarry::symbols_tree_sitter {

/// Thrown through the runtime, which has no way to go on without memory: single steps of its parser
/// take any amount of it for some texts. Its objects are then in no state to be deleted.
struct MemoryExhausted {};

/// Where the runtime's allocations on this thread are counted and kept while this object lives; no
/// other may live on the thread. What is not freed until then, because the memory was exhausted, is
/// freed with it.
class Memory {
 public:
  /// An allocation beyond `limit` bytes in all throws MemoryExhausted.
  explicit Memory(std::size_t limit);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// True on a thread whose memory was exhausted: objects must not be deleted.
  static bool exhausted();

 private:
  friend struct Allocator;
  struct Block;

  std::size_t limit_;
  std::size_t used_ = 0;
  bool exhausted_ = false;
  Block* blocks_ = nullptr;
};

/// Lets this plugin's runtime allocate so. Before its first use; any thread, any number of times.
void use_limited_memory();

}  // namespace quarry::symbols_tree_sitter

#endif
