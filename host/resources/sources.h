#pragma once

#include "resources/back_off.h"
#include "resources/folder.h"
#include "resources/library.h"
#include "resources/store.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resources {

/// What is kept of a source between questions. Thread-safe, but for the folder.
class Source {
 public:
  /// The snapshot opened last; null = none.
  [[nodiscard]] std::shared_ptr<const Stored> stored() const;
  /// That one leased, together with whoever leases it already. kNotFound when none is open, its
  /// directory is gone, or it was found to be damaged.
  Result<Leased> lease(Store& store);
  /// `leased` is the one to answer from now. False when it was so already.
  bool adopt(const Leased& leased);
  /// The same, unless another one is open, which is newer then: a run brought it meanwhile.
  bool adopt_first(const Leased& leased);
  /// How the source was asked for, so that it can be asked for again when nobody is there.
  struct Asked {
    Json resource;
    PrepareOptions prepare_options;
  };
  void note_asked(const Json& resource, const PrepareOptions& prepare_options);
  [[nodiscard]] std::optional<Asked> asked() const;

  /// Lets go of a snapshot that was evicted: as long as it is mapped, it takes its room on the
  /// disk.
  void forget_if_gone();

  /// Whether the source said no when it was last asked: then a snapshot must not hide that.
  std::atomic<bool> refused = false;
  /// Whether what was open was found to be damaged, and nothing has taken its place: no older state
  /// answers then, and a new one takes nothing over from one.
  std::atomic<bool> damaged = false;
  /// Whether a refresh in the background is on its way.
  std::atomic<bool> refreshing = false;

  /// Whether the last refresh in the background failed, so that this is told once.
  std::atomic<bool> failing = false;

  /// When it is asked again after it could not be reached.
  BackOff back_off;

  /// Null = not read in place. Used by one preparation at a time.
  std::unique_ptr<Folder> folder;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Stored> stored_;
  std::weak_ptr<DirectoryLock> lock_;  // its lease, while somebody has it
  std::optional<Asked> asked_;
};

/// The sources used last, at most `capacity`. Thread-safe.
class Sources {
 public:
  explicit Sources(std::size_t capacity) : capacity_(capacity) {}
  std::shared_ptr<Source> get(const std::string& key);
  /// Forgets those whose keys begin with `prefix`: they are opened anew when they are asked about.
  void forget(std::string_view prefix);
  void forget_gone();
  /// Those that answer with the snapshot `name`.
  std::vector<std::shared_ptr<Source>> holding(std::string_view name);

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
