#pragma once

#include "corpus/glob.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// The patterns of one .gitignore, as gitignore(5) reads them. A pattern git could never match is
/// passed over.
class GitIgnore {
 public:
  enum class Verdict : std::uint8_t { kSilent, kIgnored, kKept };

  static GitIgnore parse(std::string_view text);

  /// What the last pattern that fits says about `path`, which is relative to the directory the
  /// patterns stand in.
  [[nodiscard]] Verdict judge(std::string_view path, bool is_directory) const;

 private:
  struct Rule {
    Glob glob;
    bool directories_only;
    bool negated;
  };
  void add(std::string_view line);
  std::vector<Rule> rules_;
};

/// The patterns in force in one directory: its own and those of every directory above, the nearest
/// first. Whoever walks asks about a directory before its contents: what lies in an ignored
/// directory is ignored, whatever is said about it. Immutable, shared by the directories below.
class IgnoreScope {
 public:
  /// `patterns` stand in `directory` (relative to the walk's root, "" = the root); `above` may be
  /// null.
  IgnoreScope(std::string directory, GitIgnore patterns, std::shared_ptr<const IgnoreScope> above)
      : directory_(std::move(directory)),
        patterns_(std::move(patterns)),
        above_(std::move(above)) {}

  /// `path` is relative to the walk's root and lies beneath the directory of this scope.
  [[nodiscard]] bool ignores(std::string_view path, bool is_directory) const;

 private:
  std::string directory_;
  GitIgnore patterns_;
  std::shared_ptr<const IgnoreScope> above_;
};

}  // namespace quarry::corpus
