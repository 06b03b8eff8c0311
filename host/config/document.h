#pragma once

#include "base/error.h"
#include "base/json.h"
#include "base/schema.h"
#include "config/config.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::config {

/// Bytes [begin, end) of a document.
struct Span {
  std::size_t begin;
  std::size_t end;
};

/// A parsed TOML text: its values and their positions. JSON pointers name the values.
struct Document {
  Json root;
  std::map<std::string, Place> places;  ///< of a member: its key; of an array item: the item
  std::map<std::string, Span> values;   ///< text of each value written as `key = value`
  std::map<std::string, std::size_t>
      headers;  ///< offset of the line with a [table] or [[table]] header
};

/// Parses `text`; `file` appears in places. ConfigError with file:line:column if it is not TOML, or
/// nested deeper than kMaxNesting; `place`, if given, is then set to the position.
Result<Document> parse_document(std::string_view text, const std::filesystem::path& file,
                                Place* place = nullptr);

/// A value as the command line and the environment give it: "true", numbers, arrays and tables as
/// TOML; any other text is a string.
Json parse_value(std::string_view text);

/// `value` as TOML on one line. Objects become inline tables.
std::string to_toml(const Json& value);

/// `name` as a TOML key, without quotes if possible.
std::string to_toml_key(std::string_view name);

}  // namespace quarry::config
