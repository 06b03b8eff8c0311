#pragma once

#include "base/hash.h"
#include "base/text.h"
#include "plugins/store.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <type_traits>

namespace quarry::plugins {

/// An in-memory store for tests of its users. Hosts that share it are hosts of one cloud surface.
/// Fulfils the contract of quarry/draft/store.h. [any]
class FakeStore : public Store {
 public:
  /// Makes every function fail with `error`; empty ends this.
  void fail_with(std::optional<Error> error) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(error);
  }
  /// Makes token_hashes unsupported, as in older stores.
  void tell_no_hashes() {
    const std::lock_guard lock(mutex_);
    tells_hashes_ = false;
  }
  /// Number of function calls, failed ones included.
  [[nodiscard]] std::int64_t calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

  Result<std::int64_t> open(const services::Call& call) override {
    return turn<std::int64_t>(call, [] { return std::int64_t{1}; });
  }
  Result<std::string> key(const services::Call& call, std::string_view name) override {
    return turn<std::string>(call, [&] { return sha256_hex("key " + std::string(name)); });
  }

  Result<bool> create_project(const services::Call& call, const ProjectRecord& project) override {
    return turn<bool>(call, [&] {
      return changed(
          projects_.try_emplace(to_lower(project.name), Project{project, {}, {}}).second);
    });
  }
  Result<std::vector<ProjectRecord>> projects(const services::Call& call) override {
    return turn<std::vector<ProjectRecord>>(call, [&] {
      std::vector<ProjectRecord> all;
      for (const auto& [key, project] : projects_) all.push_back(project.record);
      return all;
    });
  }
  Result<bool> remove_project(const services::Call& call, std::string_view name,
                              Clock::Wall at) override {
    return turn<bool>(call, [&] {
      const std::string key = to_lower(name);
      if (projects_.erase(key) == 0) return false;
      for (Token& token : tokens_) {
        const bool had = std::erase(token.projects, key) != 0;
        if (had && token.projects.empty() && !token.record.revoked) token.record.revoked = at;
      }
      return changed(true);
    });
  }

  Result<bool> create_token(const services::Call& call, const TokenRecord& record,
                            std::string_view hash) override {
    return turn<bool>(call, [&] {
      if (std::ranges::count(tokens_, hash, &Token::hash) != 0) return true;
      Token token{record, std::string(hash), {}};
      for (const auto& name : record.projects) {
        if (!projects_.contains(to_lower(name))) return false;
        token.projects.push_back(to_lower(name));
      }
      tokens_.push_back(std::move(token));
      return changed(true);
    });
  }
  Result<std::vector<TokenRecord>> tokens(const services::Call& call,
                                          std::string_view project) override {
    return turn<std::vector<TokenRecord>>(call, [&] {
      std::vector<TokenRecord> out;
      for (const Token& token : tokens_) {
        const bool of_it = std::ranges::count(token.projects, to_lower(project)) != 0;
        if (project.empty() || of_it) out.push_back(told(token));
      }
      std::ranges::stable_sort(out, {}, &TokenRecord::created);
      return out;
    });
  }
  Result<std::optional<FoundToken>> find_token(const services::Call& call,
                                               std::string_view hash) override {
    return turn<std::optional<FoundToken>>(call, [&]() -> std::optional<FoundToken> {
      const auto token = std::ranges::find(tokens_, hash, &Token::hash);
      if (token == tokens_.end()) return std::nullopt;
      FoundToken found{told(*token), {}};
      for (const auto& key : token->projects) found.projects.push_back(projects_.at(key).record);
      return found;
    });
  }
  Result<TokenHashes> token_hashes(const services::Call& call, std::optional<std::int64_t> known,
                                   std::int64_t most) override {
    return turn<TokenHashes>(call, [&]() -> Result<TokenHashes> {
      if (!tells_hashes_) return Error(Code::kUnsupported, "this store is an old one");
      std::vector<std::string> hashes;
      for (const Token& token : tokens_) {
        if (!token.record.revoked) hashes.push_back(token.hash);
      }
      const auto valid = static_cast<std::int64_t>(hashes.size());
      const auto state = 2 * static_cast<std::int64_t>(tokens_.size()) - valid;
      if (known == state || valid > most) return TokenHashes{state, std::nullopt};
      return TokenHashes{state, std::move(hashes)};
    });
  }
  Result<bool> revoke_token(const services::Call& call, std::string_view id,
                            Clock::Wall at) override {
    return turn<bool>(call, [&] {
      for (Token& token : tokens_) {
        if (token.record.id != id) continue;
        if (!token.record.revoked) {
          token.record.revoked = at;
          ++revision_;
        }
        return true;
      }
      return false;
    });
  }

