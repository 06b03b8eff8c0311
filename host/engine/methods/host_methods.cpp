#include "engine/methods/host_methods.h"

#include "base/utf8.h"
#include "resources/disk_usage.h"

#include <set>

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

/// Bytes on the disk of all files beneath a directory; a file with several names counts once.
std::uint64_t bytes_beneath(const std::filesystem::path& directory) {
  std::set<ino_t> counted;
  std::uint64_t sum = 0;
  for (const resources::DiskFile& file : resources::files_beneath(directory)) {
    if (counted.insert(file.inode).second) sum += file.bytes;
  }
  return sum;
}

constexpr std::string_view kEndResult = R"json({"type": "object"})json";

}  // namespace

void HostMethods::add_to(MethodTable& table) {
  table.add({.name = "health",
             .result = kHealthResult,
             .run = AtOnce{std::bind_front(&HostMethods::health, this)}});
  table.add({.name = "metrics",
             .result = kMetricsResult,
             .run = AtOnce{std::bind_front(&HostMethods::metrics, this)}});
  table.add({.name = "host.state",
             .result = kStateResult,
             .run = OnWorker{std::bind_front(&HostMethods::describe_state, this)}});
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
                  {"cacheBytes", bytes_beneath(parts_.cache)},
                  {"cacheLimit", now->config.cache.max_bytes}});
}

Answer HostMethods::end(const Json&) {
  if (parts_.on_end) parts_.on_end();
  return std::string("{}");
}

}  // namespace quarry::engine
