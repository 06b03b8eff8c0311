#pragma once

#include "store_sql/connection.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

struct pg_conn;
struct pg_result;

namespace quarry::store_postgresql {

class Parameters;

/// A connection to a PostgreSQL server. Whatever it waits for, it waits no longer than the call is
/// wanted, but for a commit: that one it must hear of.
class PostgresqlConnection final : public store_sql::Connection {
 public:
  static Outcome<std::unique_ptr<PostgresqlConnection>> open(const std::string& url,
                                                             const Call& call);
  ~PostgresqlConnection() override;

  using Connection::each;
  void work_for(const Call& call) override { call_ = call; }
  Outcome<std::int64_t> each(std::string_view sql, std::span<const store_sql::Value> values,
                             const Visit& visit) override;
  Outcome<store_sql::Done> begin(store_sql::Durability durability) override;
  Outcome<store_sql::Done> commit() override;
  void rollback() override;
  [[nodiscard]] State state() const override { return state_; }
  [[nodiscard]] std::string transaction() const override { return transaction_; }

 private:
  using Steady = std::chrono::steady_clock;
  struct Finish {
    void operator()(pg_conn* connection) const;
  };
  struct Clear {
    void operator()(pg_result* result) const;
  };
  using Answer = std::unique_ptr<pg_result, Clear>;
  enum class Waited { kReady, kOver, kTooLong };

  explicit PostgresqlConnection(const Call& call) : call_(call) {}

  Outcome<store_sql::Done> shake_hands();
  /// Waits until the socket can be read, or also written, for the call (when it counts) and until
  /// `latest`.
  Waited wait(bool writing, bool for_call, Steady::time_point latest) const;
  /// What the statement that was sent answered last. `limit` counts instead of the call when there
  /// is one.
  Outcome<Answer> receive(std::chrono::milliseconds limit = {});
  /// Sends a statement that is known to the server, by its name.
  Outcome<Answer> run_prepared(std::string_view sql, const Parameters& parameters);
  Outcome<Answer> run_once(std::string_view sql, const Parameters& parameters);
  Outcome<Answer> simple(const char* sql, std::chrono::milliseconds limit = {});
  Outcome<Answer> checked(Answer answer);
  Failure over();
  Failure lost(std::string_view message);

  Call call_;
  State state_ = State::kUsable;
  std::string transaction_;
  std::unique_ptr<pg_conn, Finish> connection_;
  std::map<std::string, std::string, std::less<>> prepared_;  ///< names of statements
  int names_ = 0;  ///< given, also to what was cancelled when the server knew it already
};

}  // namespace quarry::store_postgresql
