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

/// A parsed TOML text: its values, and where each stands. JSON pointers name the values.
struct Document {
  Json root;
  std::map<std::string, Place> places;  ///< of a member: its key; of an array item: the item
  std::map<std::string, Span> values;   ///< the text of each value that is written as `key = value`
  std::map<std::string, std::size_t>
      headers;  ///< offset of the line with a [table] or [[table]] header
};

/// Parses `text`; `file` appears in places. ConfigError at file:line:column when it is not TOML, or
/// nested deeper than kMaxNesting.
Result<Document> parse_document(std::string_view text, const std::filesystem::path& file);

/// `value` as TOML on one line. Objects become inline tables.
std::string to_toml(const Json& value);

/// `name` as a TOML key: bare when it can be.
std::string to_toml_key(std::string_view name);

}  // namespace quarry::config
