#pragma once

#include "base/error.h"
#include "base/json.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::cli {

struct JsoncMember;

/// A value of a JSON text and its position, bytes [begin, end).
struct JsoncNode {
  std::size_t begin = 0;
  std::size_t end = 0;
  Json value;
  std::vector<JsoncMember> members;  ///< of an object, in their order

  /// The member of this name; null if there is none.
  [[nodiscard]] const JsoncNode* member(std::string_view name) const;
};

struct JsoncMember {
  std::string name;
  std::size_t begin = 0;  ///< of the name's first quote
  JsoncNode value;
};

/// Extensions of JSON that a text may use.
enum class JsonDialect {
  kStrict,
  kWithComments,  ///< comments, and a comma after the last member or item
};

/// Parses the JSON dialect of editors' settings; an empty text is an empty object.
/// kInvalidArgument, with file:line:column, if it is malformed, a name appears twice in one object,
/// or it nests too deep.
Result<JsoncNode> parse_jsonc(std::string_view text, JsonDialect dialect,
                              const std::filesystem::path& file);

}  // namespace quarry::cli
