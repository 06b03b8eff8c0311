#pragma once

#include "base/json.h"

#include <string>
#include <string_view>

namespace quarry::cli {

// Texts about a key from its schema, in the Markdown of docs/configuration.md.

/// Type and range: "integer, 1 to 1,000", "list of texts", "secret".
std::string type_text(const Json& schema);

/// The default: a value in quotes of code, words, "required", or "—" for none.
std::string default_text(const Json& schema, bool required);

/// Values that an untrusted project file may set, by the rule "untrusted" of the key; "refused" for
/// an empty rule.
std::string trust_text(std::string_view rule);

/// `markdown` without the marks of code and links.
std::string plain_text(std::string_view markdown);

}  // namespace quarry::cli
