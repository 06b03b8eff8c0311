#include "store_sql/transactions.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

namespace quarry::store_sql {
namespace {

using State = Connection::State;

constexpr int kMostConflicts = 20;
constexpr int kMostLost = 3;
constexpr std::chrono::milliseconds kLongestPause{50};

/// Waits for a random time, longer after more conflicts.
void pause_after(int conflicts) {
  thread_local std::minstd_rand random(std::random_device{}());
  const auto most = std::min<std::int64_t>(1LL << std::min(conflicts, 6), kLongestPause.count());
  std::this_thread::sleep_for(
      std::chrono::milliseconds(std::uniform_int_distribution<std::int64_t>(1, most)(random)));
}

/// `answer` is set before the commit.
Outcome<Json> attempt_write(Connection& connection, Durability durability,
                            const Transactions::Work& work, Json& answer) {
  if (auto begun = connection.begin(durability); !begun) {
    connection.rollback();  // the server may have begun it
    return begun.failure();
  }
  auto done = work(connection);
  if (!done || !done->keep) {
    connection.rollback();
    if (!done) return done.failure();
    return std::move((*done).answer);
  }
  answer = std::move((*done).answer);
  if (auto committed = connection.commit(); !committed) {
    connection.rollback();
    return committed.failure();
  }
  return answer;
}

Failure not_known(const Failure& cause) {
  return {QUARRY_UNAVAILABLE,
          cause.message + "; it is not known whether the change was made",
          "Check if it was made, and try again if not.",
          {}};
}

}  // namespace

Outcome<Json> Transactions::read(const Call& call, const Work& work) {
  const Attempt attempt = [&](Connection& connection) -> Outcome<Json> {
    auto done = work(connection);
    if (!done) return done.failure();
    return std::move((*done).answer);
  };
  return repeat(call, attempt, {});
}

Outcome<Json> Transactions::write(const Call& call, Durability durability, const Work& work) {
  Json answer;
  const Attempt attempt = [&](Connection& connection) {
    return attempt_write(connection, durability, work, answer);
  };
  return repeat(call, attempt, answer);
}

Outcome<Json> Transactions::repeat(const Call& call, const Attempt& attempt, const Json& answer) {
  for (int conflicts = 0, lost = 0;;) {
    auto lease = pool_.take(call);
    if (!lease) return lease.failure();
    auto done = attempt(**lease);
    if (done) return done;
    const State state = (*lease)->state();
    const std::string transaction = (*lease)->transaction();
    (*lease).reset();
    const bool again = state != State::kUsable && !call.over();
    if (!again && state != State::kUnknown) return done;
    if (state == State::kConflict) {
      if (++conflicts == kMostConflicts) return done;
      pause_after(conflicts);
      continue;
    }
    pool_.close_idle();
    if (state == State::kUnknown) {
      const auto committed = was_committed(call, transaction);
      if (!committed) return not_known(done.failure());
      if (*committed) return answer;
    }
    if (++lost == kMostLost) return done;
  }
}

Outcome<bool> Transactions::was_committed(const Call& call, const std::string& transaction) {
  auto lease = pool_.take(call);
  if (!lease) return lease.failure();
  return database_.committed(**lease, transaction);
}

}  // namespace quarry::store_sql
