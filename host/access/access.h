#pragma once

#include "access/activity.h"
#include "access/audit_trail.h"
#include "access/guesses.h"
#include "access/session_text.h"
#include "access/token_list.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "config/config.h"
#include "plugins/store.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::access {

/// An admitted request, with the data shown to its caller. Tags and statuses of failures are
/// those of <quarry/transport.h>.
struct Admission {
  std::string token;                  ///< id
  std::vector<std::string> projects;  ///< the token's own first; at least one
  std::vector<std::string> rights;
  std::optional<std::uint32_t> requests_per_minute;  ///< its limit, if any
  RateVerdict rate;                                  ///< where there is a limit
};

/// The token and project that a request acts for.
struct Principal {
  std::string token;    ///< id
  std::string project;  ///< as it is spelled in the store
};

/// Money reserved for one model call.
struct BudgetReservation {
  std::string reservation;  ///< empty = there is no limit, nothing was reserved
  Money amount;
};

/// Rights, rate limits and budgets of tokens, in a store that other hosts may share. Data of the
/// store is cached for at most the time between two ticks, a quarter of a second; when the store
/// has been unreachable for five seconds, every request is rejected. Thread-safe.
class Access {
 public:
  struct Parts {
    std::shared_ptr<plugins::Store> store;
    const Clock& clock;
    config::Access rules;
    /// Called for background failures, once while the cause stays the same. [any]
    std::function<void(const Error&)> warn;
    /// Called when a token with streams was revoked or has expired. [the thread of tick]
    std::function<void(const std::string& token)> withdrawn;
  };
  /// Opens the store and reads its state. kUnavailable or kUnsupported with the store's message.
  /// [worker]
  static Result<std::unique_ptr<Access>> open(Parts parts);

  /// Exchanges activity with the other hosts and writes the audit. Called every kTick by one
  /// thread.
  static constexpr std::chrono::milliseconds kTick{250};
  void tick();

  /// Like admit() without the store; nothing when admit() is needed. [any]
  std::optional<Result<Admission>> admit_known(std::string_view text, bool count,
                                               std::string_view peer = {});
  /// Admits the caller with the token `text`; with `count`, counts one request in this minute.
  /// `peer` is its IP address, empty = unknown: after repeated wrong tokens, further wrong ones of
  /// that peer are rejected unchecked for a while (RateLimitError), valid ones never. [worker]
  Result<Admission> admit(std::string_view text, bool count, std::string_view peer = {});
  /// Principal of a token that was admitted here. `project`: the one the caller named, empty = the
  /// token's own. [any]
  Result<Principal> principal(std::string_view token, std::string_view project,
                              std::string_view right);
  /// The same without checking a right. [any]
  Result<Principal> principal(std::string_view token, std::string_view project);

  /// Counts as one stream of a token until it is destroyed; must not outlive this.
  using StreamSlot = std::shared_ptr<const void>;
  Result<StreamSlot> begin_stream(const Principal& principal);

  using Resources = std::shared_ptr<const std::vector<Json>>;
  /// Null when resources() must be called, which asks the store. [any]
  Result<Resources> resources_known(const Principal& principal);
  Result<Resources> resources(const Principal& principal);  // [worker]
  /// Secrets of the resources in the principal's project, sealed. [worker]
  using Secrets = std::shared_ptr<const std::vector<plugins::SecretRecord>>;
  Result<Secrets> secrets(const Principal& principal);
  /// Returns the resource of that name: the one given if it is new. [worker]
  Result<Json> add_resource(const Principal& principal, const Json& resource);

  /// True if the token or its project has a limit in money, or the token is not cached here. [any]
  [[nodiscard]] bool is_limited_in_money(const Principal& principal) const;
  /// Reserves `most`, or the rest of the day's limit if that is at least `least`; else BudgetError.
  /// [worker]
  Result<BudgetReservation> reserve(const Principal& principal, Money least, Money most);
  /// Replaces the reservation by the actual cost; tick() repeats it if the store is unreachable.
  /// [worker]
  void settle(const BudgetReservation& reserved, Money spent);

  [[nodiscard]] std::string open_session(const Principal& principal) const;
  [[nodiscard]] bool is_live(const Principal& principal, std::string_view session) const;
  Result<bool> end_session(const Principal& principal, std::string_view session);  // [worker]

  /// Adds an audit entry, with this host's name. [any]
  void record(plugins::AuditEntry entry);

 private:
  struct Known {
    plugins::FoundToken found;
    std::string hash;
    std::int64_t revision;
  };
  using KnownToken = std::shared_ptr<const Known>;

  explicit Access(Parts parts);

  Status exchange();
  void flush();
  void forget_old();
  void check_streams();
  void settle_pending();
  void warn(const Error& error);

  Result<KnownToken> look_up(std::string_view hash);
  void forget_known();
  Status learn_tokens(std::int64_t revision);
  [[nodiscard]] bool is_listed(std::string_view hash) const;
  /// Rejects tokens that must be wrong, and unlisted tokens while too many are tried.
  [[nodiscard]] Status check_guess(std::string_view hash, std::string_view peer) const;
  void note_guess(const Error& error, std::string_view peer);
  [[nodiscard]] bool is_valid(const plugins::TokenRecord& token) const;
  [[nodiscard]] Result<Admission> judge(const KnownToken& known, bool count);
  [[nodiscard]] Status reachable() const;
  /// Nothing if the session has ended or expired.
  [[nodiscard]] std::optional<SessionText> live_session(const Principal& principal,
                                                        std::string_view session) const;
  [[nodiscard]] KnownToken known_by_id(std::string_view token) const;
  /// Daily limits in money of a token and of one of its projects.
  struct DayLimits {
    std::optional<Money> token;
    std::optional<Money> project;
  };
  [[nodiscard]] DayLimits day_limits(const Known& known, std::string_view project) const;
  [[nodiscard]] bool may_look_up() const;
  void take_lookup();

  const Parts parts_;
  const std::string host_;
  std::string session_key_;
  AuditTrail audit_;

  mutable std::mutex mutex_;
  std::int64_t revision_ = 0;
  Clock::Steady reached_;
  std::map<std::string, KnownToken, std::less<>> by_hash_;
  std::map<std::string, KnownToken, std::less<>> by_id_;
  Activity activity_;
  std::map<std::string, std::pair<std::int64_t, Resources>, std::less<>> resources_;
  std::map<std::string, std::pair<std::int64_t, Secrets>, std::less<>> secrets_;
  std::set<std::string, std::less<>> ended_sessions_;
  std::vector<std::pair<std::string, Money>> unsettled_;
  Clock::Steady lookups_since_;
  std::uint32_t lookups_ = 0;  ///< of tokens that are not listed, since lookups_since_
  TokenList tokens_;
  bool lists_tokens_ = true;  ///< the store supports it
  Guesses guesses_;
  std::string warned_;
  std::string audit_warned_;  // by the thread of tick()
  Clock::Steady forgot_;
};

}  // namespace quarry::access
