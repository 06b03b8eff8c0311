#include "access/access.h"

#include "access/token.h"
#include "base/random.h"
#include "base/text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::access {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr seconds kReach{5};                 // requests are rejected after this time without store
constexpr std::size_t kMostKnown = 20'000;   // cached tokens
constexpr std::uint32_t kMostLookups = 100;  // of unlisted tokens a second
constexpr hours kSessionLife{7 * 24};
// An expired reservation counts as spent; refusals then no longer tell the caller to wait for it.
constexpr minutes kReservationLife{30};

Error unauthenticated() {
  return Error{Code::kUnauthenticated, "the token is not valid",
               "Ask the owner of this server for one (quarry tokens create)."}
      .tagged("AuthenticationError");
}

Error too_many(std::string message, std::string hint) {
  return Error{Code::kResourceExhausted, std::move(message), std::move(hint)}.tagged(
      "RateLimitError");
}

std::int64_t day_of(Clock::Wall at) {
  return std::chrono::floor<std::chrono::days>(at.time_since_epoch()).count();
}

/// The rest of a day's `limit`.
Money left_of(Money limit, Money spent) {
  return Money{std::max<std::int64_t>(limit.nanos - spent.nanos, 0)};
}

/// Suggests an early retry if only reservations exhaust the budget, because they may be released
/// when their calls end.
Error over_budget(const std::string& whose, Money limit, const plugins::Reserved& outcome,
                  Money least) {
  const Money left = left_of(limit, outcome.spent);
  const Money unspent = left_of(limit, Money{outcome.spent.nanos - outcome.aside.nanos});
  const bool only_aside = unspent >= least && unspent.nanos > left.nanos;
  std::string message =
      "this " + whose + " may spend $" + to_decimal(limit) + " a day; $" + to_decimal(left);
  message += only_aside ? " is available, $" + to_decimal(outcome.aside) +
                              " is reserved for running questions"
                        : " is left";
  return Error{Code::kResourceExhausted, std::move(message),
               only_aside ? "Ask again in a few seconds, when one of them has ended."
                          : "Ask again tomorrow (UTC), or ask the owner of this server for more."}
      .tagged("BudgetError");
}

}  // namespace

Access::Access(Parts parts)
    : parts_(std::move(parts)),
      host_(random_hex(8)),
      audit_(parts_.rules.audit_file,
             [this](const auto& entries) { return parts_.store->record({}, entries); }) {}

Result<std::unique_ptr<Access>> Access::open(Parts parts) {
  std::unique_ptr<Access> access(new Access(std::move(parts)));
  const auto opened = access->parts_.store->open({});
  if (!opened) return Error(opened.error()).in("the store").tagged("StoreError");
  auto key = access->parts_.store->key({}, "sessions");
  if (!key) return std::move(key).error().in("the store").tagged("StoreError");
  access->session_key_ = std::move(*key);
  if (Status first = access->exchange(); !first)
    return std::move(first).error().tagged("StoreError");
  return access;
}

Status Access::reachable() const {
  if (parts_.clock.steady_now() - reached_ <= kReach) return {};
  return Error{Code::kUnavailable, "the store cannot be reached",
               "Try again shortly; the server's log says why."}
      .tagged("StoreError");
}

bool Access::is_valid(const plugins::TokenRecord& token) const {
  return !token.revoked && (!token.expires || *token.expires > parts_.clock.now());
}

std::optional<Result<Admission>> Access::admit_known(std::string_view text, bool count,
                                                     std::string_view peer) {
  const std::string hash = hash_of(text);
  std::lock_guard lock(mutex_);
  if (Status near = reachable(); !near) return near.error();
  const auto found = by_hash_.find(hash);
  if (found != by_hash_.end() && found->second->revision == revision_) {
    return judge(found->second, count);
  }
  if (Status may = check_guess(hash, peer); !may) {
    note_guess(may.error(), peer);
    return std::move(may).error();
  }
  return std::nullopt;
}

Result<Admission> Access::admit(std::string_view text, bool count, std::string_view peer) {
  if (auto known = admit_known(text, count, peer)) return std::move(*known);
  const auto found = look_up(hash_of(text));
  std::lock_guard lock(mutex_);
  if (found) return judge(*found, count);
  note_guess(found.error(), peer);
  return found.error();
}

