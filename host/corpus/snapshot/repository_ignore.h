#pragma once

#include "corpus/snapshot/beneath.h"
#include "corpus/snapshot/git_ignore.h"

#include <string>
#include <vector>

namespace quarry::corpus {

/// The ignore files of the git repository around a folder, other than those in the folder:
/// .git/info/exclude, then .gitignore and .ignore of each directory from the one that contains .git
/// down to the folder's parent. Nothing else above the folder is read.
struct RepositoryIgnore {
  struct File {
    std::string directory;  ///< base of its patterns; "" = the directory that contains .git
    std::string name;       ///< relative to `directory`
    std::string text;
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

/// Reads the files. Links are not followed; unreadable files are treated as absent.
RepositoryIgnore read_repository_ignore(const Beneath& folder);

}  // namespace quarry::corpus
