/// The events of a question, which a transport reads (quarry_event of <quarry/transport.h>) and
/// passes on. Types that are not here may follow: pass them on too.
#ifndef QUARRY_EVENTS_HPP
#define QUARRY_EVENTS_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace quarry {

/// The types, in the order of kEvents.
enum class EventType : std::uint8_t {
  kMeta,
  kReasoningDelta,
  kTextDelta,
  kToolUpdated,
  kDone,
  kError,
  kResourceProgress,
  kModelWaiting,
  kCitation,
};

struct EventDescription {
  std::string_view name;     ///< on the wire, also as the member "type"
  std::string_view members;  ///< the others; "?" = not always there
  std::string_view meaning;
  bool is_extended = false;  ///< for readers who ask for all events
};

inline constexpr std::array kEvents = std::to_array<EventDescription>({
    {"meta",
     "id, question, model, resources, collection, snapshots, failed?, thread?, turnsLeftOut?",
     "the question with the resources and the model that answer it"},
    {"reasoning.delta", "delta", "more of the model's reasoning"},
    {"text.delta", "delta", "more of the answer"},
    {"tool.updated", "callID, tool, state", "another state of a tool call"},
    {"done",
     "text, reasoning, tools, usage?, metrics, citations, finishReason, steps, model, fallbacks?",
     "the whole answer; the last event, unless it is error"},
    {"error", "tag, code, message, hint?", "why there is no answer; the last event"},
    {"resource.progress", "resource, message, done, total?", "the preparation of a resource", true},
    {"model.waiting", "reason, seconds",
     "when a provider that refused, as with 429, is asked again; 0 seconds once it is", true},
    {"citation",
     "resource, path, startLine, endLine, url?, title?, version?, verified, misquotation?",
     "one of the citations of done, before it", true},
});

[[nodiscard]] constexpr const EventDescription& description_of(EventType type) {
  return kEvents[static_cast<std::size_t>(type)];
}

[[nodiscard]] constexpr std::string_view name_of(EventType type) {
  return description_of(type).name;
}

/// The type with this name on the wire.
[[nodiscard]] constexpr std::optional<EventType> event_named(std::string_view name) {
  for (std::size_t i = 0; i < kEvents.size(); ++i) {
    if (kEvents[i].name == name) return static_cast<EventType>(i);
  }
  return std::nullopt;
}

/// No event follows one of these types.
[[nodiscard]] constexpr bool is_last(EventType type) {
  return type == EventType::kDone || type == EventType::kError;
}

[[nodiscard]] constexpr bool is_delta(EventType type) {
  return type == EventType::kReasoningDelta || type == EventType::kTextDelta;
}

}  // namespace quarry

#endif
