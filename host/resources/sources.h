#pragma once

#include "resources/folder.h"
#include "resources/store.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace quarry::resources {

/// What is kept of a source between questions. Used by one preparation at a time.
struct Source {
  std::shared_ptr<const Stored> stored;  ///< its last snapshot; null = none opened
  std::weak_ptr<DirectoryLock> lock;     ///< its lease, while somebody has it
  std::unique_ptr<Folder> folder;        ///< null = not read in place
};

/// The sources used last, at most `capacity`. Thread-safe.
class Sources {
 public:
  explicit Sources(std::size_t capacity) : capacity_(capacity) {}
  std::shared_ptr<Source> get(const std::string& key);
  void forget_all();

 private:
  struct Entry {
    std::uint64_t used = 0;
    std::shared_ptr<Source> source;
  };
  std::shared_ptr<Source> drop_oldest();

  const std::size_t capacity_;
  std::mutex mutex_;
  std::uint64_t uses_ = 0;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace quarry::resources
