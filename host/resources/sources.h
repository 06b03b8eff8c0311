#pragma once

#include "resources/back_off.h"
#include "resources/folder.h"
#include "resources/library.h"
#include "resources/store.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resources {

/// State of a source kept between questions. Thread-safe except for `folder`.
class Source {
 public:
  /// The snapshot opened last; null = none.
  [[nodiscard]] std::shared_ptr<const Stored> stored() const;
  /// Leases it, sharing an existing lease. kNotFound if none is open, its directory is gone or it
  /// is damaged.
  Result<Leased> lease(Store& store);
  /// Makes `leased` the snapshot to use. False if it already was.
  bool adopt(const Leased& leased);
  /// The same, unless another one is open: that is newer, brought by a run meanwhile.
  bool adopt_first(const Leased& leased);
  /// Last request for the source, to repeat it without a caller.
  struct Asked {
    Json resource;
    PrepareOptions prepare_options;
  };
  void note_asked(const Json& resource, const PrepareOptions& prepare_options);
  [[nodiscard]] std::optional<Asked> asked() const;

  /// Closes an evicted snapshot: it occupies disk space while it is mapped.
  void forget_if_gone();
  /// Records that `root` is read in place.
  void note_folder(const std::filesystem::path& root);
  /// True if the folder that was read in place no longer exists.
  [[nodiscard]] bool folder_is_gone() const;

  /// True if the source refused the last request; a snapshot must not hide that.
  std::atomic<bool> refused = false;
  /// True if the open snapshot is damaged and not yet replaced: older states are not used, and a
  /// new one reuses nothing from them.
  std::atomic<bool> damaged = false;
  /// True while a background refresh runs.
  std::atomic<bool> refreshing = false;

  /// True if the last background refresh failed, so that this is reported once.
  std::atomic<bool> failing = false;

  /// Pauses after failures to reach the source.
  BackOff back_off;

  /// Null = not read in place. Used by one preparation at a time.
  std::unique_ptr<Folder> folder;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Stored> stored_;
  std::weak_ptr<DirectoryLock> lock_;  // its lease, while held
  std::optional<Asked> asked_;
  std::filesystem::path folder_root_;  // empty = not read in place
};

/// The sources used last, at most `capacity`. Thread-safe.
class Sources {
 public:
  explicit Sources(std::size_t capacity) : capacity_(capacity) {}
  std::shared_ptr<Source> get(const std::string& key);
  /// Removes sources whose keys begin with `prefix`; they are opened again on the next request.
  void forget(std::string_view prefix);
  void forget_gone();
  /// Removes sources whose folders no longer exist, which ends their watches. One thread at a time
  /// waits for the file systems of all folders; others return at once, and it looks again for them.
  void forget_gone_folders();
  [[nodiscard]] std::vector<std::shared_ptr<Source>> all();
  /// Sources whose current snapshot is `name`.
  std::vector<std::shared_ptr<Source>> holding(std::string_view name);

 private:
  struct Entry {
    std::uint64_t used = 0;
    std::shared_ptr<Source> source;
  };
  std::shared_ptr<Source> drop_oldest();
  void remove(const std::shared_ptr<Source>& source);

  const std::size_t capacity_;
  std::mutex mutex_;
  std::uint64_t uses_ = 0;
  std::atomic<unsigned> looks_wanted_ = 0;  // for folders that no longer exist
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace quarry::resources
