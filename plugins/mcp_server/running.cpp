#include "running.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::mcp {

/// Parses the id, since one id has several texts: "\u0061" is "a", and 1e+05 is 100000.0.
std::string Running::key_of(std::string_view principal, std::string_view id) {
  return std::string(principal) + "\n" + dump(Json::parse(id, nullptr, false));
}

void Running::add(const std::shared_ptr<Call>& call) {
  const std::lock_guard lock(mutex_);
  calls_.emplace(key_of(call->caller().principal, call->message().id), call);
}

void Running::remove(const Call& call) {
  std::shared_ptr<Call> last;  // destroyed outside the lock
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = calls_.equal_range(key_of(call.caller().principal, call.message().id));
  for (auto one = begin; one != end; ++one) {
    if (one->second.get() != &call) continue;
    last = std::move(one->second);
    calls_.erase(one);
    return;
  }
}

void Running::cancel(const std::string& principal, const std::string& session,
                     const std::string& id) {
  std::shared_ptr<Call> found;
  {
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = calls_.equal_range(key_of(principal, id));
    for (auto one = begin; one != end; ++one) {
      if (one->second->head().session != session) continue;
      if (found) return;
      found = one->second;
    }
  }
  if (found) found->post([found] { found->end(End::kCancelled); });
}

void Running::end_all() {
  std::unordered_multimap<std::string, std::shared_ptr<Call>> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(calls_);
  }
  for (const auto& [key, call] : all) call->end(End::kDisconnected);
}

}  // namespace quarry::mcp
