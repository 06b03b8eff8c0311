#include "resources/store.h"

#include "base/directory_entries.h"
#include "resources/disk_usage.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <system_error>

#include <sys/stat.h>

namespace quarry::resources {
namespace fs = std::filesystem;
using Mode = DirectoryLock::Mode;

namespace {

constexpr const char* kMetadataFile = "resource.json";
constexpr const char* kResolvedFile = "resolved.json";

/// Creates a directory; anything else in its place is renamed.
Status make_directory(const fs::path& path, const std::function<void(std::string_view)>& problem) {
  std::error_code failed;
  if (fs::exists(fs::symlink_status(path, failed)) && !fs::is_directory(path, failed)) {
    const fs::path aside = path.string() + ".damaged";
    fs::rename(path, aside, failed);
    if (!failed)
      problem(path.string() + " is not a directory; it was renamed to " + aside.string());
  }
  fs::create_directories(path, failed);
  if (!failed) return {};
  Error error = system_error("cannot create the cache directory " + path.string(), failed.value());
  error.hint = "Choose another one: directory in [cache].";
  return error;
}

/// True if the code indicates damage of the snapshot rather than a shortage in this process.
bool is_unsound(Code code) {
  return code != Code::kResourceExhausted && code != Code::kUnavailable && code != Code::kCancelled;
}

/// True if the path is an unreadable directory or not a directory.
bool cannot_be_entered(const fs::path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd || errno == EMFILE || errno == ENFILE) return false;
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

}  // namespace

Store::Store(fs::path directory, const Clock& clock, std::function<void(std::string_view)> problem,
             CrashPoint crash_point)
    : snapshots_(directory / "snapshots"),
      building_(directory / "building"),
      clock_(clock),
      problem_(std::move(problem)),
      crash_point_(crash_point) {}

Result<std::unique_ptr<Store>> Store::open(const fs::path& directory, const Clock& clock,
                                           std::function<void(std::string_view)> problem,
                                           CrashPoint crash_point) {
  std::unique_ptr<Store> store(new Store(directory, clock, std::move(problem), crash_point));
  if (Status made = store->make_directories(); !made) return std::move(made).error();
  return store;
}

Status Store::make_directories() {
  for (const fs::path& needed : {snapshots_, building_}) {
    if (Status made = make_directory(needed, problem_); !made) return made;
  }
  return {};
}

fs::path Store::path_of(std::string_view name) const {
  return snapshots_ / name;
}

std::vector<std::string> Store::names() const {
  std::vector<std::string> names;
  for (const auto& entry : entries_of(snapshots_)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

Result<std::unique_ptr<WorkDirectory>> Store::build() {
  auto building = WorkDirectory::create(building_);
  if (!building && building.error().code == Code::kNotFound && make_directories()) {
    building = WorkDirectory::create(building_);  // the cache was removed meanwhile
  }
  if (!building) return std::move(building).error().in("cannot write to the cache");
  reach("building");
  return building;
}

Result<Leased> Store::publish(const WorkDirectory& building, const std::string& name,
                              const Metadata& metadata) {
  reach("packed");
  const Status described =
      write_file_atomically(building.snapshot() / kMetadataFile, metadata_text(metadata));
  if (!described) return described.error();
  const timespec never_current[2] = {timespec_of(clock_.now()), timespec_of({})};
  ::utimensat(AT_FDCWD, (building.snapshot() / kMetadataFile).c_str(), never_current, 0);
  reach("described");
  // The lock moves with the rename, so the new snapshot is leased before it becomes visible.
  auto lock = DirectoryLock::try_acquire(building.snapshot(), Mode::kShared);
  if (!lock) return std::move(lock).error();
  auto other = move_into_place(building, name);
  if (!other) return std::move(other).error();
  if (*other) return std::move(**other);
  reach("renamed");
  const Status durable = sync_directory(snapshots_);
  if (!durable) return durable.error();
  reach("published");
  return load(name, std::move(*lock));
}

/// Returns an existing sound snapshot of that name, if any: it has the same content.
Result<std::optional<Leased>> Store::move_into_place(const WorkDirectory& building,
                                                     const std::string& name) {
  constexpr int kAttempts = 8;
  for (int attempt = 0;; ++attempt) {
    if (std::rename(building.snapshot().c_str(), path_of(name).c_str()) == 0) return std::nullopt;
    const int number = errno;
    const bool taken = number == EEXIST || number == ENOTEMPTY || number == ENOTDIR;
    if (!taken || attempt == kAttempts) return system_error("cannot publish " + name, number);
    if (auto other = open(name)) return std::optional(std::move(*other));
    // Waits for a concurrent removal.
    static_cast<void>(DirectoryLock::acquire(path_of(name), Mode::kShared));
  }
}

Result<Leased> Store::open(const std::string& name) {
  auto lock = DirectoryLock::try_acquire(path_of(name), Mode::kShared);
  if (!lock && lock.error().code == Code::kUnavailable) {
    return Error{Code::kNotFound, name + " is being removed"};
  }
  if (!lock && cannot_be_entered(path_of(name))) return discard_damaged(name, {}, lock.error());
  if (!lock) return std::move(lock).error();
  const DirectoryIdentity identity = lock->identity();
  auto leased = load(name, std::move(*lock));
  if (leased || !is_unsound(leased.error().code)) return leased;
  return discard_damaged(name, identity, leased.error());
}

Error Store::discard_damaged(const std::string& name, const DirectoryIdentity& identity,
                             const Error& why) {
  problem_("a snapshot in the cache is damaged and is rebuilt: " + why.message);
  set_aside(name, identity);
  return {Code::kNotFound, name + " was damaged"};
}

void Store::set_aside(const std::string& name, const DirectoryIdentity& identity) {
  const auto now = identity_of(path_of(name));
  if (now && identity != DirectoryIdentity{} && *now != identity) return;
  const fs::path aside = building_ / name_for_removal();
  if (std::rename(path_of(name).c_str(), aside.c_str()) != 0) {
    if (errno != ENOENT) problem_(system_error("cannot move " + name + " aside", errno).message);
    return;
  }
  const auto unused = DirectoryLock::try_acquire(aside, Mode::kExclusive);
  if (!unused && unused.error().code == Code::kUnavailable) return;
  const Status removed = remove_tree(aside);
  if (!removed) problem_(removed.error().message);
}

Result<Leased> Store::load(const std::string& name, DirectoryLock lock) {
  const auto text = read_file(path_of(name) / kMetadataFile);
  if (!text) return text.error();
  auto metadata = parse_metadata(*text);
  if (!metadata) return std::move(metadata).error().in((path_of(name) / kMetadataFile).string());
  if (!name.starts_with(source_key(metadata->source))) {
    return Error{Code::kInvalidArgument, path_of(name).string() + " describes another source"};
  }
  const DirectoryIdentity identity = lock.identity();
  auto snapshot = corpus::Snapshot::open(
      path_of(name),
      [name, identity, reports = reports_](corpus::Damage damage) {
        reports->report({name, identity, damage});
      },
      open_files_);
  if (!snapshot) return std::move(snapshot).error();
  Fd directory(::openat(lock.fd(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return system_error(name, errno);
  auto stored = std::make_shared<const Stored>(
      Stored{name, std::move(*metadata), std::move(*snapshot), identity, std::move(directory)});
  return Leased{std::move(stored), std::make_shared<DirectoryLock>(std::move(lock))};
}

void DamageReports::act(Act act) {
  const std::lock_guard lock(mutex_);
  act_ = std::move(act);
}

void DamageReports::report(const Report& report) {
  const std::lock_guard lock(mutex_);
  if (act_) act_(report);
}

Result<Leased> Store::lease(const std::shared_ptr<const Stored>& stored) {
  auto lock = DirectoryLock::try_acquire(path_of(stored->name), Mode::kShared);
  if (!lock || lock->identity() != stored->identity) {
    return Error{Code::kNotFound, stored->name + " is gone"};
  }
  return Leased{stored, std::make_shared<DirectoryLock>(std::move(*lock))};
}

void Store::mark_current(const Leased& leased) const {
  const timespec now = timespec_of(clock_.now());
  const timespec times[2] = {now, now};
  ::utimensat(leased.lock->fd(), kMetadataFile, times, 0);
  forget_times_ahead(source_key(leased.stored->metadata.source));
}

/// Of a clock that was ahead and was set back: another state would stay the newest until then.
void Store::forget_times_ahead(std::string_view source_key) const {
  for (const std::string& name : names()) {
    if (!name.starts_with(source_key)) continue;
    const fs::path file = path_of(name) / kMetadataFile;
    const auto times = times_of(file);
    if (!times || times->modified_at <= clock_.now()) continue;
    const timespec never_current[2] = {{0, UTIME_OMIT}, timespec_of({})};
    ::utimensat(AT_FDCWD, file.c_str(), never_current, 0);
  }
}

plugins::LastSnapshot Store::last(const Leased& leased) const {
  plugins::LastSnapshot out = leased.stored->metadata.origin;
  auto resolved = read_file(path_of(leased.stored->name) / kResolvedFile);
  if (resolved && parse_json(*resolved)) out.version = std::move(*resolved);
  return out;
}

void Store::mark_resolved(const Leased& leased, std::string_view version) const {
  if (version.empty() || version == last(leased).version) return;
  const auto written = write_file_atomically(path_of(leased.stored->name) / kResolvedFile, version);
  if (!written) problem_(written.error().message);
}

void Store::mark_used(const Leased& leased) const {
  const timespec times[2] = {timespec_of(clock_.now()), {0, UTIME_OMIT}};
  ::utimensat(leased.lock->fd(), kMetadataFile, times, 0);
}

Clock::Wall Store::current_at(const Leased& leased) {
  struct stat status {};
  if (::fstatat(leased.lock->fd(), kMetadataFile, &status, 0) != 0) return {};
  return wall_of(status.st_mtim);
}

std::optional<Store::Newest> Store::newest(std::string_view source_key) const {
  std::optional<Newest> newest;
  for (const std::string& name : names()) {
    if (!name.starts_with(source_key)) continue;
    const auto times = times_of(path_of(name) / kMetadataFile);
    if (!times) continue;
    if (!newest || times->modified_at > newest->current_at) {
      newest = Newest{name, times->modified_at};
    }
  }
  return newest;
}

std::vector<fs::path> Store::others_of(const Stored& stored) const {
  constexpr std::size_t kMost = 8;
  std::vector<std::pair<Clock::Wall, fs::path>> others;
  for (const std::string& name : names()) {
    if (name == stored.name || !name.starts_with(source_key(stored.metadata.source))) continue;
    const auto times = times_of(path_of(name) / kMetadataFile);
    if (times) others.emplace_back(times->modified_at, path_of(name));
  }
  std::ranges::sort(others, std::greater{});
  std::vector<fs::path> paths;
  for (auto& [time, path] : std::span(others).first(std::min(kMost, others.size()))) {
    paths.push_back(std::move(path));
  }
  return paths;
}

Result<Removal> Store::remove(const std::string& name) {
  return remove_before(name, Clock::Wall::max());
}

/// Creates no directory: a full disk has no space for one.
Result<Removal> Store::remove_before(const std::string& name, Clock::Wall current_at) {
  const auto lock = DirectoryLock::try_acquire(path_of(name), Mode::kExclusive);
  if (!lock) return outcome_of(lock.error());
  // The time cannot change while it is locked.
  const auto times = times_of(path_of(name) / kMetadataFile);
  if (times && times->modified_at >= current_at) return Removal::kInUse;
  reach("removing");
  const fs::path removed = building_ / name_for_removal();
  if (std::rename(path_of(name).c_str(), removed.c_str()) != 0) {
    return system_error("cannot remove " + name, errno);
  }
  reach("removed");
  const Status done = remove_tree(removed);
  if (!done) return done.error();
  return Removal::kRemoved;
}

void Store::drop_older(std::string_view source_key) {
  const auto kept = newest(source_key);
  for (const std::string& name : names()) {
    if (!kept || !name.starts_with(source_key) || name == kept->name) continue;
    const auto removed = remove_before(name, kept->current_at);
    if (!removed) problem_(removed.error().message);
  }
}

std::vector<Store::Entry> Store::entries() const {
  std::vector<Entry> entries;
  for (std::string& name : names()) {
    const fs::path path = path_of(name);
    const auto times = times_of(path / kMetadataFile);
    if (!times) continue;
    entries.push_back({std::move(name), times->accessed_at, files_beneath(path)});
  }
  return entries;
}

std::vector<DiskFile> Store::files_of(const std::string& name) const {
  return files_beneath(path_of(name));
}

Result<std::uint64_t> Store::clear(std::string_view source_key) {
  std::uint64_t count = 0;
  for (const std::string& name : names()) {
    if (!name.starts_with(source_key)) continue;
    const auto removed = remove(name);
    if (!removed) return removed.error();
    if (*removed == Removal::kRemoved) ++count;
  }
  return count;
}

void Store::sweep_leftovers() {
  sweep(building_);
  // Every published snapshot has a description; without one it would be neither used nor evicted.
  for (const std::string& name : names()) {
    if (!times_of(path_of(name) / kMetadataFile)) static_cast<void>(open(name));
  }
}

}  // namespace quarry::resources
