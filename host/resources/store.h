#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "corpus/snapshot.h"
#include "resources/directory_lock.h"
#include "resources/disk_usage.h"
#include "resources/metadata.h"
#include "resources/removal.h"
#include "resources/work_directory.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resources {

/// A snapshot in the cache, opened. Holding it keeps its memory mapped, not its directory.
struct Stored {
  std::string name;
  Metadata metadata;
  std::shared_ptr<const corpus::Snapshot> snapshot;
  DirectoryIdentity identity;
  Fd directory;  ///< keeps the inode, so that `identity` is not given to another directory
};

/// A lease: while it is held the snapshot's directory stays.
struct Leased {
  std::shared_ptr<const Stored> stored;
  std::shared_ptr<DirectoryLock> lock;
};

/// Passes on which open snapshot was found to be damaged. Snapshots may outlive the store: they
/// keep this. Thread-safe.
class DamageReports {
 public:
  struct Report {
    std::string name;
    DirectoryIdentity identity;
    corpus::Damage damage;
  };
  using Act = std::function<void(const Report&)>;
  /// Null from the end of the store's user on: returns when no call runs any more.
  void act(Act act);
  void report(const Report& report);

 private:
  std::mutex mutex_;
  Act act_;
};

/// The snapshots on disk (format.md). Thread-safe; other processes may use the same directory.
class Store {
 public:
  /// Makes the directories that are missing. `problem` is told what goes wrong without failing a
  /// call. `clock` must outlive the store.
  static Result<std::unique_ptr<Store>> open(const std::filesystem::path& directory,
                                             const Clock& clock,
                                             std::function<void(std::string_view)> problem,
                                             CrashPoint crash_point);

  /// A place to make a snapshot in.
  Result<std::unique_ptr<WorkDirectory>> build();
  /// Makes the snapshot in building->snapshot() the one named `name`, not known to be current. When
  /// there is a sound one of that name already, that is the answer.
  Result<Leased> publish(const WorkDirectory& building, const std::string& name,
                         const Metadata& metadata);
  /// Opens `name`. kNotFound when there is none; what cannot be read is set aside and counts as
  /// none.
  Result<Leased> open(const std::string& name);
  /// What is done about a snapshot that is open and found to be damaged while it is read. Called on
  /// the thread that reads; must not wait. Null ends that.
  void on_damage(DamageReports::Act act) { reports_->act(std::move(act)); }
  /// Moves a snapshot out of the way, also from beneath those who lease it, unless it was replaced
  /// already: they read on, and nobody opens it any more. It is deleted when nobody leases it.
  void set_aside(const std::string& name, const DirectoryIdentity& identity);
  /// The same for a snapshot opened before: cheap. kNotFound when its directory is gone.
  Result<Leased> lease(const std::shared_ptr<const Stored>& stored);
  /// Notes that the snapshot is the current one of its source at this moment, and used: that tells
  /// when the source has to be asked again, and which state is the last one known.
  void mark_current(const Leased& leased) const;
  /// Notes that the snapshot answers a question: that orders eviction.
  void mark_used(const Leased& leased) const;
  /// When it was last known to be current; the epoch when it never was.
  [[nodiscard]] static Clock::Wall current_at(const Leased& leased);

  /// The snapshot of a source that was current last, and when that was.
  struct Newest {
    std::string name;
    Clock::Wall current_at;
  };
  [[nodiscard]] std::optional<Newest> newest(std::string_view source_key) const;

  /// Removes the snapshots of a source but the newest, as far as nobody leases them.
  void drop_older(std::string_view source_key);
  /// A snapshot as it takes room.
  struct Entry {
    std::string name;
    Clock::Wall used_at;
    std::vector<DiskFile> files;  ///< a state of a folder shares some with the state before
  };
  [[nodiscard]] std::vector<Entry> entries() const;
  /// Those of one snapshot; none when it is gone.
  [[nodiscard]] std::vector<DiskFile> files_of(const std::string& name) const;
  /// Unless somebody leases it.
  Result<Removal> remove(const std::string& name);
  /// Removes the snapshots nobody leases whose names begin with `source_key`; answers how many.
  Result<std::uint64_t> clear(std::string_view source_key);
  /// Removes what crashed processes left behind, and what was set aside and is not leased any more.
  void sweep_leftovers();

 private:
  Store(std::filesystem::path directory, const Clock& clock,
        std::function<void(std::string_view)> problem, CrashPoint crash_point);
  [[nodiscard]] std::filesystem::path path_of(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  Result<Leased> load(const std::string& name, DirectoryLock lock);
  Error give_up(const std::string& name, const DirectoryIdentity& identity, const Error& why);
  Status make_directories();
  Result<Removal> remove_before(const std::string& name, Clock::Wall current_at);
  Result<std::optional<Leased>> move_into_place(const WorkDirectory& building,
                                                const std::string& name);
  void reach(std::string_view moment) const {
    if (crash_point_ != nullptr) crash_point_(moment);
  }

  std::filesystem::path snapshots_;
  std::filesystem::path building_;
  const Clock& clock_;
  std::function<void(std::string_view)> problem_;
  CrashPoint crash_point_;
  std::shared_ptr<DamageReports> reports_ = std::make_shared<DamageReports>();
};

}  // namespace quarry::resources
