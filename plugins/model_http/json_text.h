#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::model_http {

/// What a provider sent as JSON; discarded (`is_discarded()`) when it is none, or nests deeper than
/// 100 levels, which would cost stack wherever it is walked.
nlohmann::json read_json(std::string_view text);

// The members of what a provider sent: a missing one, one of another type and one of something that
// is no object are the same.

/// Null when there is none.
const nlohmann::json& member(const nlohmann::json& object, std::string_view key);
/// Empty when there is none; a view into `object`.
std::string_view text_member(const nlohmann::json& object, std::string_view key);
/// `otherwise` when there is none from 0 to 2^53.
std::int64_t count_member(const nlohmann::json& object, std::string_view key,
                          std::int64_t otherwise = -1);

/// As JSON text; bytes that are no UTF-8 are replaced.
std::string to_text(const nlohmann::json& value);

}  // namespace quarry::model_http
