#include "failure.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace quarry::engine_client {
namespace {

using nlohmann::json;

// Names of the statuses, in their order.
constexpr std::array<std::string_view, 12> kNames = {
    "ok",          "invalid_argument",   "not_found", "permission_denied", "unauthenticated",
    "unavailable", "resource_exhausted", "cancelled", "deadline_exceeded", "unsupported",
    "internal",    "data_loss"};

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The status with this name. An event without a code, as those of models, is an internal failure.
quarry_status status_named(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  return found == kNames.end() ? QUARRY_INTERNAL
                               : static_cast<quarry_status>(found - kNames.begin());
}

}  // namespace

std::string_view name_of(quarry_status status) {
  const bool known = status > QUARRY_OK && status <= QUARRY_DATA_LOSS;
  return known ? kNames[static_cast<std::size_t>(status)] : kNames[QUARRY_INTERNAL];
}

Failure Failure::copy(const quarry_failure& failure) {
  Failure copy{failure.status,
               {},
               std::string(as_view(failure.message)),
               std::string(as_view(failure.hint)),
               {}};
  const json details = json::parse(as_view(failure.details), nullptr, false);
  if (!details.is_object()) return copy;
  copy.tag = member(details, "tag");
  if (const auto fields = details.find("fields"); fields != details.end() && fields->is_array()) {
    copy.fields = dump(*fields);
  }
  return copy;
}

Failure Failure::of_event(std::string_view event_json) {
  const json event = json::parse(event_json, nullptr, false);
  if (!event.is_object()) return {QUARRY_INTERNAL, {}, "the question failed", {}, {}};
  return {status_named(member(event, "code")),
          member(event, "tag"),
          member(event, "message"),
          member(event, "hint"),
          {}};
}

std::string json_string(std::string_view text) {
  return dump(json(text));
}

}  // namespace quarry::engine_client
