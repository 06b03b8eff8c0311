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

/// A connection to a PostgreSQL server. Every wait ends when the call is over, except that for the
/// result of a commit.
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

  Outcome<store_sql::Done> finish_connecting();
  /// Waits until the socket is readable or, with `writing`, writable; at most until `latest` and,
  /// with `for_call`, until the call is over.
  Waited wait(bool writing, bool for_call, Steady::time_point latest) const;
  /// The last result of the sent statements. A `limit` applies instead of the call.
  Outcome<Answer> receive(std::chrono::milliseconds limit = {});
  /// Runs a prepared statement, and prepares it on its first use.
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
  int names_ = 0;  ///< names used, also for cancelled statements, which the server may know
};

}  // namespace quarry::store_postgresql
