#pragma once

#include "http_server/response.h"

#include <quarry/abi.h>

#include <string>
#include <string_view>

namespace quarry::rest {

/// Why something failed, owned: a quarry_failure that outlives its call.
struct Failure {
  quarry_status status = QUARRY_INTERNAL;
  std::string tag;  // the wire's name of the class of failure; empty = by status
  std::string message;
  std::string hint;
  std::string fields;  // JSON array of {field, message}, or empty

  static Failure copy(const quarry_failure& failure);
};

inline std::string_view view(quarry_text text) {
  return text.size == 0 ? std::string_view{} : std::string_view{text.data, text.size};
}
inline quarry_text text(std::string_view view) {
  return {view.data(), view.size()};
}

/// The HTTP status of a tag of the wire page; 500 for an unknown one.
[[nodiscard]] int status_of_tag(std::string_view tag);

/// The error body {error, tag, code?, hint?, details?} under its status. `code` tells what the tag
/// does not: a resource that cannot be loaded may be "unavailable" or "unauthenticated".
[[nodiscard]] http_server::Response error_response(const Failure& failure);
[[nodiscard]] http_server::Response error_response(int status, std::string_view tag,
                                                   std::string_view message,
                                                   std::string_view hint = {});
/// The same for the data of an `error` event.
[[nodiscard]] http_server::Response error_response_of_event(std::string_view event_json);

/// `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace quarry::rest
