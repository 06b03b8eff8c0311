#pragma once

#include "base/clock.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/json.h"
#include "services/call.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::plugins {

struct ProjectRecord {
  std::string name;
  Clock::Wall created;
  std::optional<Money> usd_per_day;
};

struct TokenLimits {
  std::optional<std::uint32_t> requests_per_minute = {};
  std::optional<std::uint32_t> streams = {};  ///< at once
  std::optional<Money> usd_per_day = {};
};

/// Record of a token, without the token itself, which only its bearer knows.
struct TokenRecord {
  std::string id;
  std::vector<std::string> projects;  ///< at least one; the first is its default
  std::vector<std::string> rights;    ///< of "add", "ask", "list", "metrics"; sorted
  std::string label;
  Clock::Wall created;
  std::optional<Clock::Wall> expires;
  std::optional<Clock::Wall> revoked;
  TokenLimits limits;
};

/// Hashes of the tokens that are not revoked.
struct TokenHashes {
  std::int64_t state = 0;  ///< increases whenever a token is created or revoked
  /// SHA-256 in 64 hexadecimal digits each; empty if the state is the known one or there are too
  /// many.
  std::optional<std::vector<std::string>> hashes;
};

struct FoundToken {
  TokenRecord token;
  std::vector<ProjectRecord> projects;  ///< in the order of `token.projects`
};

/// Outcome of adding a resource to a project.
struct AddedResource {
  enum class Outcome { kAdded, kNameTaken, kFull, kNoProject };
  Outcome outcome = Outcome::kAdded;
  Json existing;  ///< with kNameTaken: the resource of that name
};

/// A secret used to read a resource of a project.
struct SecretRecord {
  std::string id;  ///< unique
  std::string project;
  std::string resource;  ///< its name
  std::string member;    ///< member of the resource that contains the secret's name
  std::string source;    ///< SHA-256 of the source of the resource it was set for
  std::string sealed;    ///< sealed value or reference, unsealed by hosts
  Clock::Wall created;
};

struct TokenCount {
  std::string token;
  std::uint32_t count = 0;
  std::int64_t window = 0;  ///< for requests: number of the minute since 1970
};

/// Activity of this host since its last exchange.
struct HostActivity {
  std::string host;
  Clock::Wall at;
  std::int64_t window = 0;  ///< current one; requests may also be of the previous one
  std::vector<TokenCount> requests;
  std::vector<TokenCount> streams;
};

/// Activity of all hosts.
struct SharedActivity {
  std::int64_t revision = 0;
  std::vector<TokenCount> requests;  ///< of all hosts, in this window and the previous one
  std::vector<TokenCount> streams;   ///< of the other hosts
  std::vector<std::string> ended_sessions;
};

/// Money reserved before it is spent.
struct Reservation {
  std::string id;
  std::string token;
  std::string project;
  std::int64_t day = 0;  ///< number of the UTC day since 1970
  Money amount;
  std::optional<Money> token_limit;
  std::optional<Money> project_limit;
  Clock::Wall at;
  Clock::Wall expires;
};

struct Reserved {
  enum class Outcome { kReserved, kOverToken, kOverProject };
  Outcome outcome = Outcome::kReserved;
  Money spent;       ///< if refused: sum of that day, reservations included
  Money aside = {};  ///< part of it that is reserved for running calls, as far as known
};

/// One call of the cloud surface.
struct AuditEntry {
  Clock::Wall at;
  std::string host;
  std::string request;
  std::string token;
  std::string project;
  std::string method;
  std::string tool;
  int status = 0;  ///< HTTP status
  std::chrono::milliseconds duration{};
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  std::optional<Money> cost;
  bool cancelled = false;
  std::string question;     ///< empty unless the configuration wants it kept
  std::string peer;         ///< IP address; only for requests without a valid token
  std::uint32_t count = 1;  ///< number of identical refused requests it represents
};

struct AuditWanted {
  Clock::Wall since;
  std::optional<Clock::Wall> until;
  std::string project;  ///< empty = all
  std::uint32_t most = 1000;
};

/// Numbers of a store's schema.
struct StoreSchema {
  std::int64_t number = 0;  ///< of the database; 0 = it has none
  std::int64_t newest = 0;  ///< that open() migrates to
};

