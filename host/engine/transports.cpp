#include "engine/transports.h"

#include "engine/wanted_plugins.h"

#include <algorithm>

namespace quarry::engine {
namespace {

Error refusal(Error error, const config::Config& config, const std::string& transport) {
  error = std::move(error).in("transport " + transport).tagged("ConfigError");
  const auto table = config.transports.find(transport);
  if (table == config.transports.end() || error.details.empty()) return error;
  return config::at_places(std::move(error), table->second);
}

}  // namespace

Result<std::shared_ptr<plugins::Transport>> make_transport(const config::Config& config,
                                                           plugins::Registry& registry,
                                                           const std::string& name) {
  const auto table = config.transports.find(name);
  auto made =
      registry.make_transport(name, table == config.transports.end() ? "{}" : table->second.json);
  if (made) return made;
  return refusal(std::move(made).error(), config, name);
}

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
  auto transport = make_transport(state.config, *state.plugins, name);
  if (!transport) return std::move(transport).error();
  auto started = (*transport)->start(engine);
  transports_.push_back(std::move(*transport));
  if (started) return started;
  return refusal(std::move(started).error(), state.config, name);
}

void Transports::stop(std::chrono::milliseconds grace) {
  const std::lock_guard lock(stopping_);
  for (const auto& transport : transports_) {
    if (!transport->stop(grace)) stopped_ = false;
  }
}

}  // namespace quarry::engine
