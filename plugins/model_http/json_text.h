#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::model_http {

/// Parses a provider's JSON; discarded (`is_discarded()`) when it is not JSON, or nests deeper than
/// 100 levels, which would exhaust the stack of recursive readers. Halves of characters are marked
/// (half_characters.h); Output joins them.
nlohmann::json read_json(std::string_view text);

// Members of a provider's JSON: a missing member, one of another type and one of a value that is
// not an object are treated alike.

/// Null when it is missing.
const nlohmann::json& member(const nlohmann::json& object, std::string_view key);
/// A view into `object`; empty when it is missing.
std::string_view text_member(const nlohmann::json& object, std::string_view key);
/// `otherwise` when there is no number from 0 to 2^53.
std::int64_t count_member(const nlohmann::json& object, std::string_view key,
                          std::int64_t otherwise = -1);

/// `value` as JSON text; invalid UTF-8 is replaced.
std::string to_text(const nlohmann::json& value);

}  // namespace quarry::model_http
