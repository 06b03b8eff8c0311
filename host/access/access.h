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

/// Whether a request may go on, and what its caller is told. Tags and statuses of failures are
/// those of <quarry/transport.h>.
struct Admission {
  std::string token;    ///< id
  std::string project;  ///< the token's own
  std::vector<std::string> rights;
  std::optional<std::uint32_t> requests_per_minute;  ///< its limit, if any
  RateVerdict rate;                                  ///< where there is a limit
};

/// The bearer of a token, at work in one of its projects.
struct Principal {
  std::string token;    ///< id
  std::string project;  ///< as it is spelled in the store
};

/// Money that was put aside for one call.
struct BudgetReservation {
  std::string reservation;  ///< empty = there is no limit, nothing was put aside
  Money amount;
};

/// Who may do what, how often and for how much, on a store that other hosts may share. Facts of the
/// store are kept here for at most the time between two ticks, a quarter of a second; when the
/// store has not been reached for five seconds nobody is let in any more. Thread-safe.
class Access {
 public:
  struct Parts {
    std::shared_ptr<plugins::Store> store;
    const Clock& clock;
    config::Access rules;
    /// Told of what fails in the background, once while the cause stays the same. [any thread]
    std::function<void(const Error&)> warn;
    /// A token with streams was revoked or has expired. [the thread of tick]
    std::function<void(const std::string& token)> withdrawn;
  };
  /// Opens the store and learns its state. kUnavailable or kUnsupported in the store's words.
  /// [worker]
  static Result<std::unique_ptr<Access>> open(Parts parts);

  /// Tells the other hosts what happened here and learns what happened there; writes the audit.
  /// Called every kTick by one thread.
  static constexpr std::chrono::milliseconds kTick{250};
  void tick();

  /// Nothing when the store must be asked, by admit(). [any]
  std::optional<Result<Admission>> admit_known(std::string_view text, bool count,
                                               std::string_view peer = {});
  /// The bearer of the token `text`; with `count`, one request of its minute. `peer` is the IP
  /// address it came from, empty = unknown: one that keeps bringing wrong tokens has them refused
  /// unseen for a while (RateLimitError), right ones never. [worker]
  Result<Admission> admit(std::string_view text, bool count, std::string_view peer = {});
  /// Of a token that was admitted here. `project`: what the caller named, empty = the token's own.
  /// [any]
  Result<Principal> principal(std::string_view token, std::string_view project,
                              std::string_view right);
  /// The same where no right is needed. [any]
  Result<Principal> principal(std::string_view token, std::string_view project);

  /// A place among the streams of a token, until it is destroyed; must not outlive this.
  using Place = std::shared_ptr<const void>;
  Result<Place> begin_stream(const Principal& principal);

  using Resources = std::shared_ptr<const std::vector<Json>>;
  /// Null when the store must be asked, by resources(). [any]
  Result<Resources> resources_known(const Principal& principal);
  Result<Resources> resources(const Principal& principal);  // [worker]
  /// What the resources of the principal's project are read with, sealed. [worker]
  using Secrets = std::shared_ptr<const std::vector<plugins::SecretRecord>>;
  Result<Secrets> secrets(const Principal& principal);
  /// Answers the resource of that name, which is the one given when it is new. [worker]
  Result<Json> add_resource(const Principal& principal, const Json& resource);

  /// The token or its project has a limit in money; so has who is not known here. [any]
  [[nodiscard]] bool is_limited_in_money(const Principal& principal) const;
  /// Puts `most` aside, or what the day has left if that is at least `least`; else BudgetError.
  /// [worker]
  Result<BudgetReservation> keep(const Principal& principal, Money least, Money most);
  /// What came of it. When the store is away it is told later. [worker]
  void settle(const BudgetReservation& kept, Money spent);

  [[nodiscard]] std::string open_session(const Principal& principal) const;
  [[nodiscard]] bool is_live(const Principal& principal, std::string_view session) const;
  Result<bool> end_session(const Principal& principal, std::string_view session);  // [worker]

  /// The host's name is added. [any]
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
  Status learn_tokens(std::int64_t revision);
  [[nodiscard]] bool is_listed(std::string_view hash) const;
  /// Refuses what must be a wrong token, and what may be one while too many are tried.
  [[nodiscard]] Status check_guess(std::string_view hash, std::string_view peer) const;
  void note_guess(const Error& error, std::string_view peer);
  [[nodiscard]] bool is_valid(const plugins::TokenRecord& token) const;
  [[nodiscard]] Result<Admission> judge(const KnownToken& known, bool count);
  [[nodiscard]] Status reachable() const;
  /// Nothing unless it lives.
  [[nodiscard]] std::optional<SessionText> live_session(const Principal& principal,
                                                        std::string_view session) const;
  [[nodiscard]] KnownToken known_by_id(std::string_view token) const;
  /// A day's money of a token and of one of its projects.
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
  std::uint32_t lookups_ = 0;  ///< of tokens that are not listed, since then
  TokenList tokens_;
  bool lists_tokens_ = true;  ///< the store can
  Guesses guesses_;
  std::string warned_;
  Clock::Steady forgot_;
};

}  // namespace quarry::access