  Result<std::optional<std::vector<Json>>> resources(const services::Call& call,
                                                     std::string_view project) override {
    return turn<std::optional<std::vector<Json>>>(call, [&]() -> std::optional<std::vector<Json>> {
      const auto found = projects_.find(to_lower(project));
      if (found == projects_.end()) return std::nullopt;
      return found->second.resources;
    });
  }
  Result<AddedResource> add_resource(const services::Call& call, std::string_view project,
                                     const Json& resource, std::uint32_t most) override {
    return turn<AddedResource>(call, [&]() -> AddedResource {
      using Outcome = AddedResource::Outcome;
      const auto found = projects_.find(to_lower(project));
      if (found == projects_.end()) return {Outcome::kNoProject, {}};
      auto& resources = found->second.resources;
      const auto same = std::ranges::find(resources, key_of(resource), key_of);
      if (same != resources.end()) return {Outcome::kNameTaken, *same};
      if (resources.size() >= most) return {Outcome::kFull, {}};
      resources.push_back(resource);
      changed(true);
      return {};
    });
  }
  Result<bool> remove_resource(const services::Call& call, std::string_view project,
                               std::string_view name) override {
    return turn<bool>(call, [&] {
      const auto found = projects_.find(to_lower(project));
      if (found == projects_.end()) return false;
      const auto named = [&](const Json& resource) { return key_of(resource) == to_lower(name); };
      return changed(std::erase_if(found->second.resources, named) != 0);
    });
  }

  Result<bool> set_secret(const services::Call& call, const SecretRecord& secret) override {
    return turn<bool>(call, [&] {
      const auto found = projects_.find(to_lower(secret.project));
      if (found == projects_.end()) return false;
      found->second.secrets[{to_lower(secret.resource), secret.member}] = secret;
      return changed(true);
    });
  }
  Result<std::vector<SecretRecord>> secrets(const services::Call& call,
                                            std::string_view project) override {
    return turn<std::vector<SecretRecord>>(call, [&] {
      std::vector<SecretRecord> out;
      const auto found = projects_.find(to_lower(project));
      if (found == projects_.end()) return out;
      for (const auto& [key, secret] : found->second.secrets) out.push_back(secret);
      return out;
    });
  }
  Result<bool> remove_secret(const services::Call& call, std::string_view project,
                             std::string_view resource, std::string_view member) override {
    return turn<bool>(call, [&] {
      const auto found = projects_.find(to_lower(project));
      if (found == projects_.end()) return false;
      return changed(found->second.secrets.erase({to_lower(resource), std::string(member)}) != 0);
    });
  }

  Result<SharedActivity> exchange(const services::Call& call,
                                  const HostActivity& activity) override {
    return turn<SharedActivity>(call, [&] {
      for (const auto& [token, count, window] : activity.requests) {
        requests_[{window, token}] += count;
      }
      hosts_[activity.host] = activity;
      return seen_by(activity);
    });
  }
  Result<Reserved> reserve(const services::Call& call, const Reservation& wanted) override {
    return turn<Reserved>(call, [&]() -> Reserved {
      if (reservations_.contains(wanted.id)) return {};
      const Money of_token = spent(&Reservation::token, wanted);
      if (wanted.token_limit && of_token + wanted.amount > *wanted.token_limit) {
        return {Reserved::Outcome::kOverToken, of_token, aside(&Reservation::token, wanted)};
      }
      const Money of_project = spent(&Reservation::project, wanted);
      if (wanted.project_limit && of_project + wanted.amount > *wanted.project_limit) {
        return {Reserved::Outcome::kOverProject, of_project, aside(&Reservation::project, wanted)};
      }
      reservations_[wanted.id] = {wanted, false};
      return {};
    });
  }
  Status settle(const services::Call& call, std::string_view id, Money spent) override {
    return turn<void>(call, [&] {
      const auto found = reservations_.find(id);
      if (found == reservations_.end() || found->second.settled) return;
      found->second.reservation.amount = spent;
      found->second.settled = true;
    });
  }
  Status end_session(const services::Call& call, std::string_view id,
                     Clock::Wall expires) override {
    return turn<void>(call, [&] { ended_sessions_[std::string(id)] = expires; });
  }

  Status record(const services::Call& call, const std::vector<AuditEntry>& entries,
                bool /*once*/) override {
    return turn<void>(call, [&] { audit_.insert(audit_.end(), entries.begin(), entries.end()); });
  }
  Result<std::vector<AuditEntry>> audit(const services::Call& call,
                                        const AuditWanted& wanted) override {
    return turn<std::vector<AuditEntry>>(call, [&] {
      std::vector<AuditEntry> out(audit_.rbegin(), audit_.rend());
      std::erase_if(out, [&](const AuditEntry& entry) {
        const bool of_project =
            wanted.project.empty() || to_lower(entry.project) == to_lower(wanted.project);
        return !of_project || entry.at < wanted.since ||
               (wanted.until && entry.at >= *wanted.until);
      });
      std::ranges::stable_sort(out, std::ranges::greater{}, &AuditEntry::at);
      out.resize(std::min<std::size_t>(out.size(), wanted.most));
      return out;
    });
  }
  Result<std::int64_t> forget(const services::Call& call, Clock::Wall before) override {
    return turn<std::int64_t>(call, [&] {
      const auto old = [&](const AuditEntry& entry) { return entry.at < before; };
      std::size_t gone = std::erase_if(audit_, old);
      gone += std::erase_if(requests_, [&](const auto& count) {
        return Clock::Wall(std::chrono::minutes(count.first.first)) + std::chrono::minutes(1) <=
               before;
      });
      gone += std::erase_if(ended_sessions_, [&](const auto& it) { return it.second < before; });
      gone += std::erase_if(reservations_, [&](const auto& it) {
        const auto& [reservation, settled] = it.second;
        const bool open = !settled && reservation.expires >= before;
        return !open && Clock::Wall(std::chrono::days(reservation.day + 1)) <= before;
      });
      return static_cast<std::int64_t>(gone);
    });
  }

