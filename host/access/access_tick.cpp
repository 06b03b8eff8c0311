#include "access/access.h"

#include <algorithm>

namespace quarry::access {
namespace {

constexpr std::chrono::hours kForget{1};  // how often what is too old is dropped

}  // namespace

void Access::tick() {
  if (const Status told = exchange(); !told) return warn(told.error());
  check_streams();
  settle_pending();
  flush();
  forget_old();
}

Status Access::exchange() {
  plugins::HostActivity told;
  {
    std::lock_guard lock(mutex_);
    told = activity_.to_tell(host_, parts_.clock.now());
  }
  const auto shared = parts_.store->exchange({}, told);
  if (!shared) return Error(shared.error()).in("the store");
  const Status learnt = learn_tokens(shared->revision);
  if (!learnt) warn(learnt.error());
  std::lock_guard lock(mutex_);
  activity_.absorb(told, *shared);
  ended_sessions_ = {shared->ended_sessions.begin(), shared->ended_sessions.end()};
  revision_ = shared->revision;
  reached_ = parts_.clock.steady_now();
  if (learnt) warned_.clear();
  return {};
}

/// Before `revision` counts here, so that no token is refused for want of a list.
Status Access::learn_tokens(std::int64_t revision) {
  std::optional<std::int64_t> known;
  {
    std::lock_guard lock(mutex_);
    if (!lists_tokens_ || tokens_.is_complete_at(revision)) return {};
    known = tokens_.state();
  }
  const auto told = parts_.store->token_hashes({}, known, TokenList::kMost);
  std::lock_guard lock(mutex_);
  if (told) {
    tokens_.take(*told, revision);
    return {};
  }
  if (told.error().code != Code::kUnsupported) return Error(told.error()).in("the store");
  lists_tokens_ = false;
  return {};
}

/// Tells of tokens that lost their validity while something of theirs runs.
void Access::check_streams() {
  std::vector<KnownToken> running;
  {
    std::lock_guard lock(mutex_);
    for (const std::string& token : activity_.streaming()) {
      if (const KnownToken known = known_by_id(token)) running.push_back(known);
    }
  }
  for (KnownToken& known : running) {
    bool stale = false;
    {
      std::lock_guard lock(mutex_);
      stale = known->revision != revision_;
    }
    bool valid = true;
    if (stale) {
      const auto found = look_up(known->hash);
      if (!found && found.error().code != Code::kUnauthenticated) continue;  // later
      valid = found.has_value();
      if (valid) known = *found;
    }
    if (valid && is_valid(known->found.token)) continue;
    parts_.withdrawn(known->found.token.id);
  }
}

void Access::settle_pending() {
  std::vector<std::pair<std::string, Money>> unsettled;
  {
    std::lock_guard lock(mutex_);
    unsettled.swap(unsettled_);
  }
  for (const auto& [reservation, spent] : unsettled) settle({reservation, {}}, spent);
}

void Access::flush() {
  if (const Status written = audit_.flush(); !written) warn(written.error());
  if (const std::size_t lost = audit_.take_lost(); lost > 0) {
    warn({Code::kResourceExhausted,
          std::to_string(lost) + " calls were not written to the audit, which was away too long"});
  }
}

void Access::forget_old() {
  const auto now = parts_.clock.steady_now();
  if (forgot_ != Clock::Steady() && now - forgot_ < kForget) return;
  forgot_ = now;
  const auto forgotten = parts_.store->forget({}, parts_.clock.now() - parts_.rules.audit_days);
  if (!forgotten) warn(Error(forgotten.error()).in("the store"));
}

void Access::warn(const Error& error) {
  {
    std::lock_guard lock(mutex_);
    if (warned_ == error.message) return;
    warned_ = error.message;
  }
  parts_.warn(error);
}

}  // namespace quarry::access
