#include "engine/methods/host_methods.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {

void HostMethods::add_to(MethodTable& table) {
  table.add({"health", AtOnce{std::bind_front(&HostMethods::health, this)}});
  table.add({"metrics", AtOnce{std::bind_front(&HostMethods::metrics, this)}});
  table.add({"host.end", AtOnce{std::bind_front(&HostMethods::end, this)}});
}

Answer HostMethods::health(std::string_view) {
  const auto now = parts_.state.now();
  return to_text({{"ok", true},
                  {"service", "quarry"},
                  {"version", QUARRY_VERSION},
                  {"ready", now->models->chosen().has_value()},
                  {"problems", parts_.problems()}});
}

Answer HostMethods::metrics(std::string_view) {
  auto& metrics = parts_.metrics;
  static_cast<void>(
      metrics.gauge("questions_running", "", static_cast<double>(parts_.questions.running())));
  static_cast<void>(
      metrics.gauge("resources", "", static_cast<double>(parts_.state.now()->resources.size())));
  return to_text({{"text", metrics.expose()}});
}

Answer HostMethods::end(std::string_view) {
  if (parts_.on_end) parts_.on_end();
  return std::string("{}");
}

}  // namespace quarry::engine
