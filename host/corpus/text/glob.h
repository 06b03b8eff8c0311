#pragma once

#include "base/error.h"

#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A compiled pattern of paths. `*` and `?` stay within one name, `[a-z]`, `[!a-z]` and
/// `[[:alpha:]]` are classes, `\` makes the next character literal. A whole component `**` matches
/// any number of directories, at the end anything below. A pattern without `/` (except at its end)
/// matches at every depth; any other, or one that begins with `/`, starts at the root.
///
/// Matching takes time proportional to pattern times path at most. Thread-safe.
class Glob {
 public:
  enum class Dialect : std::uint8_t {
    kTool,  ///< also `{a,b}`; `?` matches one code point; composed and decomposed names are equal
    kGit,   ///< as in gitignore(5): braces are literal; `?` matches one byte
  };

  /// kInvalidArgument for an empty pattern, an open `[` or `{`, a `\` at the end, or braces that
  /// expand to more than 256 patterns.
  static Result<Glob> compile(std::string_view pattern, Dialect dialect = Dialect::kTool);

  /// True if the pattern matches the whole of `path`, a normalised relative path.
  [[nodiscard]] bool matches(std::string_view path) const;
  /// The same for a path split at its slashes, for callers with many patterns.
  [[nodiscard]] bool matches(std::span<const std::string_view> names) const;
  /// True if the pattern may match a "<directory>/<path>" without matching that <path>.
  [[nodiscard]] bool may_name(std::string_view directory) const;

 private:
  [[nodiscard]] bool matches_bytes(std::string_view path) const;

  struct Token {
    enum class Kind : std::uint8_t { kByte, kAnyByte, kAnyCharacter, kStar, kClass };
    Kind kind;
    char byte = 0;
    std::uint32_t set = 0;  // of kClass: index into sets_
  };
  struct Component {
    bool any_depth = false;
    std::vector<Token> tokens;
  };
  struct Pattern {
    std::vector<Component> components;
    std::string literal;  // part of every path that matches
    std::size_t rarest;   // byte of `literal`
    bool anywhere;        // only the last name has to match
  };

  Status add(std::string_view pattern, Dialect dialect);
  static std::string literal_of(const std::vector<Component>& components);
  Result<Component> parse_component(std::string_view text, Dialect dialect);
  Result<Token> parse_class(std::string_view& rest);
  [[nodiscard]] bool may_fit(const Pattern& pattern, std::string_view path) const;
  [[nodiscard]] bool fits(const Pattern& pattern, std::span<const std::string_view> names) const;
  [[nodiscard]] bool fits(const Component& component, std::string_view name) const;
  [[nodiscard]] std::size_t fits(const Token& token, std::string_view rest) const;

  Dialect dialect_ = Dialect::kTool;
  std::vector<Pattern> patterns_;
  std::vector<std::bitset<256>> sets_;
};

}  // namespace quarry::corpus
