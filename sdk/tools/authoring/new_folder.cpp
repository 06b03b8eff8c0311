#include "authoring/new_folder.h"

#include "base/file.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <ranges>
#include <vector>

#include <sys/stat.h>

namespace quarry::authoring {
namespace {

namespace fs = std::filesystem;

/// Entries of the file system made by this object. Its destructor removes them, the last first,
/// unless keep() was called; it removes no entry made by others.
class NewEntries {
 public:
  NewEntries() = default;
  explicit NewEntries(fs::path made) : made_{std::move(made)} {}
  ~NewEntries() {
    std::error_code ignored;
    for (const fs::path& path : std::views::reverse(made_)) fs::remove(path, ignored);
  }
  NewEntries(const NewEntries&) = delete;
  NewEntries& operator=(const NewEntries&) = delete;

  void keep() { made_.clear(); }

  Status add_directory(const fs::path& path) {
    if (::mkdir(path.c_str(), 0777) != 0) return system_error(path.string(), errno);
    made_.push_back(path);
    return {};
  }

  Status add_file(const fs::path& path, std::string_view text) {
    const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!fd) return system_error(path.string(), errno);
    made_.push_back(path);
    if (Status written = write_all(fd.get(), text); !written) {
      return std::move(written).error().in(path.string());
    }
    return {};
  }

  /// Adds `files` to an empty directory, with the directories beneath it that they need.
  Status add_all(const fs::path& directory, const FolderFiles& files) {
    for (const auto& [name, text] : files) {
      const fs::path path = directory / name;
      if (Status made = add_parents(path.parent_path()); !made) return made;
      if (Status made = add_file(path, text); !made) return made;
    }
    return {};
  }

 private:
  Status add_parents(const fs::path& directory) {
    std::error_code ignored;
    if (fs::is_directory(directory, ignored)) return {};
    if (Status made = add_parents(directory.parent_path()); !made) return made;
    return add_directory(directory);
  }

  std::vector<fs::path> made_;
};

Error taken(const fs::path& folder, const std::string& cause) {
  return {Code::kInvalidArgument, folder.string() + " " + cause, "Name another folder."};
}

Status write_beside(const fs::path& folder, const FolderFiles& files) {
  const auto beside = make_temp_directory(folder.parent_path(), ".quarry-new-");
  if (!beside) return beside.error();
  const NewEntries outside(*beside);
  NewEntries inside;
  const fs::path made = *beside / folder.filename();
  if (Status added = inside.add_directory(made); !added) return added;
  if (Status added = inside.add_all(made, files); !added) return added;
  // Replaces nothing but an empty directory, which another process may have made meanwhile.
  if (std::rename(made.c_str(), folder.c_str()) != 0) return system_error(folder.string(), errno);
  inside.keep();
  return {};
}

/// For a folder that may be somebody's working directory, or a mount point.
Status write_into(const fs::path& folder, const FolderFiles& files) {
  NewEntries inside;
  if (Status added = inside.add_all(folder, files); !added) return added;
  inside.keep();
  return {};
}

}  // namespace

Status write_new_folder(const fs::path& folder, const FolderFiles& files) {
  std::error_code failed;
  const fs::file_status status = fs::status(folder, failed);
  if (status.type() == fs::file_type::none) return system_error(folder.string(), failed.value());
  if (fs::is_directory(status)) {
    const bool empty = fs::is_empty(folder, failed);
    if (failed) return system_error(folder.string(), failed.value());
    return empty ? write_into(folder, files) : taken(folder, "is not empty");
  }
  if (fs::exists(status)) return taken(folder, "is not a directory");
  if (!fs::is_directory(folder.parent_path(), failed)) {
    return Error{Code::kNotFound, folder.parent_path().string() + " is not a directory",
                 "Create it first, or name another folder."};
  }
  return write_beside(folder, files);
}

}  // namespace quarry::authoring
