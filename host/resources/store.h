#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "corpus/snapshot/snapshot.h"
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

/// An open snapshot of the cache. Holding it keeps its memory mapped, not its directory.
struct Stored {
  std::string name;
  Metadata metadata;
  std::shared_ptr<const corpus::Snapshot> snapshot;
  DirectoryIdentity identity;
  Fd directory;  ///< keeps the inode, so that no other directory gets the same `identity`
};

/// A lease: while held, the snapshot's directory is not removed.
struct Leased {
  std::shared_ptr<const Stored> stored;
  std::shared_ptr<DirectoryLock> lock;
};

/// Forwards reports of damaged open snapshots. Owned by the snapshots too, as they may outlive the
/// store. Thread-safe.
class DamageReports {
 public:
  struct Report {
    std::string name;
    DirectoryIdentity identity;
    corpus::Damage damage;
  };
  using Act = std::function<void(const Report&)>;
  /// Sets the handler; null when the store's user ends. Returns when no call is running.
  void act(Act act);
  void report(const Report& report);

 private:
  std::mutex mutex_;
  Act act_;
};

/// The snapshots on disk (format.md). Thread-safe; other processes may use the same directory.
class Store {
 public:
  /// Creates missing directories. `problem` receives problems that do not fail a call. `clock` must
  /// outlive the store.
  static Result<std::unique_ptr<Store>> open(const std::filesystem::path& directory,
                                             const Clock& clock,
                                             std::function<void(std::string_view)> problem,
                                             CrashPoint crash_point);

  /// Creates a directory to build a snapshot in.
  Result<std::unique_ptr<WorkDirectory>> build();
  /// Publishes building.snapshot() as `name`, not known to be current. Returns an existing sound
  /// snapshot of that name instead, if any.
  Result<Leased> publish(const WorkDirectory& building, const std::string& name,
                         const Metadata& metadata);
  /// Opens `name`. kNotFound if there is none or it is unreadable, in which case it is set aside.
  Result<Leased> open(const std::string& name);
  /// Sets the handler for open snapshots found damaged while being read. Called on the reading
  /// thread; must not wait. Null removes it.
  void on_damage(DamageReports::Act act) { reports_->act(std::move(act)); }
  /// Moves a snapshot out of the way, even while leased, unless it was already replaced. Readers
  /// continue; it is not opened again and is deleted when no lease is left.
  void set_aside(const std::string& name, const DirectoryIdentity& identity);
  /// Leases a snapshot opened before: cheap. kNotFound if its directory is gone.
  Result<Leased> lease(const std::shared_ptr<const Stored>& stored);
  /// Records that the snapshot is current for its source now, and used: determines when the source
  /// must be checked again and which state is the last known one.
  void mark_current(const Leased& leased) const;
  /// What the next resolve and fetch of its source are told.
  [[nodiscard]] plugins::LastSnapshot last(const Leased& leased) const;
  /// Records a newer value of resolve for the same version, at most QUARRY_LIMIT_STATE bytes.
  void mark_resolved(const Leased& leased, std::string_view version) const;
  /// Records that the snapshot was used, for the order of eviction.
  void mark_used(const Leased& leased) const;
  /// Time when it was last known to be current; the epoch if never.
  [[nodiscard]] static Clock::Wall current_at(const Leased& leased);

  /// The most recently current snapshot of a source, and that time.
  struct Newest {
    std::string name;
    Clock::Wall current_at;
  };
  [[nodiscard]] std::optional<Newest> newest(std::string_view source_key) const;

  /// Directories of the other snapshots of the same source, at most eight, those first that were
  /// current last. They may be removed at any time.
  [[nodiscard]] std::vector<std::filesystem::path> others_of(const Stored& stored) const;

  /// Removes the snapshots of a source except the newest, unless leased.
  void drop_older(std::string_view source_key);
  /// Disk usage of a snapshot.
  struct Entry {
    std::string name;
    Clock::Wall used_at;
    std::vector<DiskFile> files;  ///< states of a folder share some with the previous state
  };
  [[nodiscard]] std::vector<Entry> entries() const;
  /// Files of one snapshot; empty if it is gone.
  [[nodiscard]] std::vector<DiskFile> files_of(const std::string& name) const;
  /// Removes a snapshot unless it is leased.
  Result<Removal> remove(const std::string& name);
  /// Removes snapshots without lease whose names begin with `source_key`; returns their number.
  Result<std::uint64_t> clear(std::string_view source_key);
  /// Removes leftovers of crashed processes and set-aside snapshots that are no longer leased.
  void sweep_leftovers();

 private:
  Store(std::filesystem::path directory, const Clock& clock,
        std::function<void(std::string_view)> problem, CrashPoint crash_point);
  [[nodiscard]] std::filesystem::path path_of(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  Result<Leased> load(const std::string& name, DirectoryLock lock);
  void forget_times_ahead(std::string_view source_key) const;
  Error discard_damaged(const std::string& name, const DirectoryIdentity& identity,
                        const Error& why);
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
  const std::shared_ptr<corpus::OpenFiles> open_files_ = corpus::new_open_files();
};

}  // namespace quarry::resources