/// Under the mutex.
bool Access::is_listed(std::string_view hash) const {
  return tokens_.contains(hash) || by_hash_.contains(hash);
}

/// A token made a moment ago is not listed yet, so unlisted tokens are looked up unless there are
/// too many of them.
Status Access::check_guess(std::string_view hash, std::string_view peer) const {
  if (is_listed(hash)) return {};
  if (const auto wait = guesses_.wait(peer, parts_.clock.steady_now()); wait.count() > 0) {
    const auto whole = std::chrono::ceil<seconds>(wait).count();
    return too_many("too many wrong tokens from this address",
                    "Try again in " + std::to_string(whole) + " s.");
  }
  if (may_look_up()) return {};
  if (tokens_.is_complete_at(revision_)) return unauthenticated();
  return too_many("too many wrong tokens", "Try again in a second.");
}

/// Under the mutex.
void Access::note_guess(const Error& error, std::string_view peer) {
  if (error.code == Code::kUnauthenticated) guesses_.note(peer, parts_.clock.steady_now());
}

Result<Access::KnownToken> Access::look_up(std::string_view hash) {
  std::int64_t revision = 0;
  bool listed = false;
  {
    std::lock_guard lock(mutex_);
    if (Status may = check_guess(hash, {}); !may) return may.error();
    revision = revision_;
    listed = is_listed(hash);
    if (!listed) take_lookup();
  }
  auto found = parts_.store->find_token({}, hash);
  if (!found) return Error(found.error()).in("the store").tagged("StoreError");
  std::lock_guard lock(mutex_);
  if (!*found) {
    if (const auto old = by_hash_.find(hash); old != by_hash_.end()) {
      by_id_.erase(old->second->found.token.id);
      by_hash_.erase(old);
    }
    return unauthenticated();
  }
  if (!listed && lookups_ > 0) --lookups_;
  if (by_hash_.size() >= kMostKnown) forget_known();
  const auto known =
      std::make_shared<const Known>(Known{std::move(**found), std::string(hash), revision});
  by_id_[known->found.token.id] = known;
  return by_hash_[known->hash] = known;
}

/// Forgets the cached tokens but those with streams, whose questions go on, and which must be
/// noticed when they are withdrawn. Under the mutex.
void Access::forget_known() {
  const auto is_unused = [this](const auto& known) {
    return !activity_.is_streaming(known.second->found.token.id);
  };
  std::erase_if(by_hash_, is_unused);
  std::erase_if(by_id_, is_unused);
}

/// Limits the store's load from guessed tokens. Under the mutex.
bool Access::may_look_up() const {
  return lookups_ < kMostLookups || parts_.clock.steady_now() - lookups_since_ >= seconds(1);
}

/// Under the mutex.
void Access::take_lookup() {
  const auto now = parts_.clock.steady_now();
  if (now - lookups_since_ >= seconds(1)) {
    lookups_since_ = now;
    lookups_ = 0;
  }
  ++lookups_;
}

/// Under the mutex.
Result<Admission> Access::judge(const KnownToken& known, bool count) {
  const plugins::TokenRecord& token = known->found.token;
  if (!is_valid(token) || token.projects.empty()) return unauthenticated();
  Admission out{token.id, token.projects, token.rights, {}, {}};
  out.requests_per_minute = token.limits.requests_per_minute ? token.limits.requests_per_minute
                                                             : parts_.rules.requests_per_minute;
  if (!out.requests_per_minute) return out;
  const Minute minute = minute_of(parts_.clock.now());
  out.rate = judge_rate(activity_.requests(token.id, minute.number), *out.requests_per_minute,
                        minute.into);
  if (count && out.rate.within) activity_.count_request(token.id, minute.number);
  return out;
}

Access::KnownToken Access::known_by_id(std::string_view token) const {
  const auto found = by_id_.find(token);
  return found == by_id_.end() ? nullptr : found->second;
}

