#pragma once

#include <cstdint>
#include <string_view>

namespace quarry::ask {

/// Event types; name_of returns their names on the wire.
enum class EventType : std::uint8_t {
  kMeta,
  kReasoningDelta,
  kTextDelta,
  kToolUpdated,
  kResourceProgress,
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
    case EventType::kCitation:
      return "citation";
    case EventType::kDone:
      return "done";
    case EventType::kError:
      return "error";
  }
  return "";
}

[[nodiscard]] constexpr bool is_delta(EventType type) {
  return type == EventType::kReasoningDelta || type == EventType::kTextDelta;
}

}  // namespace quarry::ask
