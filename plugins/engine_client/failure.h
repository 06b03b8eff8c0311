#pragma once

#include <quarry/outcome.hpp>

#include <string>
#include <string_view>

namespace quarry::engine_client {

/// An owned copy of a quarry_failure, which outlives its call.
struct Failure {
  quarry_status status = QUARRY_INTERNAL;
  std::string tag;  // class of the failure, see docs/http-api.md; empty = by status
  std::string message;
  std::string hint;
  std::string fields;  // JSON array of {field, message}, or empty

  static Failure copy(const quarry_failure& failure);
  /// From the data of an `error` event.
  static Failure of_event(std::string_view event_json);
};

/// The name of a status in JSON: "not_found".
[[nodiscard]] std::string_view name_of(quarry_status status);

/// `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace quarry::engine_client
