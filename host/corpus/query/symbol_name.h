#pragma once

#include "base/error.h"
#include "corpus/query/word_finder.h"
#include "corpus/text/word_mask.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// The degree to which a definition has the name that was asked for, best first.
enum class SymbolMatch {
  kExact,
  kFolded,  ///< but for the case of ASCII letters
  kPrefix,  ///< it begins with the name, but for the case of ASCII letters
};

/// One reading of a name, such as {"Parser"}, "parse".
struct SymbolName {
  std::vector<std::string> scopes;  ///< outermost first
  std::string name;                 ///< not empty
};

/// A name as callers write it: "parse", "Parser::parse", "http.Server", "Parser#parse", "parse()".
/// With "*" at its end it stands for all names that begin so.
struct SymbolNames {
  std::vector<SymbolName> readings;  ///< one or two: the whole as a name, its parts as scopes
  bool is_prefix = false;

  /// kInvalidArgument, with "name: ".
  static Result<SymbolNames> parse(std::string_view text);
};

/// The surroundings of a definition, in which its scopes are looked for.
struct SymbolSurroundings {
  std::span<const std::string_view> parents;  ///< names, innermost first
  std::string_view path;
  /// Its line up to its name; called only if that decides.
  std::function<std::string_view()> before;
};

/// Scopes of a name, compared with those of many definitions. Immutable, thread-safe.
class ScopeMatcher {
 public:
  /// `scopes`, outermost first, are not empty.
  explicit ScopeMatcher(std::span<const std::string> scopes);

  /// False if a scope stands nowhere in the surroundings that have these words. Cheap.
  [[nodiscard]] bool may_match(WordMask words) const { return (words_ & ~words) == 0; }

  /// The match of the scopes, innermost first with the names of enclosing definitions, with words
  /// before the name ("void Parser::parse", "func (p *Parser) parse"), and the outermost with the
  /// file and its folders ("json.decoder"). nullopt if one stands nowhere.
  [[nodiscard]] std::optional<SymbolMatch> match(const SymbolSurroundings& surroundings) const;

 private:
  std::vector<WordFinder> scopes_;  ///< innermost first
  WordMask words_ = 0;              ///< the first of each
};

/// The match of a definition's own name with `wanted`; nullopt if there is none.
[[nodiscard]] std::optional<SymbolMatch> match_name(std::string_view name, std::string_view wanted);

/// True if a definition of `kind` is `wanted`, such as "Method" in any case of ASCII letters; ""
/// wants every kind.
[[nodiscard]] bool match_kind(std::string_view kind, std::string_view wanted);

}  // namespace quarry::corpus