/// A database shared by the hosts of one cloud surface (quarry/draft/store.h). Every function is
/// [worker] and may block; errors are the store's own.
class Store {
 public:
  virtual ~Store() = default;
  /// Returns the schema number.
  virtual Result<std::int64_t> open(const services::Call& call) = 0;
  /// 32 random bytes as hexadecimal digits, the same for every host.
  virtual Result<std::string> key(const services::Call& call, std::string_view name) = 0;

  /// False if the name exists.
  virtual Result<bool> create_project(const services::Call& call, const ProjectRecord& project) = 0;
  virtual Result<std::vector<ProjectRecord>> projects(const services::Call& call) = 0;
  /// Removes it with its resources and from its tokens; tokens left without a project are revoked.
  virtual Result<bool> remove_project(const services::Call& call, std::string_view name,
                                      Clock::Wall at) = 0;

  /// `hash`: SHA-256 of the token, 64 hexadecimal digits. False if one of its projects does not
  /// exist; true without effect if a token with that hash exists.
  virtual Result<bool> create_token(const services::Call& call, const TokenRecord& token,
                                    std::string_view hash) = 0;
  /// Tokens of one project, or of all if `project` is empty.
  virtual Result<std::vector<TokenRecord>> tokens(const services::Call& call,
                                                  std::string_view project) = 0;
  virtual Result<std::optional<FoundToken>> find_token(const services::Call& call,
                                                       std::string_view hash) = 0;
  /// `known`: state of the previous result. At most `most` hashes. kUnsupported if the store cannot
  /// list them.
  virtual Result<TokenHashes> token_hashes(const services::Call& call,
                                           std::optional<std::int64_t> known,
                                           std::int64_t most) = 0;
  virtual Result<bool> revoke_token(const services::Call& call, std::string_view id,
                                    Clock::Wall at) = 0;

  /// Empty if there is no such project.
  virtual Result<std::optional<std::vector<Json>>> resources(const services::Call& call,
                                                             std::string_view project) = 0;
  virtual Result<AddedResource> add_resource(const services::Call& call, std::string_view project,
                                             const Json& resource, std::uint32_t most) = 0;
  virtual Result<bool> remove_resource(const services::Call& call, std::string_view project,
                                       std::string_view name) = 0;

  /// Replaces the one for the same project, resource and member. False if there is no such project;
  /// kUnsupported if the store keeps no secrets.
  virtual Result<bool> set_secret(const services::Call& call, const SecretRecord& secret) = 0;
  /// Empty if the store keeps no secrets.
  virtual Result<std::vector<SecretRecord>> secrets(const services::Call& call,
                                                    std::string_view project) = 0;
  virtual Result<bool> remove_secret(const services::Call& call, std::string_view project,
                                     std::string_view resource, std::string_view member) = 0;

  virtual Result<SharedActivity> exchange(const services::Call& call,
                                          const HostActivity& activity) = 0;
  virtual Result<Reserved> reserve(const services::Call& call, const Reservation& reservation) = 0;
  virtual Status settle(const services::Call& call, std::string_view id, Money spent) = 0;
  virtual Status end_session(const services::Call& call, std::string_view id,
                             Clock::Wall expires) = 0;

  /// `once`: leaves out entries that are there already; only for stores that can load().
  virtual Status record(const services::Call& call, const std::vector<AuditEntry>& entries,
                        bool once) = 0;
  Status record(const services::Call& call, const std::vector<AuditEntry>& entries) {
    return record(call, entries, false);
  }
  virtual Result<std::vector<AuditEntry>> audit(const services::Call& call,
                                                const AuditWanted& wanted) = 0;
  /// Returns the number of dropped records.
  virtual Result<std::int64_t> forget(const services::Call& call, Clock::Wall before) = 0;

  // For backups; kUnsupported if the store cannot be backed up.
  /// Changes nothing; before open() too.
  virtual Result<StoreSchema> schema(const services::Call& call) = 0;
  /// Everything but audit and activity, at one moment, in the form of quarry/draft/store.h.
  virtual Result<Json> dump(const services::Call& call) = 0;
  /// Replaces all that a dump tells by that of `dump`, from this or another store.
  virtual Status load(const services::Call& call, const Json& dump) = 0;
};

}  // namespace quarry::plugins
