#include "conformance/fetched_files.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/relative_path.h"

#include <cerrno>
#include <fcntl.h>

namespace quarry::conformance {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const fs::path& path, int number) {
  auto error = system_error("cannot write " + path.string(), number);
  error.hint = "name another directory with --to";
  return error;
}

Status check_absolute(const fs::path& directory) {
  if (directory.is_absolute()) return {};
  return Error(Code::kInvalidArgument, "the directory " + directory.string() + " is not absolute");
}

}  // namespace

/// Fails for a path that leaves the directory, and for a second file of a path.
Status FetchedFiles::write(const std::string& path, std::string_view bytes) const {
  if (rules_.to.empty()) return {};
  const auto file = rules_.to / path;
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  if (failed) return cannot_write(file.parent_path(), failed.value());
  // The directory was empty, and only this object makes files in it, none of which is a link.
  const Fd target(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!target) return cannot_write(file, errno);
  auto written = write_all(target.get(), bytes);
  return written ? written : std::move(written.error()).in(file.string());
}

Status FetchedFiles::add(std::string_view path, File file, std::string_view bytes) {
  const auto normal = normalise_relative_path(path);
  if (!normal) return Error(normal.error()).in("the plugin adds a file");
  if (normal->empty()) {
    return Error(Code::kInvalidArgument, "the plugin adds a file without a name",
                 "name it by its path");
  }
  const std::lock_guard lock(mutex_);
  if (files_.size() >= rules_.most) {
    return Error(Code::kResourceExhausted, "the fetch has more files than are permitted");
  }
  if (file.left_out.empty()) {
    file.sha256 = sha256_hex(bytes);
    if (auto written = write(*normal, bytes); !written) return written;
  }
  files_.insert_or_assign(*normal, std::move(file));
  return {};
}

Status FetchedFiles::add_file(std::string_view path, std::string_view bytes) {
  return add(path, {.bytes = bytes.size()}, bytes);
}

Status FetchedFiles::add_described(std::string_view path, std::string_view bytes,
                                   plugins::FileFacts facts) {
  return add(path, {.bytes = bytes.size(), .facts = std::move(facts)}, bytes);
}

Result<bool> FetchedFiles::keep_file(std::string_view) {
  return false;
}

Status FetchedFiles::add_directory(const fs::path& directory) {
  if (auto absolute = check_absolute(directory); !absolute) return absolute;
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(directory, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const auto path = entry->path().lexically_relative(directory).string();
    const auto type = entry->symlink_status(failed).type();
    const auto size = type == fs::file_type::regular ? entry->file_size(failed) : 0;
    if (failed) break;
    Status added;
    if (type == fs::file_type::symlink) {
      added = add_link(path);
    } else if (size > kFileLimit) {
      added = add_large(path, size);
    } else if (type == fs::file_type::regular) {
      const auto bytes = read_file(entry->path(), kFileLimit);
      added = bytes ? add_file(path, *bytes) : Status(bytes.error());
    }
    if (!added) return added;
  }
  return failed ? Status(system_error(directory.string(), failed.value())) : Status();
}

Status FetchedFiles::add_large(std::string_view path, std::uint64_t size) {
  return add(path, {.bytes = size, .left_out = "too large"}, {});
}

Status FetchedFiles::add_link(std::string_view path) {
  return add(path, {.bytes = 0, .left_out = "a link"}, {});
}

Status FetchedFiles::use_in_place(const fs::path& directory) {
  if (auto absolute = check_absolute(directory); !absolute) return absolute;
  const std::lock_guard lock(mutex_);
  in_place_ = directory;
  return {};
}

Result<std::string_view> FetchedFiles::scratch() {
  std::error_code failed;
  fs::create_directories(scratch_, failed);
  if (failed) return system_error("cannot create " + scratch_, failed.value());
  return std::string_view(scratch_);
}

}  // namespace quarry::conformance
