#include "engine/current_state.h"

#include <algorithm>

namespace quarry::engine {

Status CurrentState::begin(config::Config config) {
  auto made = make_state(std::move(config), host_services_, locked_);
  if (!made) return std::move(made).error();
  return activate(std::move(*made));
}

std::shared_ptr<const State> CurrentState::now() const {
  std::lock_guard lock(mutex_);
  return state_;
}

Status CurrentState::reload() {
  auto config = config::load(sources_);
  if (!config) return std::move(config).error();
  Status done = load(std::move(*config));
  // The new state reads its secrets while it is made.
  if (!done) host_services_.secrets.update(secret_sources(now()->config));
  return done;
}

Status CurrentState::load(config::Config config) {
  auto made = make_state(std::move(config), host_services_, locked_);
  if (!made) return std::move(made).error();
  const auto model = (*made)->models->chosen();
  if (!model && now()->models->chosen()) return model.error();
  return activate(std::move(*made));
}

/// Running questions keep their state, so its endpoints stay permitted while it exists.
Status CurrentState::activate(std::shared_ptr<const State> made) {
  std::lock_guard lock(mutex_);
  std::erase_if(states_, [](const auto& state) { return state.expired(); });
  states_.push_back(made);
  std::vector<services::Endpoint> endpoints;
  for (const auto& weak : states_) {
    const auto state = weak.lock();
    if (state) std::ranges::copy(state->models->endpoints(), std::back_inserter(endpoints));
  }
  auto egress = services::EgressPolicy::make(made->config.private_hosts, std::move(endpoints));
  if (!egress) return std::move(egress).error().tagged("ConfigError");
  host_services_.egress = *egress;
  state_ = std::move(made);
  return {};
}

}  // namespace quarry::engine
