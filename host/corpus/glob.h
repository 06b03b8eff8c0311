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
/// `[[:alpha:]]` are classes, `\` takes the next character literally. A whole component `**` fits
/// any number of directories, at the end anything below. A pattern without `/` (but at its end) is
/// looked for at every depth; another one, or one that begins with `/`, starts at the root.
///
/// Matching takes time proportional to pattern times path, whatever the pattern. Thread-safe.
class Glob {
 public:
  enum class Dialect : std::uint8_t {
    kTool,  ///< also `{a,b}`; `?` fits one code point
    kGit,   ///< as in gitignore(5): braces are literal; `?` fits one byte
  };

  /// kInvalidArgument for an empty pattern, an open `[` or `{`, a `\` at the end, or braces that
  /// expand to more than 256 patterns.
  static Result<Glob> compile(std::string_view pattern, Dialect dialect = Dialect::kTool);

  /// Whether it fits the whole of `path`, a normalised relative path.
  [[nodiscard]] bool matches(std::string_view path) const;
  /// The same for a path that has been split at its slashes: for callers with many patterns.
  [[nodiscard]] bool matches(std::span<const std::string_view> names) const;
  /// Whether it may fit some "<directory>/<path>" without fitting that <path>.
  [[nodiscard]] bool may_name(std::string_view directory) const;

 private:
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
    std::string literal;  // stands in every path that fits
    std::size_t rarest;   // byte of `literal`
    bool anywhere;        // nothing is asked but that the last name fits
  };

  Status add(std::string_view pattern, Dialect dialect);
  static std::string literal_of(const std::vector<Component>& components);
  Result<Component> parse_component(std::string_view text, Dialect dialect);
  Result<Token> parse_class(std::string_view& rest);
  [[nodiscard]] bool may_fit(const Pattern& pattern, std::string_view path) const;
  [[nodiscard]] bool fits(const Pattern& pattern, std::span<const std::string_view> names) const;
  [[nodiscard]] bool fits(const Component& component, std::string_view name) const;
  [[nodiscard]] std::size_t fits(const Token& token, std::string_view rest) const;

  std::vector<Pattern> patterns_;
  std::vector<std::bitset<256>> sets_;
};

}  // namespace quarry::corpus
