#pragma once

#include "corpus/beneath.h"
#include "corpus/git_ignore.h"

#include <memory>
#include <string>
#include <vector>

namespace quarry::corpus {

/// What the git repository around a folder says about ignoring from outside of the folder's own
/// .gitignore files: .git/info/exclude, then the .gitignore of each directory from the one that
/// holds .git down to the folder's parent. Nothing else above the folder is read.
struct RepositoryIgnore {
  struct File {
    std::string directory;  ///< that its patterns are relative to; "" = the one that holds .git
    std::string text;
    bool operator==(const File&) const = default;
  };
  std::string folder;  ///< relative to the directory that holds .git; "" = it is that directory
  std::vector<File> files;

  bool operator==(const RepositoryIgnore&) const = default;

  /// For a walk of the folder; null when there are no patterns, and when they ignore the folder
  /// itself: somebody named it all the same, so they have no say in it.
  [[nodiscard]] std::shared_ptr<const IgnoreScope> scope() const;
};

/// Reads them. Links are not followed; what cannot be read counts as absent.
RepositoryIgnore read_repository_ignore(const Beneath& folder);

}  // namespace quarry::corpus
