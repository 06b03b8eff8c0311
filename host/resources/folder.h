#pragma once

#include "corpus/pack.h"
#include "corpus/watch.h"
#include "resources/directory_lock.h"

#include <filesystem>
#include <memory>

namespace quarry::resources {

/// A folder that is read where it is, and whether its snapshot is still what it holds. One thread
/// at a time.
class Folder {
 public:
  /// Starts to watch. What happens from here on is noticed.
  Folder(std::filesystem::path root, const corpus::PackRules& rules);

  /// True when nothing changed since before the scan that settle() spoke of.
  [[nodiscard]] bool unchanged();
  /// What the folder held at a scan after the last unchanged() is in its snapshot.
  void settle() { settled_ = true; }
  /// True while `root` is the path of this very folder.
  [[nodiscard]] bool is(const std::filesystem::path& root) const;

 private:
  std::filesystem::path root_;
  DirectoryIdentity identity_;
  std::unique_ptr<corpus::FolderWatch> watch_;
  bool settled_ = false;
};

}  // namespace quarry::resources
