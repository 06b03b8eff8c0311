#pragma once

#include "base/executor.h"
#include "corpus/snapshot/pack.h"
#include "corpus/snapshot/watch.h"
#include "resources/directory_lock.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>

namespace quarry::resources {

/// The rules of every folder that is read in place.
inline constexpr corpus::PackRules kInPlaceRules{};

/// A folder that is read in place, and whether its snapshot is still current. One thread at a time.
class Folder {
 public:
  /// Starts to watch for changes.
  Folder(std::filesystem::path root, const corpus::PackRules& rules);

  /// True if nothing has changed since before the scan confirmed by settle(). Call it before
  /// scan().
  [[nodiscard]] bool unchanged();
  /// The state of the folder; valid until the next scan. Where the last one succeeded and only
  /// files have changed since, lists their directories alone.
  Result<const corpus::TreeState*> scan(const corpus::PackLimits& limits, Executor& executor,
                                        std::stop_token stop);
  /// Confirms that the snapshot holds a scan made after the last unchanged().
  void settle() { settled_ = true; }
  /// True while `root` is the path of this folder.
  [[nodiscard]] bool is(const std::filesystem::path& root) const;
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
  DirectoryIdentity identity_;
  std::unique_ptr<corpus::FolderWatch> watch_;
  const corpus::PackRules rules_;
  corpus::TreeChanges changes_;  // since the last scan
  std::optional<corpus::TreeState> state_;
  bool settled_ = false;
};

}  // namespace quarry::resources
