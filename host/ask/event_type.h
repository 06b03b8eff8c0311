#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace quarry::ask {

/// Event types; name_of returns their names on the wire.
enum class EventType : std::uint8_t {
  kMeta,
  kReasoningDelta,
  kTextDelta,
  kToolUpdated,
  kResourceProgress,
  kModelWaiting,
  kCitation,
  kDone,
  kError,
};

[[nodiscard]] constexpr std::string_view name_of(EventType type) {
  switch (type) {
    case EventType::kMeta:
      return "meta";
    case EventType::kReasoningDelta:
      return "reasoning.delta";
    case EventType::kTextDelta:
      return "text.delta";
    case EventType::kToolUpdated:
      return "tool.updated";
    case EventType::kResourceProgress:
      return "resource.progress";
    case EventType::kModelWaiting:
      return "model.waiting";
    case EventType::kCitation:
      return "citation";
    case EventType::kDone:
      return "done";
    case EventType::kError:
      return "error";
  }
  return "";
}

/// The type with this name on the wire.
[[nodiscard]] constexpr std::optional<EventType> type_named(std::string_view name) {
  for (auto type = EventType::kMeta;; type = static_cast<EventType>(static_cast<int>(type) + 1)) {
    const std::string_view one = name_of(type);
    if (one.empty()) return std::nullopt;
    if (one == name) return type;
  }
}

/// No event follows one of these types.
[[nodiscard]] constexpr bool is_last(EventType type) {
  return type == EventType::kDone || type == EventType::kError;
}

[[nodiscard]] constexpr bool is_delta(EventType type) {
  return type == EventType::kReasoningDelta || type == EventType::kTextDelta;
}

}  // namespace quarry::ask
