#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// The git directories of a work tree, as in gitrepository-layout(5).
struct GitDirectories {
  std::filesystem::path own;     ///< of this work tree
  std::filesystem::path common;  ///< of all its linked work trees; equal to `own` without them
};

/// The directories of the work tree whose top is `top`, which has a .git: a directory, or a file
/// "gitdir: <path>" of a linked work tree or a submodule. nullopt if they do not exist.
std::optional<GitDirectories> git_directories(const std::filesystem::path& top);

/// The files of git's configuration of a machine and its user, the strongest last, and the names
/// that "~" and core.excludesFile stand for.
struct GitUser {
  std::filesystem::path home;                        ///< empty if unknown
  std::vector<std::filesystem::path> configuration;  ///< need not exist
  std::filesystem::path default_excludes;            ///< without core.excludesFile; may be empty

  /// The user whose environment this process has: GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM,
  /// GIT_CONFIG_NOSYSTEM, XDG_CONFIG_HOME and HOME, as in git-config(1).
  static GitUser of_environment();
};

/// The file that core.excludesFile names for the work tree `top`, or its default; empty if there is
/// none. Follows `include.path`, and `includeIf` with a condition of `gitdir`.
std::filesystem::path excludes_file(const std::filesystem::path& top,
                                    const GitDirectories& directories, const GitUser& user);

}  // namespace quarry::corpus
