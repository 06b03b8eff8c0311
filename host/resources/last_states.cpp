#include "resources/last_states.h"

#include <algorithm>

namespace quarry::resources {

void LastStates::note(const std::string& key, const std::string& name, Clock::Steady now) {
  const std::lock_guard lock(mutex_);
  states_[key] = {name, now};
  if (states_.size() <= kMost) return;
  states_.erase(std::ranges::min_element(
      states_, {}, [](const auto& state) { return state.second.answered_at; }));
}

std::set<std::string> LastStates::names(Clock::Steady now) const {
  const std::lock_guard lock(mutex_);
  std::set<std::string> names;
  for (const auto& [key, state] : states_) {
    if (now - state.answered_at < kInUse) names.insert(state.name);
  }
  return names;
}

}  // namespace quarry::resources
