#pragma once

#include "corpus/text/glob.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Maximum size of a file of patterns; a longer one is treated as absent.
inline constexpr std::size_t kMostIgnoreBytes = 1u << 20;

/// The patterns of one .gitignore, with the meaning of gitignore(5). Patterns that git could never
/// match are skipped.
class GitIgnore {
 public:
  enum class Verdict : std::uint8_t { kSilent, kIgnored, kKept };

  static GitIgnore parse(std::string_view text);

  /// The verdict of the last pattern that matches a path, which is relative to the directory of the
  /// patterns and split at its slashes.
  [[nodiscard]] Verdict judge(std::span<const std::string_view> names, bool is_directory) const;

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

  /// `path` is relative to the walk's root and must be beneath the directory of this scope.
  [[nodiscard]] bool ignores(std::string_view path, bool is_directory) const;

 private:
  std::string root_;   // of the walk, relative to the directory of the outermost patterns
  std::size_t depth_;  // names in the path of the directory, including those of root_
  GitIgnore patterns_;
  std::shared_ptr<const IgnoreScope> above_;
};

}  // namespace quarry::corpus
