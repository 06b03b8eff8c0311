#include "base/utf8.h"
#include "engine/methods/methods.h"
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

Answer health(const MethodServices& engine, const Json&) {
  const auto now = engine.state.now();
  return to_text({{"ok", true},
                  {"service", "quarry"},
                  {"version", QUARRY_VERSION},
                  {"ready", now->models->chosen().has_value()},
                  {"problems", engine.problems()}});
}

std::vector<services::Reading> readings(const MethodServices& engine) {
  std::vector<services::Reading> out = services::process_readings();
  const auto gauge = [&](std::string_view name, std::string_view help, auto value) {
    out.push_back({name, services::Reading::Type::kGauge, help, static_cast<double>(value)});
  };
  const auto now = engine.state.now();
  gauge("quarry_ready", "1 if questions can be asked.", now->models->chosen().has_value());
  gauge("quarry_problems", "Problems that /readyz names.", engine.problems().size());
  gauge("quarry_questions_running", "Questions that run.", engine.questions.running());
  gauge("quarry_questions_limit", "Most questions that run at once (server.max_questions).",
        now->config.server.max_questions);
  gauge("quarry_resources", "Configured resources.", now->resources.size());
  gauge("quarry_plugins", "Loaded plugins.", now->plugins->plugins().size());
  gauge("quarry_worker_threads", "Threads that compute and call plugins.",
        engine.host.workers.threads());
  gauge("quarry_worker_jobs_waiting", "Jobs that no thread has begun.",
        engine.host.workers.waiting());
  gauge("quarry_cache_limit_bytes", "Limit of the cache (cache.max_bytes).",
        now->config.cache.max_bytes);
  if (const auto bytes = engine.cache_size.last()) {
    gauge("quarry_cache_bytes", "Size of the cache on the disk, at most a minute old.", *bytes);
  }
  return out;
}

Answer expose_metrics(const MethodServices& engine, const Json&) {
  return to_text({{"text", engine.host.metrics.expose(readings(engine))}});
}

Answer describe_state(const MethodServices& engine, const Json&) {
  const auto now = engine.state.now();
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
  return to_text({{"questions", engine.questions.running()},
                  {"plugins", std::move(plugins)},
                  {"cacheBytes", engine.cache_size.measure()},
                  {"cacheLimit", now->config.cache.max_bytes}});
}

Answer end_host(const MethodServices& engine, const Json&) {
  if (engine.on_end) engine.on_end();
  return std::string("{}");
}

}  // namespace

void add_host_methods(MethodTable& table) {
  table.add({.name = "health",
             .summary = "Whether the host is ready, and the problems that it has noticed. It "
                        "answers while the host starts.",
             .result = kHealthResult,
             .run = AtOnce{health}});
  table.add({.name = "metrics",
             .summary = "The counters in the text format of Prometheus.",
             .result = kMetricsResult,
             .run = AtOnce{expose_metrics}});
  table.add({.name = "host.state",
             .summary = "How many questions run, the plugins that are loaded, and the size on the"
                        " disk of snapshots, their indexes and plugins' caches.",
             .result = kStateResult,
             .run = OnWorker{describe_state}});
  table.add({.name = "host.end",
             .summary = "Shuts the program down in order, as a signal would.",
             .result = kEndResult,
             .run = AtOnce{end_host}});
}

}  // namespace quarry::engine
