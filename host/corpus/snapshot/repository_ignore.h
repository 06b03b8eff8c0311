#pragma once

#include "corpus/snapshot/beneath.h"
#include "corpus/snapshot/git_config.h"
#include "corpus/snapshot/git_ignore.h"

#include <filesystem>
#include <string>
#include <vector>

namespace quarry::corpus {

/// The ignore files of the git repository around a folder, other than those in the folder: the
/// user's (core.excludesFile), the repository's info/exclude, which linked work trees share, then
/// .gitignore and .ignore of each directory from the one that contains .git down to the folder's
/// parent. Nothing else above the folder is read.
struct RepositoryIgnore {
  struct File {
    std::string directory;  ///< base of its patterns; "" = the directory that contains .git
    std::string name;       ///< relative to `directory`
    std::string text;
    std::string origin = {};  ///< for display, if it is outside the tree
    bool operator==(const File&) const = default;
  };
  bool found = false;       ///< the folder is in a repository
  std::string folder = {};  ///< relative to the directory that contains .git; "" = it is that one
  std::vector<File> files = {};

  bool operator==(const RepositoryIgnore&) const = default;

  /// The scopes for a walk of the folder; null ones if there are no patterns, or if they ignore the
  /// folder itself: the user named it nevertheless, so they do not apply in it.
  [[nodiscard]] IgnoreScopes scopes() const;
};

/// Reads the files. Links are not followed within the work tree; unreadable files are treated as
/// absent.
RepositoryIgnore read_repository_ignore(const Beneath& folder,
                                        const GitUser& user = GitUser::of_environment());

/// The files that hold in the whole work tree with the .git in `top` but are not part of it, the
/// strongest last: core.excludesFile and info/exclude.
std::vector<RepositoryIgnore::File> unshared_ignore_files(const std::filesystem::path& top,
                                                          const GitUser& user);

}  // namespace quarry::corpus