Result<Principal> Access::principal(std::string_view token, std::string_view project,
                                    std::string_view right) {
  auto principal = this->principal(token, project);
  if (!principal) return principal;
  std::lock_guard lock(mutex_);
  const KnownToken known = known_by_id(token);
  if (!known) return unauthenticated();
  const auto& rights = known->found.token.rights;
  if (std::ranges::find(rights, right) != rights.end()) return principal;
  return Error{Code::kPermissionDenied, "this token lacks the right to " + std::string(right),
               "Ask the owner of this server for a token with this right."}
      .tagged("RightsError");
}

Result<Principal> Access::principal(std::string_view token, std::string_view project) {
  std::lock_guard lock(mutex_);
  const KnownToken known = known_by_id(token);
  if (!known || !is_valid(known->found.token)) return unauthenticated();
  const auto& record = known->found.token;
  if (project.empty()) return Principal{record.id, record.projects.front()};
  for (const auto& own : record.projects) {
    if (to_lower(own) == to_lower(project)) return Principal{record.id, own};
  }
  return Error{Code::kNotFound, "there is no project \"" + std::string(project) + "\"",
               "This token has: " + join(record.projects, ", ") + "."}
      .tagged("ProjectError");
}

Result<Access::StreamSlot> Access::begin_stream(const Principal& principal) {
  std::lock_guard lock(mutex_);
  const KnownToken known = known_by_id(principal.token);
  if (!known) return unauthenticated();
  const auto& own = known->found.token.limits.streams;
  const auto limit = own ? own : parts_.rules.streams;
  if (limit && activity_.streams(principal.token) >= *limit) {
    return too_many(std::to_string(*limit) + " questions of this token are running, its limit",
                    "Ask again when one has ended.");
  }
  activity_.begin_stream(principal.token);
  return StreamSlot(this, [token = principal.token](const void* self) {
    auto& access = *static_cast<Access*>(const_cast<void*>(self));
    std::lock_guard ended(access.mutex_);
    access.activity_.end_stream(token);
  });
}

Result<Access::Resources> Access::resources_known(const Principal& principal) {
  std::lock_guard lock(mutex_);
  if (Status near = reachable(); !near) return near.error();
  const auto kept = resources_.find(principal.project);
  if (kept == resources_.end() || kept->second.first != revision_) return Resources();
  return kept->second.second;
}

Result<Access::Resources> Access::resources(const Principal& principal) {
  auto known = resources_known(principal);
  if (!known || *known) return known;
  std::int64_t revision = 0;
  {
    std::lock_guard lock(mutex_);
    revision = revision_;
  }
  auto found = parts_.store->resources({}, principal.project);
  if (!found) return Error(found.error()).in("the store").tagged("StoreError");
  auto list =
      std::make_shared<const std::vector<Json>>(*found ? std::move(**found) : std::vector<Json>());
  std::lock_guard lock(mutex_);
  resources_[principal.project] = {revision, list};
  return list;
}

Result<Access::Secrets> Access::secrets(const Principal& principal) {
  std::int64_t revision = 0;
  {
    std::lock_guard lock(mutex_);
    if (Status near = reachable(); !near) return near.error();
    const auto kept = secrets_.find(principal.project);
    if (kept != secrets_.end() && kept->second.first == revision_) return kept->second.second;
    revision = revision_;
  }
  auto found = parts_.store->secrets({}, principal.project);
  if (!found) return Error(found.error()).in("the store").tagged("StoreError");
  auto list = std::make_shared<const std::vector<plugins::SecretRecord>>(std::move(*found));
  std::lock_guard lock(mutex_);
  secrets_[principal.project] = {revision, list};
  return list;
}

Result<Json> Access::add_resource(const Principal& principal, const Json& resource) {
  using Outcome = plugins::AddedResource::Outcome;
  const std::uint32_t most = parts_.rules.max_resources;
  auto added = parts_.store->add_resource({}, principal.project, resource, most);
  if (!added) return Error(added.error()).in("the store").tagged("StoreError");
  {
    std::lock_guard lock(mutex_);
    resources_.erase(principal.project);
  }
  switch (added->outcome) {
    case Outcome::kAdded:
      return resource;
    case Outcome::kNameTaken:
      return std::move(added->existing);
    case Outcome::kFull:
      return Error{Code::kResourceExhausted,
                   "project \"" + principal.project + "\" has " + std::to_string(most) +
                       " resources, the limit",
                   "Remove one, or ask the owner of this server to raise access.max_resources."}
          .tagged("RateLimitError");
    case Outcome::kNoProject:
      break;
  }
  return Error{Code::kNotFound, "there is no project \"" + principal.project + "\""}.tagged(
      "ProjectError");
}

