#include "engine/transports.h"

#include "engine/wanted_plugins.h"

#include <algorithm>

namespace quarry::engine {

Result<std::vector<Listening>> Transports::start(const State& state,
                                                 const std::vector<std::string>& only,
                                                 const quarry_engine* engine) {
  const auto enabled = enabled_transports(state.config, state.plugins->plugins());
  for (const std::string& wanted : only) {
    if (std::ranges::find(enabled, wanted) != enabled.end()) continue;
    return Error{Code::kNotFound, "no plugin offers the transport \"" + wanted + "\"",
                 "\"quarry plugins list\" shows what is installed."}
        .tagged("ConfigError");
  }
  std::vector<Listening> listening;
  for (const std::string& name : enabled) {
    if (!only.empty() && std::ranges::find(only, name) == only.end()) continue;
    auto started = start_one(state, name, engine);
    if (!started) {
      stop({});
      return std::move(started).error();
    }
    for (std::string& address : *started) listening.push_back({name, std::move(address)});
  }
  return listening;
}

Result<std::vector<std::string>> Transports::start_one(const State& state, const std::string& name,
                                                       const quarry_engine* engine) {
  const auto table = state.config.transports.find(name);
  const bool configured = table != state.config.transports.end();
  auto transport = state.plugins->make_transport(name, configured ? table->second.json : "{}");
  auto started =
      transport ? (*transport)->start(engine) : Result<std::vector<std::string>>(transport.error());
  if (transport) transports_.push_back(std::move(*transport));
  if (started) return started;
  Error error = std::move(started).error().in("transport " + name).tagged("ConfigError");
  if (!configured || error.details.empty()) return error;
  return config::at_places(std::move(error), table->second);
}

void Transports::stop(std::chrono::milliseconds grace) {
  const std::lock_guard lock(stopping_);
  for (const auto& transport : transports_) {
    if (!transport->stop(grace)) stopped_ = false;
  }
}

}  // namespace quarry::engine
