#pragma once

#include "store_sql/connection.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace quarry::store_sql {

/// What happens to one connection: which of its steps fails, and what that leaves behind.
struct Fate {
  std::string failing;  ///< "begin", "commit", the beginning of a statement; empty = nothing
  Connection::State state = Connection::State::kUsable;
  int times = 1;  ///< how often it fails, before it goes well
};

/// A database that keeps nothing but what was asked of it. Any thread.
class FakeDatabase final : public Database {
 public:
  /// Of the connections, in the order they are made; those after it meet with nothing.
  std::deque<Fate> fates;
  std::optional<Failure> refusal;  ///< of every connection, when there is one
  Outcome<bool> was_committed = false;

  [[nodiscard]] Dialect dialect() const override { return {"NUMBER", "HAS SCHEMA", ""}; }
  [[nodiscard]] std::string name() const override { return "fake"; }
  Outcome<std::unique_ptr<Connection>> connect(const Call&) override;
  Outcome<bool> committed(Connection&, const std::string& transaction) override {
    note("committed " + transaction + "?");
    return was_committed;
  }

  /// What was asked, one word a step.
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
  FakeConnection(FakeDatabase& database, Fate fate) : database_(database), fate_(std::move(fate)) {
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
    if (fate_.failing.empty() || !name.starts_with(fate_.failing) || fate_.times == 0) {
      return Done{};
    }
    --fate_.times;
    state_ = fate_.state;
    return Failure{QUARRY_UNAVAILABLE, "fate", {}, {}};
  }

  FakeDatabase& database_;
  Fate fate_;
  State state_ = State::kUsable;
};

inline Outcome<std::unique_ptr<Connection>> FakeDatabase::connect(const Call&) {
  note("connect");
  if (refusal) return *refusal;
  Fate fate;
  {
    const std::lock_guard lock(mutex_);
    if (!fates.empty()) {
      fate = fates.front();
      fates.pop_front();
    }
  }
  return std::unique_ptr<Connection>(std::make_unique<FakeConnection>(*this, fate));
}

}  // namespace quarry::store_sql
