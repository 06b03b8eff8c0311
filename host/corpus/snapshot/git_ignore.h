#pragma once

#include "corpus/text/glob.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Maximum size of a file of patterns; a longer one is treated as absent.
inline constexpr std::size_t kMostIgnoreBytes = 1u << 20;

/// One pattern of a file of patterns.
struct IgnoreRule {
  Glob glob;
  bool directories_only;
  bool negated;
  std::string origin;  ///< for display: "/*" in .gitignore:3, with the quotation marks
};

/// The patterns of one .gitignore or .ignore, with the meaning of gitignore(5). Patterns that git
/// could never match are skipped.
class GitIgnore {
 public:
  /// `file` is the path of the file for display.
  static GitIgnore parse(std::string_view text, std::string_view file = ".gitignore");

  /// The last rule that matches a path, which is relative to the directory of the patterns and
  /// split at its slashes; null if none does.
  [[nodiscard]] const IgnoreRule* match(std::span<const std::string_view> names,
                                        bool is_directory) const;

 private:
  void add(std::string_view line, std::string_view file, std::size_t number);
  std::vector<IgnoreRule> rules_;
};

/// The patterns in force in one directory: its own and those of every directory above, the nearest
/// first. A walk must test a directory before its contents: everything in an ignored directory is
/// ignored, regardless of other patterns. Immutable, shared by the directories below.
class IgnoreScope {
 public:
  /// `patterns` belong to `directory` (relative to the walk's root, "" = the root); `above` may be
  /// null.
  IgnoreScope(std::string_view directory, GitIgnore patterns,
              std::shared_ptr<const IgnoreScope> above);

  /// The patterns of `above` for a walk that begins in `root`, a directory beneath that of `above`.
  static std::shared_ptr<const IgnoreScope> enter(std::string root,
                                                  std::shared_ptr<const IgnoreScope> above);

  /// The rule that decides on a path; null if none matches. `path` is relative to the walk's root
  /// and must be beneath the directory of this scope.
  [[nodiscard]] const IgnoreRule* match(std::string_view path, bool is_directory) const;

 private:
  std::string root_;   // of the walk, relative to the directory of the outermost patterns
  std::size_t depth_;  // names in the path of the directory, including those of root_
  GitIgnore patterns_;
  std::shared_ptr<const IgnoreScope> above_;
};

/// The ignore files in force in one directory. Any rule of an .ignore file precedes every rule of
/// git's files, as with ripgrep.
struct IgnoreScopes {
  /// Of .ignore files; may be null.
  std::shared_ptr<const IgnoreScope> own = {};
  /// Of .gitignore files and .git/info/exclude; may be null.
  std::shared_ptr<const IgnoreScope> repository = {};
  bool in_repository = false;  ///< false: .gitignore files do not hold

  /// The rule that ignores a path (see IgnoreScope::match); null if it is kept.
  [[nodiscard]] const IgnoreRule* ignoring(std::string_view path, bool is_directory) const;
};

}  // namespace quarry::corpus
