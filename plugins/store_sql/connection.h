#pragma once

#include <quarry/host.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace quarry::store_sql {

/// Parameter `$1`, `$2`, … of a statement. Texts must outlive the statement's run.
using Value = std::variant<std::nullptr_t, std::int64_t, std::string_view>;

inline Value value_of(const std::optional<std::int64_t>& number) {
  return number ? Value(*number) : Value(nullptr);
}

/// Interval of checks if a call is over, since its end sends no notification.
inline constexpr std::chrono::milliseconds kCallCheckInterval{20};

/// The current row of a statement. Columns count from 0.
class Row {
 public:
  virtual ~Row() = default;
  [[nodiscard]] virtual bool null(int column) const = 0;
  [[nodiscard]] virtual std::int64_t integer(int column) const = 0;  ///< 0 for NULL
  [[nodiscard]] virtual std::string text(int column) const = 0;      ///< empty for NULL
  [[nodiscard]] std::optional<std::int64_t> maybe(int column) const {
    return null(column) ? std::nullopt : std::optional(integer(column));
  }
};

/// Success without a value.
struct Done {};

/// Durability of a commit, which always survives the end of any program.
enum class Durability {
  kNow,   ///< survives a loss of power
  kSoon,  ///< survives a loss of power a second later; faster, for data that may be lost
};

/// One connection to a database. One thread at a time. Statements use the SQL that SQLite and
/// PostgreSQL share; failures have a hint for the user.
class Connection {
 public:
  /// State of the connection after a failure.
  enum class State {
    kUsable,    ///< the failure is final, the connection can be used
    kConflict,  ///< conflict with another transaction: this one can be retried
    kLost,      ///< the connection broke before the commit: retry on another one
    kUnknown,   ///< the connection broke during the commit
  };
  using Visit = std::function<void(const Row&)>;

  virtual ~Connection() = default;

  /// From now on the connection works for this call: its operations end soon after the call is
  /// over.
  virtual void work_for(const Call& call) = 0;
  /// Runs one statement and visits every row of its result; returns the number of rows changed or
  /// found.
  virtual Outcome<std::int64_t> each(std::string_view sql, std::span<const Value> values,
                                     const Visit& visit) = 0;
  /// Begins a transaction that writes; its statements see everything committed before. rollback()
  /// must follow even if this fails.
  virtual Outcome<Done> begin(Durability durability) = 0;
  virtual Outcome<Done> commit() = 0;
  /// Rolls back the transaction, if there is one. A connection that cannot is lost.
  virtual void rollback() = 0;
  [[nodiscard]] virtual State state() const = 0;
  /// The name of the transaction whose commit is kUnknown, for Database::committed.
  [[nodiscard]] virtual std::string transaction() const { return {}; }

  Outcome<std::int64_t> each(std::string_view sql, std::initializer_list<Value> values,
                             const Visit& visit) {
    return each(sql, std::span(values.begin(), values.size()), visit);
  }
  Outcome<std::int64_t> run(std::string_view sql, std::span<const Value> values) {
    return each(sql, values, [](const Row&) {});
  }
  Outcome<std::int64_t> run(std::string_view sql, std::initializer_list<Value> values = {}) {
    return run(sql, std::span(values.begin(), values.size()));
  }
};

/// Differences between the two databases.
struct Dialect {
  std::string_view identity;    ///< type of a column that numbers its rows
  std::string_view has_schema;  ///< selects the number of tables quarry_schema, 0 or 1
  std::string_view lock;        ///< blocks other migrations until the commit; may be empty
};

/// A database to connect to. Any thread.
class Database {
 public:
  virtual ~Database() = default;
  [[nodiscard]] virtual Dialect dialect() const = 0;
  /// Its name, for messages; contains no secret.
  [[nodiscard]] virtual std::string name() const = 0;
  /// False if connect() would create it.
  [[nodiscard]] virtual bool exists() const { return true; }
  virtual Outcome<std::unique_ptr<Connection>> connect(const Call& call) = 0;
  /// True if a transaction was committed whose connection broke during the commit; asks over
  /// another connection.
  virtual Outcome<bool> committed(Connection&, const std::string& /*transaction*/) { return false; }
};

}  // namespace quarry::store_sql
