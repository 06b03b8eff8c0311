#include "engine/methods/host_methods.h"

#include "base/utf8.h"
#include "services/process_metrics.h"

#include <string_view>
#include <vector>

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

constexpr std::string_view kStateResult = R"json({
  "type": "object", "required": ["questions", "plugins", "cacheBytes", "cacheLimit"],
  "properties": {
    "questions": {"type": "integer", "minimum": 0},
    "plugins": {"type": "array", "items": {
      "type": "object", "required": ["id", "version", "summary", "components"],
      "properties": {
        "id": {"type": "string"}, "version": {"type": "string"}, "summary": {"type": "string"},
        "components": {"type": "array", "items": {
          "type": "object", "required": ["kind", "name"],
          "properties": {"kind": {"type": "string"}, "name": {"type": "string"}}}}}}},
    "cacheBytes": {"type": "integer", "minimum": 0},
    "cacheLimit": {"type": "integer", "minimum": 0}
  }
})json";

constexpr std::string_view kEndResult = R"json({"type": "object"})json";

}  // namespace

void HostMethods::add_to(MethodTable& table) {
  table.add({.name = "health",
             .summary = "Whether the host is ready, and the problems that it has noticed. It "
                        "answers while the host starts.",
             .result = kHealthResult,
             .run = AtOnce{std::bind_front(&HostMethods::health, this)}});
  table.add({.name = "metrics",
             .summary = "The counters in the text format of Prometheus.",
             .result = kMetricsResult,
             .run = AtOnce{std::bind_front(&HostMethods::metrics, this)}});
  table.add({.name = "host.state",
             .summary = "How many questions run, the plugins that are loaded, and the size on the"
                        " disk of snapshots, their indexes and plugins' caches.",
             .result = kStateResult,
             .run = OnWorker{std::bind_front(&HostMethods::describe_state, this)}});
  table.add({.name = "host.end",
             .summary = "Shuts the program down in order, as a signal would.",
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
  return to_text({{"text", parts_.metrics.expose(readings())}});
}

std::vector<services::Reading> HostMethods::readings() {
  std::vector<services::Reading> out = services::process_readings();
  const auto gauge = [&](std::string_view name, std::string_view help, auto value) {
    out.push_back({name, services::Reading::Type::kGauge, help, static_cast<double>(value)});
  };
  const auto now = parts_.state.now();
  gauge("quarry_ready", "1 if questions can be asked.", now->models->chosen().has_value());
  gauge("quarry_problems", "Problems that /readyz names.", parts_.problems().size());
  gauge("quarry_questions_running", "Questions that run.", parts_.questions.running());
  gauge("quarry_questions_limit", "Most questions that run at once (server.max_questions).",
        now->config.server.max_questions);
  gauge("quarry_resources", "Configured resources.", now->resources.size());
  gauge("quarry_plugins", "Loaded plugins.", now->plugins->plugins().size());
  gauge("quarry_worker_threads", "Threads that compute and call plugins.",
        parts_.workers.threads());
  gauge("quarry_worker_jobs_waiting", "Jobs that no thread has begun.", parts_.workers.waiting());
  gauge("quarry_cache_limit_bytes", "Limit of the cache (cache.max_bytes).",
        now->config.cache.max_bytes);
  if (const auto bytes = cache_size_.last()) {
    gauge("quarry_cache_bytes", "Size of the cache on the disk, at most a minute old.", *bytes);
  }
  return out;
}

Answer HostMethods::describe_state(const Json&) {
  const auto now = parts_.state.now();
  Json plugins = Json::array();
  for (const plugins::Manifest& manifest : now->plugins->plugins()) {
    Json components = Json::array();
    for (const auto& one : manifest.components) {
      components.push_back({{"kind", one.kind}, {"name", one.name}});
    }
    plugins.push_back({{"id", manifest.id},
                       {"version", manifest.version},
                       {"summary", to_utf8(manifest.summary)},
                       {"components", std::move(components)}});
  }
  return to_text({{"questions", parts_.questions.running()},
                  {"plugins", std::move(plugins)},
                  {"cacheBytes", cache_size_.measure()},
                  {"cacheLimit", now->config.cache.max_bytes}});
}

Answer HostMethods::end(const Json&) {
  if (parts_.on_end) parts_.on_end();
  return std::string("{}");
}

}  // namespace quarry::engine
