#include "engine/current_state.h"

#include "engine/load_plugins.h"
#include "engine/wanted_plugins.h"

#include <algorithm>

namespace quarry::engine {

Status CurrentState::begin(config::Config config, std::shared_ptr<plugins::Registry> registry) {
  auto made = make_state(std::move(config), std::move(registry), host_services_, options_.locked);
  if (!made) return std::move(made).error();
  return activate(std::move(*made));
}

std::shared_ptr<const State> CurrentState::now() const {
  std::lock_guard lock(mutex_);
  return state_;
}

Status CurrentState::reload() {
  auto config = config::load(options_.config);
  if (!config) return std::move(config).error();
  if (searches_want_more(now()->config, *config)) {
    auto done = reload_with_plugins();
    return done ? Status() : Status(done.error());
  }
  return load(std::move(*config), now()->plugins);
}

Result<Reloaded> CurrentState::reload_with_plugins() {
  auto config = config::load(options_.config);
  if (!config) return std::move(config).error();
  const auto before = now();
  auto registry =
      load_plugins(*config, options_, host_services_, Loading::kByUse, before->plugins.get());
  if (!registry) return std::move(registry).error();
  const Status done = load(std::move(*config), *registry);
  if (!done) return done.error();
  (*registry)->end_reload();
  Reloaded out{(*registry)->changes(), {}};
  std::ranges::copy_if(now()->problems, std::back_inserter(out.problems), [&](const auto& problem) {
    return std::ranges::find(before->problems, problem) == before->problems.end();
  });
  report(out);
  return out;
}

void CurrentState::report(const Reloaded& reloaded) {
  for (const auto& change : reloaded.plugins) {
    host_services_.log.info("plugins", plugins::describe(change));
  }
  for (const auto& problem : reloaded.problems) host_services_.log.warning("plugins", problem);
}

Status CurrentState::load(config::Config config, std::shared_ptr<plugins::Registry> registry) {
  const auto before = now();
  auto made = make_state(std::move(config), std::move(registry), host_services_, options_.locked);
  Status done;
  if (!made) {
    done = std::move(made).error();
  } else if (const auto model = (*made)->models->chosen(); !model && before->models->chosen()) {
    done = model.error();
  } else {
    done = activate(std::move(*made));
  }
  // The new state reads its secrets while it is made.
  if (!done) host_services_.secrets.update(secret_sources(before->config));
  return done;
}

/// Running questions keep their state, so its endpoints stay permitted while it exists.
Status CurrentState::activate(std::shared_ptr<const State> made) {
  std::lock_guard lock(mutex_);
  std::erase_if(states_, [](const auto& state) { return state.expired(); });
  states_.push_back(made);
  std::vector<services::Endpoint> endpoints;
  for (const auto& weak : states_) {
    const auto state = weak.lock();
    if (!state) continue;
    std::ranges::copy(state->models->endpoints(), std::back_inserter(endpoints));
    std::ranges::copy(state->retrieval.endpoints, std::back_inserter(endpoints));
  }
  if (const auto& collector = host_services_.traces.endpoint()) endpoints.push_back(*collector);
  auto egress = services::EgressPolicy::make(made->config.private_hosts, std::move(endpoints));
  if (!egress) return std::move(egress).error().tagged("ConfigError");
  host_services_.egress = *egress;
  state_ = std::move(made);
  return {};
}

}  // namespace quarry::engine