Access::DayLimits Access::day_limits(const Known& known, std::string_view project) const {
  const auto& own = known.found.token.limits.usd_per_day;
  DayLimits out{own ? own : parts_.rules.usd_per_day, {}};
  for (const auto& each : known.found.projects) {
    if (each.name == project) out.project = each.usd_per_day;
  }
  return out;
}

bool Access::is_limited_in_money(const Principal& principal) const {
  std::lock_guard lock(mutex_);
  const KnownToken known = known_by_id(principal.token);
  if (!known) return true;
  const DayLimits limits = day_limits(*known, principal.project);
  return limits.token || limits.project;
}

Result<BudgetReservation> Access::reserve(const Principal& principal, Money least, Money most) {
  plugins::Reservation wanted;
  {
    std::lock_guard lock(mutex_);
    const KnownToken known = known_by_id(principal.token);
    if (!known) return unauthenticated();
    const DayLimits limits = day_limits(*known, principal.project);
    wanted.token_limit = limits.token;
    wanted.project_limit = limits.project;
  }
  if (!wanted.token_limit && !wanted.project_limit) return BudgetReservation{{}, most};
  const auto now = parts_.clock.now();
  wanted.id = random_hex(16);
  wanted.token = principal.token;
  wanted.project = principal.project;
  wanted.day = day_of(now);
  wanted.amount = most;
  wanted.at = now;
  wanted.expires = now + kReservationLife;
  for (;;) {
    const auto outcome = parts_.store->reserve({}, wanted);
    if (!outcome) return Error(outcome.error()).in("the store").tagged("StoreError");
    if (outcome->outcome == plugins::Reserved::Outcome::kReserved) {
      return BudgetReservation{wanted.id, wanted.amount};
    }
    const bool token = outcome->outcome == plugins::Reserved::Outcome::kOverToken;
    const Money limit = *(token ? wanted.token_limit : wanted.project_limit);
    const Money left = left_of(limit, outcome->spent);
    if (left < least || left.nanos == 0 || left >= wanted.amount) {
      return over_budget(token ? "token" : "project", limit, *outcome, least);
    }
    wanted.amount = left;
  }
}

void Access::settle(const BudgetReservation& reserved, Money spent) {
  if (reserved.reservation.empty()) return;
  const Status settled = parts_.store->settle({}, reserved.reservation, spent);
  if (settled) return;
  std::lock_guard lock(mutex_);
  unsettled_.emplace_back(reserved.reservation, spent);
}

std::string Access::open_session(const Principal& principal) const {
  return write_session({random_hex(16), parts_.clock.now() + kSessionLife}, principal.token,
                       session_key_);
}

std::optional<SessionText> Access::live_session(const Principal& principal,
                                                std::string_view session) const {
  auto read = read_session(session, principal.token, session_key_);
  if (!read || read->expires <= parts_.clock.now()) return std::nullopt;
  std::lock_guard lock(mutex_);
  if (ended_sessions_.contains(read->id)) return std::nullopt;
  return read;
}

bool Access::is_live(const Principal& principal, std::string_view session) const {
  return live_session(principal, session).has_value();
}

Result<bool> Access::end_session(const Principal& principal, std::string_view session) {
  const auto live = live_session(principal, session);
  if (!live) return false;
  const Status ended = parts_.store->end_session({}, live->id, live->expires);
  if (!ended) return Error(ended.error()).in("the store").tagged("StoreError");
  std::lock_guard lock(mutex_);
  ended_sessions_.insert(live->id);
  return true;
}

void Access::record(plugins::AuditEntry entry) {
  entry.host = host_;
  audit_.add(std::move(entry));
}

}  // namespace quarry::access