  // It is no store that can be backed up.
  Result<StoreSchema> schema(const services::Call&) override { return no_dump(); }
  Result<Json> dump(const services::Call&) override { return no_dump(); }
  Status load(const services::Call&, const Json&) override { return no_dump(); }

 private:
  static Error no_dump() { return {Code::kUnsupported, "this store cannot be backed up"}; }

  struct Project {
    ProjectRecord record;
    std::vector<Json> resources;
    std::map<std::pair<std::string, std::string>, SecretRecord> secrets;
  };
  struct Token {
    TokenRecord record;
    std::string hash;
    std::vector<std::string> projects;  ///< keys of the remaining projects
  };
  struct KeptReservation {
    Reservation reservation;
    bool settled = false;
  };

  /// Runs one function at a time, or fails if set to.
  template <class T, class Body>
  Result<T> turn(const services::Call& call, const Body& body) {
    const std::lock_guard lock(mutex_);
    ++calls_;
    if (call.stop.stop_requested()) return Error(Code::kCancelled, "cancelled");
    if (failure_) return *failure_;
    if constexpr (std::is_void_v<T>) {
      body();
      return {};
    } else {
      return body();
    }
  }
  bool changed(bool change) {
    revision_ += change ? 1 : 0;
    return change;
  }
  static std::string key_of(const Json& resource) {
    return to_lower(resource.at("name").get<std::string>());
  }
  /// A token as reported: with the original names of its projects.
  [[nodiscard]] TokenRecord told(const Token& token) const {
    TokenRecord out = token.record;
    out.projects.clear();
    for (const auto& key : token.projects) out.projects.push_back(projects_.at(key).record.name);
    return out;
  }
  [[nodiscard]] SharedActivity seen_by(const HostActivity& activity) const {
    SharedActivity out{revision_, {}, {}, {}};
    for (const auto& [key, count] : requests_) {
      if (key.first == activity.window || key.first == activity.window - 1) {
        out.requests.push_back({key.second, count, key.first});
      }
    }
    std::map<std::string, std::uint32_t> streams;
    for (const auto& [host, last] : hosts_) {
      if (host == activity.host || last.at < activity.at - std::chrono::seconds(5)) continue;
      for (const auto& stream : last.streams) streams[stream.token] += stream.count;
    }
    for (const auto& [token, count] : streams) out.streams.push_back({token, count, 0});
    for (const auto& [id, expires] : ended_sessions_) {
      if (expires > activity.at) out.ended_sessions.push_back(id);
    }
    return out;
  }
  /// Money spent and reserved on the day of `wanted` by its token or in its project.
  [[nodiscard]] Money spent(std::string Reservation::*whose, const Reservation& wanted) const {
    Money sum;
    for (const auto& [id, kept] : reservations_) {
      const bool same_day = kept.reservation.day == wanted.day;
      if (same_day && to_lower(kept.reservation.*whose) == to_lower(wanted.*whose)) {
        sum = sum + kept.reservation.amount;
      }
    }
    return sum;
  }

  /// The part of it that is reserved, neither settled nor expired.
  [[nodiscard]] Money aside(std::string Reservation::*whose, const Reservation& wanted) const {
    Money sum;
    for (const auto& [id, kept] : reservations_) {
      const bool open = !kept.settled && kept.reservation.expires > wanted.at;
      const bool same = kept.reservation.day == wanted.day &&
                        to_lower(kept.reservation.*whose) == to_lower(wanted.*whose);
      if (open && same) sum = sum + kept.reservation.amount;
    }
    return sum;
  }

  mutable std::mutex mutex_;
  std::optional<Error> failure_;
  std::int64_t calls_ = 0;
  bool tells_hashes_ = true;
  std::int64_t revision_ = 1;
  std::map<std::string, Project> projects_;  ///< by name in lower case
  std::vector<Token> tokens_;                ///< in order of creation
  std::map<std::pair<std::int64_t, std::string>, std::uint32_t> requests_;  ///< by window and token
  std::map<std::string, HostActivity> hosts_;
  std::map<std::string, KeptReservation, std::less<>> reservations_;
  std::map<std::string, Clock::Wall> ended_sessions_;
  std::vector<AuditEntry> audit_;
};

}  // namespace quarry::plugins
