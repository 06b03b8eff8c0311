#include "backup/backup.h"

#include "backup/new_directory.h"
#include "base/time_text.h"
#include "history/copy.h"
#include "services/paths.h"

#include <utility>

namespace quarry::backup {
namespace {

namespace fs = std::filesystem;

/// The files of a backup while it is made.
class Writer {
 public:
  Writer(const Places& places, const Work& work, const fs::path& directory)
      : places_(places), work_(work), directory_(directory) {}

  Status write(Part part) {
    if (work_.cancelled()) return cancelled_error();
    switch (part) {
      case Part::kConfiguration:
        return write_configuration();
      case Part::kHistory:
        return write_history();
      case Part::kStore:
        return write_store_part();
    }
    return {};
  }
  std::vector<BackedUpFile> take_files() { return std::move(files_); }

 private:
  Status add(std::string path, Part part, const fs::path& origin) {
    auto described = describe(directory_, std::move(path), part, origin.string());
    if (!described) return std::move(described).error();
    files_.push_back(std::move(*described));
    return {};
  }

  /// Copies a file with mode 0600. Nothing if it is missing.
  Status copy(const fs::path& from, const std::string& to, Part part) {
    const auto bytes = read_file(from);
    if (!bytes && bytes.error().code == Code::kNotFound) return {};
    if (!bytes) return bytes.error();
    if (Status made = create_private_directories((directory_ / to).parent_path()); !made) {
      return made;
    }
    if (Status written = write_file_atomically(directory_ / to, *bytes); !written) return written;
    return add(to, part, from);
  }

  Status write_configuration() {
    for (const config::NamedFile& file : places_.configuration) {
      if (Status done = copy(file.path, path_of(file), Part::kConfiguration); !done) return done;
    }
    return {};
  }

  Status write_history() {
    const fs::path file = places_.state / services::kHistoryFile;
    std::error_code failed;
    if (!fs::exists(file, failed)) return {};
    if (Status copied = history::copy_history(file, directory_ / kHistoryPath); !copied) {
      return copied;
    }
    return add(kHistoryPath, Part::kHistory, file);
  }

  Status write_store_part() {
    if (places_.store == nullptr) return {};
    const auto schema = places_.store->schema({});
    if (!schema) return schema.error();
    if (schema->number == 0) return {};
    if (const auto opened = places_.store->open({}); !opened) return opened.error();
    if (Status made = create_private_directories(directory_ / "store"); !made) return made;
    Status written = write_store(*places_.store, directory_ / kDumpPath, directory_ / kAuditPath,
                                 work_.cancelled);
    if (written) written = add(kDumpPath, Part::kStore, {});
    if (written) written = add(kAuditPath, Part::kStore, {});
    if (!written) return written;
    return copy(places_.state / services::kSecretsKeyFile, kSecretsKeyPath, Part::kStore);
  }

  const Places& places_;
  const Work& work_;
  const fs::path& directory_;
  std::vector<BackedUpFile> files_;
};

}  // namespace

std::string path_of(const config::NamedFile& file) {
  return "configuration/" + file.name;
}

Result<FileLock> lock_state(const fs::path& state) {
  auto lock = FileLock::try_acquire(state / "backup.lock", FileLock::Mode::kExclusive);
  if (!lock && lock.error().code == Code::kUnavailable) {
    return Error{Code::kUnavailable, "another backup or restore of " + state.string() + " runs",
                 "Try again when it has ended."};
  }
  return lock;
}

Result<BackedUp> back_up(const Places& places, const fs::path& directory, const Work& work) {
  auto made = NewDirectory::make(directory, places.state.native());
  if (!made) return std::move(made).error();
  Writer writer(places, work, made->path());
  for (const Part part : work.parts) {
    Status written = writer.write(part);
    if (!written) return std::move(written).error().in(name_of(part));
  }
  Manifest manifest{work.version, rfc3339(work.now), writer.take_files()};
  if (manifest.files.empty()) {
    return Error{Code::kNotFound, "there is nothing to back up",
                 "\"quarry config check\" names the files of the configuration; a history and a "
                 "store are there once they were used."}
        .tagged(kNothingTag);
  }
  if (Status written = write_manifest(made->path(), manifest); !written) {
    return std::move(written).error();
  }
  if (Status published = made->publish(); !published) return std::move(published).error();
  return BackedUp{std::move(manifest), made->removed_a_rest()};
}

}  // namespace quarry::backup
