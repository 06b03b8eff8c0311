#include "store-postgresql/connection.h"

#include "store-postgresql/explain.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <poll.h>
#include <vector>

#include <libpq-fe.h>

namespace quarry::store_postgresql {

using std::chrono::milliseconds;
using store_sql::Done;
using store_sql::Durability;
using store_sql::Value;

/// The values of a statement as text. The server infers their types.
class Parameters {
 public:
  explicit Parameters(std::span<const Value> values) {
    texts_.reserve(values.size());
    for (const Value& value : values) {
      if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        texts_.push_back(std::to_string(*integer));
      } else if (const auto* text = std::get_if<std::string_view>(&value)) {
        texts_.emplace_back(*text);
      } else {
        texts_.emplace_back();
      }
      const bool null = std::holds_alternative<std::nullptr_t>(value);
      pointers_.push_back(null ? nullptr : texts_.back().c_str());
    }
  }
  [[nodiscard]] const char* const* get() const { return pointers_.data(); }
  [[nodiscard]] int count() const { return static_cast<int>(pointers_.size()); }

 private:
  std::vector<std::string> texts_;
  std::vector<const char*> pointers_;
};

namespace {

constexpr milliseconds kConnectLimit{10'000};
// Timeouts of a commit, and of ending the statement of a call that is over.
constexpr milliseconds kCommitLimit{30'000};
constexpr milliseconds kEndLimit{2'000};
constexpr int kOldestServer = 130'000;  // pg_current_xact_id
// Larger statements are not prepared: they have many rows and come in many lengths. For the others,
// planning takes longer than running.
constexpr std::size_t kMostNamedValues = 12;
constexpr std::size_t kMostNames = 200;

// A host that loses its connection within a transaction does not block the others for long.
constexpr const char* kBegin =
    "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;"
    " SET LOCAL idle_in_transaction_session_timeout = '5s';";
constexpr const char* kSoon = " SET LOCAL synchronous_commit = off;";
constexpr const char* kName = " SELECT pg_current_xact_id()";

/// A row of a complete result.
class PostgresqlRow final : public store_sql::Row {
 public:
  PostgresqlRow(const PGresult* result, int row) : result_(result), row_(row) {}
  [[nodiscard]] bool null(int column) const override {
    return PQgetisnull(result_, row_, column) != 0;
  }
  [[nodiscard]] std::int64_t integer(int column) const override {
    std::int64_t number = 0;
    const char* text = PQgetvalue(result_, row_, column);
    std::from_chars(text, text + PQgetlength(result_, row_, column), number);
    return number;
  }
  [[nodiscard]] std::string text(int column) const override {
    return {PQgetvalue(result_, row_, column),
            static_cast<std::size_t>(PQgetlength(result_, row_, column))};
  }

 private:
  const PGresult* result_;
  int row_;
};

/// Cancels the running statement of this connection on the server.
void stop_statement(PGconn* connection) {
  PGcancel* cancel = PQgetCancel(connection);
  if (cancel == nullptr) return;
  std::array<char, 256> ignored{};
  PQcancel(cancel, ignored.data(), static_cast<int>(ignored.size()));
  PQfreeCancel(cancel);
}

/// Starts to connect.
PGconn* start(const std::string& url) {
  struct Parameter {
    const char* key;
    const char* value;
  };
  // Defaults, which the URL may override: a dead server is detected, Kerberos is not used, and a
  // read-only server is refused.
  const Parameter parameters[] = {{"keepalives_idle", "10"},
                                  {"keepalives_interval", "5"},
                                  {"keepalives_count", "3"},
                                  {"tcp_user_timeout", "10000"},
                                  {"gssencmode", "disable"},
                                  {"target_session_attrs", "read-write"},
                                  {"fallback_application_name", "quarry"},
                                  {"dbname", url.c_str()},
                                  {"client_encoding", "UTF8"},
                                  {nullptr, nullptr}};
  std::vector<const char*> keys;
  std::vector<const char*> values;
  for (const auto& [key, value] : parameters) {
    keys.push_back(key);
    values.push_back(value);
  }
  return PQconnectStartParams(keys.data(), values.data(), 1);
}

std::string_view sqlstate_of(const PGresult* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return state == nullptr ? "" : state;
}

}  // namespace

void PostgresqlConnection::Finish::operator()(pg_conn* connection) const {
  PQfinish(connection);
}
void PostgresqlConnection::Clear::operator()(pg_result* result) const {
  PQclear(result);
}

PostgresqlConnection::~PostgresqlConnection() = default;

Outcome<std::unique_ptr<PostgresqlConnection>> PostgresqlConnection::open(const std::string& url,
                                                                          const Call& call) {
  std::unique_ptr<PostgresqlConnection> made(new PostgresqlConnection(call));
  made->connection_.reset(start(url));
  if (made->connection_ == nullptr) {
    return Failure{QUARRY_RESOURCE_EXHAUSTED, "out of memory", {}, {}};
  }
  PQsetNoticeProcessor(
      made->connection_.get(), [](void*, const char*) {}, nullptr);
  if (auto done = made->finish_connecting(); !done) return done.failure();
  if (PQserverVersion(made->connection_.get()) < kOldestServer) {
    return Failure{QUARRY_UNSUPPORTED, "PostgreSQL is older than version 13", "Update it.", {}};
  }
  PQsetnonblocking(made->connection_.get(), 1);
  return made;
}

Outcome<Done> PostgresqlConnection::finish_connecting() {
  PGconn* connection = connection_.get();
  const auto latest = Steady::now() + kConnectLimit;
  for (PostgresPollingStatusType next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK;) {
    if (next == PGRES_POLLING_FAILED || PQstatus(connection) == CONNECTION_BAD) {
      return not_connected(PQerrorMessage(connection));
    }
    const auto waited = wait(next == PGRES_POLLING_WRITING, true, latest);
    if (waited == Waited::kOver) return call_.why();
    if (waited == Waited::kTooLong) return not_connected("the server does not answer");
    next = PQconnectPoll(connection);
  }
  return Done{};
}

PostgresqlConnection::Waited PostgresqlConnection::wait(bool writing, bool for_call,
                                                        Steady::time_point latest) const {
  pollfd socket{PQsocket(connection_.get()),
                static_cast<short>(writing ? POLLIN | POLLOUT : POLLIN), 0};
  for (;;) {
    if (for_call && call_.over()) return Waited::kOver;
    if (Steady::now() >= latest) return Waited::kTooLong;
    const int ready = ::poll(&socket, 1, static_cast<int>(store_sql::kCallCheckInterval.count()));
    if (ready > 0 || (ready < 0 && errno != EINTR)) return Waited::kReady;
  }
}

Failure PostgresqlConnection::lost(std::string_view message) {
  state_ = State::kLost;
  return not_connected(message);
}

/// Cancels the call's statement on the server, so that the connection can be used again.
Failure PostgresqlConnection::over() {
  stop_statement(connection_.get());
  const auto ended = receive(kEndLimit);
  if (!ended && state_ != State::kLost) state_ = State::kUsable;
  return call_.why();
}

Outcome<PostgresqlConnection::Answer> PostgresqlConnection::receive(milliseconds limit) {
  PGconn* connection = connection_.get();
  const bool for_call = limit == milliseconds::zero();
  const auto latest = for_call ? Steady::time_point::max() : Steady::now() + limit;
  Answer last;
  for (;;) {
    int unsent = PQflush(connection);
    while (unsent == 1 || PQisBusy(connection) == 1) {
      const auto waited = wait(unsent == 1, for_call, latest);
      if (waited == Waited::kOver) return over();
      if (waited == Waited::kTooLong) return lost("the server does not answer");
      if (PQconsumeInput(connection) == 0) return lost(PQerrorMessage(connection));
      unsent = PQflush(connection);
    }
    if (unsent < 0) return lost(PQerrorMessage(connection));
    Answer next(PQgetResult(connection));
    if (next == nullptr) break;
    // The first failure of several statements, else the last result.
    if (PQresultStatus(last.get()) != PGRES_FATAL_ERROR || last == nullptr) last = std::move(next);
  }
  return checked(std::move(last));
}

Outcome<PostgresqlConnection::Answer> PostgresqlConnection::checked(Answer answer) {
  const auto status = PQresultStatus(answer.get());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return answer;
  if (answer == nullptr || PQstatus(connection_.get()) == CONNECTION_BAD) {
    return lost(PQerrorMessage(connection_.get()));
  }
  const std::string_view sqlstate = sqlstate_of(answer.get());
  if (is_connection_lost(sqlstate)) state_ = State::kLost;
  if (is_conflict(sqlstate)) state_ = State::kConflict;
  const char* message = PQresultErrorField(answer.get(), PG_DIAG_MESSAGE_PRIMARY);
  return explained(sqlstate, message == nullptr ? "no error message" : message);
}

Outcome<PostgresqlConnection::Answer> PostgresqlConnection::simple(const char* sql,
                                                                   milliseconds limit) {
  if (PQsendQuery(connection_.get(), sql) == 0) return lost(PQerrorMessage(connection_.get()));
  return receive(limit);
}

Outcome<PostgresqlConnection::Answer> PostgresqlConnection::run_prepared(
    std::string_view sql, const Parameters& parameters) {
  auto known = prepared_.find(sql);
  if (known == prepared_.end()) {
    const std::string name = "s" + std::to_string(++names_);
    const std::string statement(sql);
    if (PQsendPrepare(connection_.get(), name.c_str(), statement.c_str(), 0, nullptr) == 0) {
      return lost(PQerrorMessage(connection_.get()));
    }
    if (auto made = receive(); !made) return made.failure();
    known = prepared_.emplace(statement, name).first;
  }
  if (PQsendQueryPrepared(connection_.get(), known->second.c_str(), parameters.count(),
                          parameters.get(), nullptr, nullptr, 0) == 0) {
    return lost(PQerrorMessage(connection_.get()));
  }
  return receive();
}

Outcome<PostgresqlConnection::Answer> PostgresqlConnection::run_once(std::string_view sql,
                                                                     const Parameters& parameters) {
  const std::string statement(sql);
  if (PQsendQueryParams(connection_.get(), statement.c_str(), parameters.count(), nullptr,
                        parameters.get(), nullptr, nullptr, 0) == 0) {
    return lost(PQerrorMessage(connection_.get()));
  }
  return receive();
}

Outcome<std::int64_t> PostgresqlConnection::each(std::string_view sql,
                                                 std::span<const Value> values,
                                                 const Visit& visit) {
  state_ = State::kUsable;
  const Parameters parameters(values);
  const bool worth_a_name = values.size() <= kMostNamedValues && prepared_.size() < kMostNames;
  const auto answer = worth_a_name ? run_prepared(sql, parameters) : run_once(sql, parameters);
  if (!answer) return answer.failure();
  const PGresult* result = answer->get();
  for (int row = 0; row < PQntuples(result); ++row) visit(PostgresqlRow(result, row));
  std::int64_t count = 0;
  const std::string_view changed = PQcmdTuples(const_cast<PGresult*>(result));
  std::from_chars(changed.data(), changed.data() + changed.size(), count);
  return count;
}

Outcome<Done> PostgresqlConnection::begin(Durability durability) {
  state_ = State::kUsable;
  const std::string soon = durability == Durability::kSoon ? kSoon : "";
  const auto begun = simple((kBegin + soon + kName).c_str());
  if (!begun) return begun.failure();
  transaction_ = PQgetvalue(begun->get(), 0, 0);
  return Done{};
}

Outcome<Done> PostgresqlConnection::commit() {
  state_ = State::kUsable;
  const auto committed = simple("COMMIT", kCommitLimit);
  if (committed) return Done{};
  if (state_ == State::kLost) state_ = State::kUnknown;
  return committed.failure();
}

void PostgresqlConnection::rollback() {
  const State before = state_;
  const bool none = PQtransactionStatus(connection_.get()) == PQTRANS_IDLE;
  if (none || before == State::kLost || before == State::kUnknown) return;
  const auto done = simple("ROLLBACK", kEndLimit);
  state_ = done ? before : State::kLost;
}

}  // namespace quarry::store_postgresql
