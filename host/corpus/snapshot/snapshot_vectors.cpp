#include "corpus/index/vector_index.h"
#include "corpus/index/word_index.h"
#include "corpus/snapshot/snapshot_state.h"

#include <mutex>

#include <sys/stat.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;

/// 0 if there is no such file.
std::uint64_t inode_of(const fs::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? status.st_ino : 0;
}

/// Forgets vectors that were found damaged, and removes their file. True if there were any.
bool drop_damaged(LazyVectors& lazy, const fs::path& file) {
  if (!lazy.index || !lazy.index->is_damaged()) return false;
  // One that replaced it since may be sound.
  std::error_code ignored;
  if (inode_of(file) == lazy.inode) fs::remove(file, ignored);
  lazy.index = nullptr;
  return true;
}

}  // namespace

std::shared_ptr<const VectorIndex> Snapshot::vectors(std::uint32_t segment,
                                                     const std::string& name) const {
  const auto table = words(segment);
  if (!table) return nullptr;
  LazyVectors& lazy = state_->vectors[segment];
  const fs::path file = state_->segments[segment]->directory() / name;
  std::unique_lock lock(lazy.mutex);
  if (lazy.name != name) lazy.index = nullptr;
  lazy.name = name;
  if (drop_damaged(lazy, file)) {
    lock.unlock();
    if (state_->on_damage) state_->on_damage(Damage::kIndex);
    return nullptr;
  }
  if (lazy.index && lazy.index->is_complete()) return lazy.index;
  const std::uint64_t inode = inode_of(file);
  if (inode == 0 || (lazy.index && inode == lazy.inode)) return lazy.index;
  auto index = VectorIndex::open(file);
  if (!index || !(*index)->fits(table->table())) return lazy.index;
  lazy.inode = inode;
  return lazy.index = std::move(*index);
}

}  // namespace quarry::corpus
