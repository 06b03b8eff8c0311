#include "corpus/snapshot/repository_ignore.h"

#include "base/file.h"
#include "base/text.h"

#include <filesystem>
#include <utility>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;

/// The nearest directory that contains .git, `folder` or above; empty if there is none.
fs::path top_of_repository(const fs::path& folder) {
  for (fs::path at = folder;; at = at.parent_path()) {
    std::error_code error;
    if (fs::exists(at / ".git", error)) return at;
    if (at == at.root_path()) return {};
  }
}

/// The directories from the top to `folder`, both included: "", "a" and "a/b" for "a/b".
std::vector<std::string> directories_to(const std::string& folder) {
  std::vector<std::string> directories = {""};
  if (folder.empty()) return directories;
  for (const std::string_view name : split(folder, '/')) {
    const std::string& above = directories.back();
    directories.push_back(above.empty() ? std::string(name) : above + '/' + std::string(name));
  }
  return directories;
}

/// Path of an ignore file relative to `folder`: "../.gitignore".
std::string path_from(const std::string& folder, const RepositoryIgnore::File& file) {
  if (!file.origin.empty()) return file.origin;
  return (fs::path("/") / file.directory / file.name)
      .lexically_relative(fs::path("/") / folder)
      .string();
}

void add_outer(const fs::path& path, std::vector<RepositoryIgnore::File>& files) {
  auto text = read_file(path, kMostIgnoreBytes);
  if (text) files.push_back({"", path.filename(), std::move(*text), path.string()});
}

}  // namespace

std::vector<RepositoryIgnore::File> unshared_ignore_files(const fs::path& top,
                                                          const GitUser& user) {
  const auto directories = git_directories(top);
  if (!directories) return {};
  std::vector<RepositoryIgnore::File> files;
  const fs::path excludes = excludes_file(top, *directories, user);
  if (!excludes.empty()) add_outer(excludes, files);
  add_outer(directories->common / "info/exclude", files);
  if (!files.empty() && files.back().origin == (top / ".git/info/exclude").string()) {
    files.back().name = ".git/info/exclude";
    files.back().origin.clear();
  }
  return files;
}

RepositoryIgnore read_repository_ignore(const Beneath& folder, const GitUser& user) {
  const fs::path path = folder.path();
  const fs::path top = top_of_repository(path);
  if (top.empty()) return {};
  RepositoryIgnore ignore{.found = true, .files = unshared_ignore_files(top, user)};
  if (path != top) ignore.folder = path.lexically_relative(top).string();
  const auto add = [&](const std::string& directory, const std::string& name) {
    const auto beneath = Beneath::open(top / directory);
    if (!beneath) return;
    auto text = beneath->read(name, kMostIgnoreBytes);
    if (text) ignore.files.push_back({directory, name, std::move(*text)});
  };
  for (const std::string& directory : directories_to(ignore.folder)) {
    if (directory == ignore.folder) break;
    add(directory, ".gitignore");
    add(directory, ".ignore");
  }
  return ignore;
}

IgnoreScopes RepositoryIgnore::scopes() const {
  IgnoreScopes scopes{.in_repository = found};
  for (const std::string& directory : directories_to(folder)) {
    if (scopes.ignoring(directory, true) != nullptr) return {.in_repository = found};
    for (const File& file : files) {
      if (file.directory != directory) continue;
      auto& scope = file.name == ".ignore" && file.origin.empty() ? scopes.own : scopes.repository;
      scope = std::make_shared<const IgnoreScope>(
          directory, GitIgnore::parse(file.text, path_from(folder, file)), scope);
    }
  }
  if (scopes.own) scopes.own = IgnoreScope::enter(folder, scopes.own);
  if (scopes.repository) scopes.repository = IgnoreScope::enter(folder, scopes.repository);
  return scopes;
}

}  // namespace quarry::corpus
