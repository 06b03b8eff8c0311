#include "corpus/snapshot/repository_ignore.h"

#include "base/text.h"

#include <filesystem>
#include <utility>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;

/// Actual path of an open directory; empty if the system does not report it.
fs::path path_of(const Beneath& folder) {
  std::error_code error;
  return fs::read_symlink("/proc/self/fd/" + std::to_string(folder.fd()), error);
}

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
  return (fs::path("/") / file.directory / file.name)
      .lexically_relative(fs::path("/") / folder)
      .string();
}

}  // namespace

RepositoryIgnore read_repository_ignore(const Beneath& folder) {
  const fs::path path = path_of(folder);
  const fs::path top = top_of_repository(path);
  if (top.empty()) return {};
  RepositoryIgnore ignore{.found = true};
  if (path != top) ignore.folder = path.lexically_relative(top).string();
  const auto add = [&](const std::string& directory, const std::string& name) {
    const auto beneath = Beneath::open(top / directory);
    if (!beneath) return;
    auto text = beneath->read(name, kMostIgnoreBytes);
    if (text) ignore.files.push_back({directory, name, std::move(*text)});
  };
  add("", ".git/info/exclude");
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
      auto& scope = file.name == ".ignore" ? scopes.own : scopes.repository;
      scope = std::make_shared<const IgnoreScope>(
          directory, GitIgnore::parse(file.text, path_from(folder, file)), scope);
    }
  }
  if (scopes.own) scopes.own = IgnoreScope::enter(folder, scopes.own);
  if (scopes.repository) scopes.repository = IgnoreScope::enter(folder, scopes.repository);
  return scopes;
}

}  // namespace quarry::corpus
