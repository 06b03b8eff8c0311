#include "backup/restore.h"

#include "backup/manifest.h"
#include "base/file.h"
#include "base/file_replacement.h"
#include "base/json_member.h"
#include "base/text.h"
#include "base/time_text.h"
#include "history/copy.h"
#include "history/schema.h"
#include "services/paths.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::backup {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReplacedDirectory = "before-restore";
constexpr const char* kMark = "restoring.json";  ///< exists while parts are being replaced

// Members of the mark.
constexpr const char* kBackup = "backup";
constexpr const char* kReplaced = "replaced";  ///< backup of what was there before, if anything
constexpr const char* kOnly = "only";          ///< names of the parts, if some were named

/// The mark of a restore that has begun; nothing if there is none, an empty object if it cannot be
/// read.
std::optional<Json> read_mark(const fs::path& state) {
  const auto text = read_file(state / kMark);
  if (!text &&
      (text.error().code == Code::kNotFound || text.error().code == Code::kPermissionDenied)) {
    return std::nullopt;  // where nothing can be read, nothing says that a restore has begun
  }
  const auto said = text ? parse_json(*text) : Result<Json>(text.error());
  return said && said->is_object() ? *said : Json::object();
}

/// True if the marks are of the same parts of the same backup.
bool is_same_restore(Json left, Json right) {
  for (Json* const one : {&left, &right}) one->erase(kReplaced);
  return left == right;
}

/// A configuration file to be replaced.
struct NewFile {
  fs::path path;
  std::string bytes;
};

/// One restore: prepare() changes nothing, apply() replaces.
class Restore {
 public:
  Restore(const Places& places, const fs::path& directory, const Work& work)
      : places_(places), directory_(directory), work_(work) {}

  Status prepare(bool all);
  Status back_up_present();
  Status apply();
  [[nodiscard]] Restored result() const;

 private:
  Status check_parts(bool all);
  Status verify_files() const;
  Status prepare_configuration();
  Status prepare_history();
  Status prepare_store() const;
  Status apply_store();
  Status apply_configuration();
  [[nodiscard]] Json mark() const;
  Status unmark() const;

  [[nodiscard]] bool wants(Part part) const { return parts_.contains(part); }
  [[nodiscard]] fs::path history() const { return places_.state / services::kHistoryFile; }

  const Places& places_;
  const fs::path& directory_;
  const Work& work_;
  Manifest manifest_;
  bool all_ = true;  ///< what the backup has, not some parts that were named
  std::set<Part> parts_;
  std::vector<NewFile> files_;
  std::optional<history::Replacement> history_;
  std::optional<fs::path> replaced_;
};

Status Restore::prepare(bool all) {
  auto manifest = read_manifest(directory_);
  if (!manifest) return std::move(manifest).error();
  manifest_ = std::move(*manifest);
  Status done = check_parts(all);
  if (done) done = verify_files();
  if (done) done = prepare_configuration();
  if (done) done = prepare_history();
  if (done) done = prepare_store();
  return done;
}

Status Restore::check_parts(bool all) {
  all_ = all;
  for (const Part part : work_.parts) {
    if (manifest_.has(part)) {
      parts_.insert(part);
    } else if (!all) {
      return Error{Code::kNotFound, directory_.string() + " has no " + std::string(name_of(part)),
                   "\"files\" of its backup.json says what it has."};
    }
  }
  return {};
}

Status Restore::verify_files() const {
  for (const BackedUpFile& file : manifest_.files) {
    if (!wants(file.part)) continue;
    if (work_.cancelled()) return cancelled_error();
    if (Status same = verify(directory_, file); !same) return same;
  }
  return {};
}

/// A new file takes the place of `file`, in a directory that may have to be made too.
Status check_replaceable(const fs::path& file) {
  std::error_code failed;
  fs::path directory = file.parent_path();
  while (!fs::exists(directory, failed) && directory.has_relative_path()) {
    directory = directory.parent_path();
  }
  for (const fs::path& changed : {file, directory}) {
    if (!fs::exists(changed, failed) || ::access(changed.c_str(), W_OK) == 0) continue;
    return Error{Code::kPermissionDenied,
                 system_error("cannot write " + file.string(), errno).message,
                 "Restore as the user who may, or name the other parts with --only."};
  }
  return {};
}

Status Restore::prepare_configuration() {
  if (!wants(Part::kConfiguration)) return {};
  for (const BackedUpFile& kept : manifest_.files) {
    if (kept.part != Part::kConfiguration) continue;
    const auto place = std::ranges::find(places_.configuration, kept.path, path_of);
    if (place == places_.configuration.end()) {
      return Error{Code::kNotFound,
                   "there is no place here for " + kept.path + ", a copy of " + kept.origin,
                   "Give --config where the backup was made with it, or copy the file yourself and "
                   "name the other parts with --only."};
    }
    auto bytes = read_file(directory_ / kept.path);
    if (!bytes) return std::move(bytes).error();
    if (const auto present = read_file(place->path); present && *present == *bytes) continue;
    fs::path file = real_file(place->path);
    if (Status may = check_replaceable(file); !may) return may;
    files_.push_back({std::move(file), std::move(*bytes)});
  }
  return {};
}

Status Restore::prepare_history() {
  if (!wants(Part::kHistory)) return {};
  auto prepared = history::Replacement::prepare(directory_ / kHistoryPath, history());
  if (!prepared) return std::move(prepared).error();
  history_.emplace(std::move(*prepared));
  std::error_code failed;
  if (!fs::exists(history(), failed)) return {};
  // A damaged one cannot be backed up: it is kept under another name.
  const auto present = history::open_history(history());
  if (present || present.error().tag != history::kDamageTag) return {};
  const auto renamed = history::rename_damaged_history(history());
  return renamed ? Status() : Status(renamed.error());
}

