#include "authoring/trial_tree.h"

#include "base/file.h"
#include "base/relative_path.h"
#include "base/utf8.h"

#include <cerrno>
#include <fcntl.h>

namespace quarry::authoring {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const fs::path& path, int number) {
  auto error = system_error("cannot write " + path.string(), number);
  error.hint = "name another directory with --to";
  return error;
}

}  // namespace

/// Fails for a path that leaves the directory, and for a second file of a path.
Status TrialTree::write(const std::string& path, std::string_view bytes) const {
  if (to_.empty()) return {};
  const auto file = to_ / path;
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

Status TrialTree::add(std::string_view path, File file, std::string_view bytes) {
  const auto normal = normalise_relative_path(path);
  if (!normal) return Error(normal.error()).in("the plugin adds a file");
  if (normal->empty()) {
    return Error(Code::kInternal, "the plugin adds a file without a name", "name it by its path");
  }
  const std::lock_guard lock(mutex_);
  if (file.left_out.empty()) {
    if (auto written = write(*normal, bytes); !written) return written;
  }
  files_.insert_or_assign(*normal, std::move(file));
  return {};
}

Status TrialTree::add_file(std::string_view path, std::string_view bytes) {
  return add(path, {.bytes = bytes.size()}, bytes);
}

Status TrialTree::add_described(std::string_view path, std::string_view bytes,
                                plugins::FileFacts facts) {
  return add(path, {.bytes = bytes.size(), .left_out = {}, .facts = std::move(facts)}, bytes);
}

Result<bool> TrialTree::keep_file(std::string_view) {
  return false;
}

Status TrialTree::add_directory(const fs::path& directory) {
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(directory, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const auto path = entry->path().lexically_relative(directory).string();
    if (entry->is_directory() && !entry->is_symlink()) continue;
    Status added;
    if (entry->is_symlink()) {
      added = add_link(path);
    } else if (entry->is_regular_file() && entry->file_size() > kFileLimit) {
      added = add_large(path, entry->file_size());
    } else if (entry->is_regular_file()) {
      const auto bytes = read_file(entry->path(), kFileLimit);
      added = bytes ? add_file(path, *bytes) : Status(bytes.error());
    }
    if (!added) return added;
  }
  return failed ? Status(system_error(directory.string(), failed.value())) : Status();
}

Status TrialTree::add_large(std::string_view path, std::uint64_t size) {
  return add(path, {.bytes = size, .left_out = "too large"}, {});
}

Status TrialTree::add_link(std::string_view path) {
  return add(path, {.bytes = 0, .left_out = "a link"}, {});
}

Status TrialTree::use_in_place(const fs::path& directory) {
  const std::lock_guard lock(mutex_);
  in_place_ = directory;
  return {};
}

Result<std::string_view> TrialTree::scratch() {
  const std::lock_guard lock(mutex_);
  if (!scratch_) {
    auto made = paths_.temp("plugin-scratch-");
    if (!made) return std::move(made.error());
    scratch_ = std::move(*made);
    scratch_text_ = scratch_->path().string();
  }
  return std::string_view(scratch_text_);
}

Json TrialTree::files() const {
  const std::lock_guard lock(mutex_);
  Json out = Json::array();
  for (const auto& [path, file] : files_) {
    Json row{{"path", to_utf8(path)}, {"bytes", file.bytes}};
    if (!file.left_out.empty()) row["leftOut"] = file.left_out;
    if (!file.facts.permalink.empty()) row["permalink"] = file.facts.permalink;
    if (!file.facts.title.empty()) row["title"] = file.facts.title;
    if (!file.facts.media_type.empty()) row["mediaType"] = file.facts.media_type;
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace quarry::authoring
