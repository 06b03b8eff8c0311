#include "config/trust.h"

#include "base/printable.h"
#include "config/check.h"
#include "config/layers.h"

#include <nlohmann/json.hpp>

namespace quarry::config {
namespace {

namespace fs = std::filesystem;

/// The configuration without the project file.
Result<Below> read_below(const Sources& sources) {
  auto layers = read_lower_layers(sources);
  if (!layers) return std::move(layers).error();
  return below_project(sources, std::move(layers->merged.root));
}

Error no_file(const std::string& where) {
  return Error{Code::kNotFound, "there is no " + where,
               "Name the file, or change to the directory of the project."}
      .tagged("ConfigError");
}

Error never_read(const ProjectFile& file) {
  return Error{Code::kPermissionDenied,
               printable_exact(file.path.string()) + " is never read: " + file.not_read,
               "It and its directory must be yours, and no other user may write to them (chown, "
               "chmod go-w)."}
      .tagged("ConfigError");
}

fs::path absolute_path(const Sources& sources, const fs::path& file) {
  fs::path out = (sources.working_directory / file).lexically_normal();
  if (!out.has_filename()) out = out.parent_path();  // "dir/"
  std::error_code ignored;
  return fs::is_directory(out, ignored) ? out / kProjectFileName : out;
}

/// An error if `named` is in the working directory and that was removed.
Status check_directory(const Sources& sources, const fs::path& named) {
  if (!sources.working_directory.empty() || named.is_absolute()) return {};
  return Error{Code::kNotFound, "the working directory does not exist any more",
               "Change to that of the project, or name its file with an absolute path."}
      .tagged("ConfigError");
}

Result<ProjectFile> file_to_review(const Sources& sources, const fs::path& named) {
  if (Status there = check_directory(sources, named); !there) return std::move(there).error();
  if (named.empty()) {
    auto search = find_project_file(sources);
    if (!search) return std::move(search).error();
    if (search->file) return std::move(*search->file);
    if (!search->skipped.empty()) return never_read(search->skipped.front());
    return no_file(std::string(kProjectFileName) + " in this directory or above it");
  }
  const fs::path file = absolute_path(sources, named);
  auto found = read_project_file(file.parent_path(), file.filename().string(), kMaxFileBytes);
  if (!found) return std::move(found).error().tagged("ConfigError");
  if (!*found) return no_file("file " + printable_exact(file.string()));
  if (!(*found)->not_read.empty()) return never_read(**found);
  return std::move(**found);
}

bool is_own_file(const Sources& sources, const fs::path& file) {
  return file == sources.file || file == user_file(sources) || file == sources.system_file;
}

}  // namespace

Result<Project> review(const Sources& sources, const fs::path& named) {
  auto file = file_to_review(sources, named);
  if (!file) return std::move(file).error();
  const auto below = read_below(sources);
  if (!below) return below.error();
  auto project = judge(std::move(*file), *below, TrustList(sources.trust_directory));
  if (!project) return std::move(project).error();
  if (!project->violations.empty()) {
    return mistakes_error(at_places(project->document, project->violations));
  }
  return project;
}

Status trust(const Sources& sources, const Project& reviewed) {
  const TrustList list(sources.trust_directory);
  const auto locked = list.lock();
  if (!locked) return Error(locked.error()).tagged("ConfigError");
  Status recorded = list.record(reviewed.file.path, {reviewed.file.bytes});
  if (!recorded) return std::move(recorded).error().tagged("ConfigError");
  return {};
}

Result<fs::path> trusted_path(const Sources& sources, const fs::path& named) {
  if (Status there = check_directory(sources, named); !there) return std::move(there).error();
  if (!named.empty()) return absolute_path(sources, named);
  auto search = find_project_file(sources);
  if (!search) return std::move(search).error();
  if (search->file) return search->file->path;
  return no_file(std::string(kProjectFileName) + " in this directory or above it");
}

Result<TrustInEdit> TrustInEdit::begin(const Sources& sources, const fs::path& file,
                                       std::string_view before) {
  TrustInEdit out(TrustList(sources.trust_directory), file);
  const bool born = before.empty() && file != user_file(sources);
  out.recorded_ = out.list_.trusts(file, before);
  if (!out.recorded_ && !born && is_own_file(sources, file)) return out;
  auto below = read_below(sources);
  if (!below) return std::move(below).error();
  const auto project = judge({file, std::string(before), {}}, *below, out.list_);
  if (!project) return project.error();
  if (!project->accepted()) return project->refusal();
  out.below_ = std::move(*below);
  return out;
}

Status TrustInEdit::prepare(std::string_view before, std::string_view after) {
  if (!below_) return {};
  if (!recorded_) {
    const auto document = parse_document(after, file_);
    if (!document) return document.error();
    if (keys_for_trust(*document, *below_, file_.parent_path()).empty()) return {};
  }
  auto locked = list_.lock();
  if (!locked) return Error(locked.error()).tagged("ConfigError");
  lock_ = std::move(*locked);
  if (recorded_ && !list_.trusts(file_, before)) {
    return Error{Code::kUnavailable, "the trust in " + printable_exact(file_.string()) +
                                         " was revoked during the change"}
        .tagged("ConfigError");
  }
  Status recorded = list_.record(file_, {before, after});
  if (!recorded) return std::move(recorded).error().tagged("ConfigError");
  recorded_ = true;
  return {};
}

void TrustInEdit::finish(std::string_view after) {
  // If this fails, the old bytes remain trusted beside the new ones.
  if (lock_) static_cast<void>(list_.record(file_, {after}));
  lock_.reset();
}

}  // namespace quarry::config