Status Restore::prepare_store() const {
  if (!wants(Part::kStore)) return {};
  if (places_.store == nullptr) {
    return Error{Code::kUnsupported, "there is no store to restore to",
                 "Set provider of [store], or name the other parts with --only."};
  }
  const auto schema = places_.store->schema({});  // fails if it cannot be restored
  return schema ? Status() : Status(schema.error());
}

Status Restore::back_up_present() {
  Work work = work_;
  work.parts = parts_;
  const fs::path parent = places_.state / kReplacedDirectory;
  if (Status made = create_private_directories(parent); !made) return made;
  fs::path to = parent / rfc3339(work_.now);
  std::error_code failed;
  for (int again = 2; fs::exists(to, failed); ++again) {
    to = parent / (rfc3339(work_.now) + '-' + std::to_string(again));
  }
  const auto made = back_up(places_, to, work);
  if (!made && made.error().tag != kNothingTag) return made.error();
  if (made) replaced_ = to;
  const auto begun = read_mark(places_.state);
  if (!begun || !is_same_restore(*begun, mark())) return {};
  // It was interrupted: what it replaced is what was there before it, not what it left.
  const fs::path before = text_of(*begun, kReplaced);
  if (before.empty() || fs::exists(before, failed)) replaced_ = before;
  if (before.empty()) replaced_.reset();
  return {};
}

Json Restore::mark() const {
  Json out{{kBackup, directory_.string()}};
  if (replaced_) out[kReplaced] = replaced_->string();
  for (const Part part : all_ ? std::set<Part>() : parts_) out[kOnly].push_back(name_of(part));
  return out;
}

Status Restore::unmark() const {
  std::error_code failed;
  remove_temporaries(places_.state / kMark);
  fs::remove(places_.state / kMark, failed);
  if (failed) return system_error("cannot remove " + std::string(kMark), failed.value());
  return sync_directory(places_.state);
}

/// As an edit of the file does it, which has the same lock.
Status replace_file(const fs::path& file, std::string_view bytes) {
  const auto lock = FileLock::acquire(file.parent_path(), FileLock::Mode::kExclusive);
  if (!lock) return lock.error();
  remove_temporaries(file);
  return write_file_atomically(file, bytes);
}

/// The key comes last: a store that refuses the dump, as one of a later version, keeps the key of
/// its secrets.
Status Restore::apply_store() {
  if (const auto opened = places_.store->open({}); !opened) return opened.error();
  if (Status loaded = load_store(*places_.store, directory_ / kDumpPath, directory_ / kAuditPath,
                                 work_.cancelled);
      !loaded || manifest_.find(kSecretsKeyPath) == nullptr) {
    return loaded;
  }
  const auto bytes = read_file(directory_ / kSecretsKeyPath);
  if (!bytes) return bytes.error();
  return replace_file(places_.state / services::kSecretsKeyFile, *bytes);
}

Status Restore::apply_configuration() {
  for (const auto& [path, bytes] : files_) {
    if (Status made = create_private_directories(path.parent_path()); !made) return made;
    if (Status replaced = replace_file(path, bytes); !replaced) return replaced;
  }
  return {};
}

Status Restore::apply() {
  Status done = write_file_atomically(places_.state / kMark, to_text(mark()));
  if (done && wants(Part::kStore)) done = apply_store();
  if (done && history_) done = history_->apply();
  if (done) done = apply_configuration();
  return done ? unmark() : done;
}

Restored Restore::result() const {
  Restored out{{parts_.begin(), parts_.end()}, {}, replaced_};
  for (const NewFile& file : files_) out.files.push_back(file.path);
  return out;
}

/// What to do about a restore that has begun; nothing if there is none.
std::optional<std::string> next_step(const fs::path& state) {
  const auto begun = read_mark(state);
  if (!begun) return std::nullopt;
  const auto command = [&](const char* of) {
    const std::string directory = text_of(*begun, of);
    return directory.empty() ? "" : "quarry restore " + shell_word(directory);
  };
  std::string again = command(kBackup);
  const std::string back = command(kReplaced);
  if (again.empty()) return "Repeat it: quarry restore DIR.";
  for (const Json& part : begun->value(kOnly, Json::array())) {
    if (part.is_string()) again += " --only " + part.get<std::string>();
  }
  return "Complete it: " + again + (back.empty() ? "." : "; or go back: " + back + ".");
}

}  // namespace

Result<Restored> restore(const Places& places, const fs::path& directory, bool all,
                         const Work& work) {
  Restore one(places, directory, work);
  Status prepared = one.prepare(all);
  if (prepared) prepared = one.back_up_present();
  if (!prepared) return std::move(prepared).error();
  if (Status applied = one.apply(); !applied) {
    Error error = std::move(applied).error();
    if (const auto next = next_step(places.state)) {
      error.hint += (error.hint.empty() ? "" : " ") + ("The restore is not complete. " + *next);
    }
    return error;
  }
  return one.result();
}

std::optional<Error> interrupted_restore(const fs::path& state) {
  const auto next = next_step(state);
  if (!next) return std::nullopt;
  const auto lock = lock_state(state);
  if (!lock && lock.error().code == Code::kUnavailable) return std::nullopt;  // it runs
  if (!next_step(state)) return std::nullopt;  // it has ended meanwhile
  return Error{Code::kDataLoss, "a restore was interrupted", *next};
}

}  // namespace quarry::backup
