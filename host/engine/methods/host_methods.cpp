#include "engine/methods/host_methods.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::string_view kHealthResult = R"json({
  "type": "object", "required": ["ok", "service", "version", "ready", "problems"],
  "properties": {
    "ok": {"type": "boolean"}, "service": {"type": "string"}, "version": {"type": "string"},
    "ready": {"type": "boolean"}, "problems": {"type": "array", "items": {"type": "string"}}
  }
})json";

constexpr std::string_view kMetricsResult = R"json({
  "type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}
})json";

constexpr std::string_view kEndResult = R"json({"type": "object"})json";

}  // namespace

void HostMethods::add_to(MethodTable& table) {
  table.add({.name = "health",
             .result = kHealthResult,
             .run = AtOnce{std::bind_front(&HostMethods::health, this)}});
  table.add({.name = "metrics",
             .result = kMetricsResult,
             .run = AtOnce{std::bind_front(&HostMethods::metrics, this)}});
  table.add({.name = "host.end",
             .result = kEndResult,
             .run = AtOnce{std::bind_front(&HostMethods::end, this)}});
}

Answer HostMethods::health(const Json&) {
  const auto now = parts_.state.now();
  return to_text({{"ok", true},
                  {"service", "quarry"},
                  {"version", QUARRY_VERSION},
                  {"ready", now->models->chosen().has_value()},
                  {"problems", parts_.problems()}});
}

Answer HostMethods::metrics(const Json&) {
  auto& metrics = parts_.metrics;
  static_cast<void>(
      metrics.gauge("questions_running", "", static_cast<double>(parts_.questions.running())));
  static_cast<void>(
      metrics.gauge("resources", "", static_cast<double>(parts_.state.now()->resources.size())));
  return to_text({{"text", metrics.expose()}});
}

Answer HostMethods::end(const Json&) {
  if (parts_.on_end) parts_.on_end();
  return std::string("{}");
}

}  // namespace quarry::engine
