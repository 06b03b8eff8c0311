#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// What a descriptor of a symbol describes.
enum class ScipSuffix {
  kNamespace,
  kType,
  kTerm,
  kMethod,
  kMacro,
  kMeta,
  kParameter,
  kTypeParameter,
};

/// A symbol of SCIP, such as "scip-python python requests 2.0 `requests.api`/Session#get().", by
/// its last two descriptors.
struct ScipSymbol {
  std::string name;  ///< unescaped: "get"
  ScipSuffix suffix;
  std::string_view enclosing;          ///< the text of the symbol up to its last descriptor
  std::optional<ScipSuffix> encloser;  ///< nullopt at the top of a package

  /// nullopt for a symbol that is local to its document, or malformed.
  static std::optional<ScipSymbol> parse(std::string_view text);
};

}  // namespace quarry::corpus
