#include "access/access.h"

#include <algorithm>

namespace quarry::access {
namespace {

constexpr std::chrono::hours kForget{1};  // interval for removing old audit entries

}  // namespace

void Access::tick() {
  if (const Status done = exchange(); !done) return warn(done.error());
  check_streams();
  settle_pending();
  flush();
  forget_old();
}

Status Access::exchange() {
  plugins::HostActivity published;
  {
    std::lock_guard lock(mutex_);
    published = activity_.to_publish(host_, parts_.clock.now());
  }
  const auto shared = parts_.store->exchange({}, published);
  if (!shared) return Error(shared.error()).in("the store");
  const Status learnt = learn_tokens(shared->revision);
  if (!learnt) warn(learnt.error());
  std::lock_guard lock(mutex_);
  activity_.absorb(published, *shared);
  ended_sessions_ = {shared->ended_sessions.begin(), shared->ended_sessions.end()};
  revision_ = shared->revision;
  reached_ = parts_.clock.steady_now();
  if (learnt) warned_.clear();
  return {};
}

/// Runs before `revision` takes effect, so that no token is rejected because of an old list.
Status Access::learn_tokens(std::int64_t revision) {
  std::optional<std::int64_t> known;
  {
    std::lock_guard lock(mutex_);
    if (!lists_tokens_ || tokens_.is_complete_at(revision)) return {};
    known = tokens_.state();
  }
  const auto answer = parts_.store->token_hashes({}, known, TokenList::kMost);
  std::lock_guard lock(mutex_);
  if (answer) {
    tokens_.take(*answer, revision);
    return {};
  }
  if (answer.error().code != Code::kUnsupported) return Error(answer.error()).in("the store");
  lists_tokens_ = false;
  return {};
}

/// Reports tokens that became invalid while streams of theirs run.
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
  // Repeated four times a second while it lasts, so only a new cause is reported.
  const Status written = audit_.flush();
  const std::string problem = written ? "" : written.error().message;
  if (!written && problem != audit_warned_) parts_.warn(written.error());
  audit_warned_ = problem;
  if (const std::size_t lost = audit_.take_lost(); lost > 0) {
    warn({Code::kResourceExhausted,
          std::to_string(lost) + " calls were not written to the audit, unavailable for too long"});
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
