#pragma once

#include "store_sql/connection.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace quarry::store_sql {

/// A scripted failure of one connection: the step that fails, and the state after it.
struct ScriptedFault {
  std::string failing;  ///< "begin", "commit", the beginning of a statement; empty = nothing
  Connection::State state = Connection::State::kUsable;
  int times = 1;  ///< number of failures before it succeeds
};

/// A database that only records its operations. Any thread.
class FakeDatabase final : public Database {
 public:
  /// Failures of the connections, in the order they are opened; further connections do not fail.
  std::deque<ScriptedFault> faults;
  std::optional<Failure> refusal;  ///< if set, the failure of every connect
  Outcome<bool> was_committed = false;

  [[nodiscard]] Dialect dialect() const override { return {"NUMBER", "HAS SCHEMA", ""}; }
  [[nodiscard]] std::string name() const override { return "fake"; }
  Outcome<std::unique_ptr<Connection>> connect(const Call&) override;
  Outcome<bool> committed(Connection&, const std::string& transaction) override {
    note("committed " + transaction + "?");
    return was_committed;
  }

  /// The recorded operations, one word each.
  [[nodiscard]] std::vector<std::string> steps() const {
    const std::lock_guard lock(mutex_);
    return steps_;
  }
  [[nodiscard]] int most_at_once() const {
    const std::lock_guard lock(mutex_);
    return most_;
  }
  void note(std::string step) {
    const std::lock_guard lock(mutex_);
    steps_.push_back(std::move(step));
  }
  void count(int by) {
    const std::lock_guard lock(mutex_);
    open_ += by;
    most_ = std::max(most_, open_);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> steps_;
  int open_ = 0;
  int most_ = 0;
};

class FakeConnection final : public Connection {
 public:
  FakeConnection(FakeDatabase& database, ScriptedFault fault)
      : database_(database), scripted_(std::move(fault)) {
    database_.count(1);
  }
  ~FakeConnection() override { database_.count(-1); }

  using Connection::each;
  void work_for(const Call&) override {}
  Outcome<std::int64_t> each(std::string_view sql, std::span<const Value>, const Visit&) override {
    auto done = step(std::string(sql));
    if (!done) return done.failure();
    return std::int64_t{1};
  }
  Outcome<Done> begin(Durability durability) override {
    return step(durability == Durability::kNow ? "begin" : "begin soon");
  }
  Outcome<Done> commit() override { return step("commit"); }
  void rollback() override { database_.note("rollback"); }
  [[nodiscard]] State state() const override { return state_; }
  [[nodiscard]] std::string transaction() const override { return "T"; }

 private:
  Outcome<Done> step(const std::string& name) {
    database_.note(name);
    state_ = State::kUsable;
    if (scripted_.failing.empty() || !name.starts_with(scripted_.failing) || scripted_.times == 0) {
      return Done{};
    }
    --scripted_.times;
    state_ = scripted_.state;
    return Failure{QUARRY_UNAVAILABLE, "scripted", {}, {}};
  }

  FakeDatabase& database_;
  ScriptedFault scripted_;
  State state_ = State::kUsable;
};

inline Outcome<std::unique_ptr<Connection>> FakeDatabase::connect(const Call&) {
  note("connect");
  if (refusal) return *refusal;
  ScriptedFault fault;
  {
    const std::lock_guard lock(mutex_);
    if (!faults.empty()) {
      fault = faults.front();
      faults.pop_front();
    }
  }
  return std::unique_ptr<Connection>(std::make_unique<FakeConnection>(*this, fault));
}

}  // namespace quarry::store_sql
