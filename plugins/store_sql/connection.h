#pragma once

#include <quarry/host.hpp>

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

/// What stands for `$1`, `$2`, … of a statement. Texts must outlive the statement's run.
using Value = std::variant<std::nullptr_t, std::int64_t, std::string_view>;

inline Value value_of(const std::optional<std::int64_t>& number) {
  return number ? Value(*number) : Value(nullptr);
}

/// The row a statement is at. Columns count from 0.
class Row {
 public:
  virtual ~Row() = default;
  [[nodiscard]] virtual bool null(int column) const = 0;
  [[nodiscard]] virtual std::int64_t integer(int column) const = 0;  ///< of NULL: 0
  [[nodiscard]] virtual std::string text(int column) const = 0;      ///< of NULL: empty
  [[nodiscard]] std::optional<std::int64_t> maybe(int column) const {
    return null(column) ? std::nullopt : std::optional(integer(column));
  }
};

/// Nothing more to say than that it was done.
struct Done {};

/// What a commit outlives, besides the end of any program.
enum class Durability {
  kNow,   ///< a loss of power
  kSoon,  ///< a loss of power a second later: for what may be forgotten, and then is quick
};

/// One connection to a database. One thread at a time. Statements are in the words that SQLite and
/// PostgreSQL share; failures say what a user can do.
class Connection {
 public:
  /// What a failure left behind.
  enum class State {
    kUsable,    ///< the failure stands, the connection goes on
    kConflict,  ///< another transaction was in the way: this one can be tried again
    kLost,      ///< the connection broke before it was told to commit: another one can try again
    kUnknown,   ///< it broke while it was told to commit
  };
  using Visit = std::function<void(const Row&)>;

  virtual ~Connection() = default;

  /// From now on it works for this call: whatever it does ends soon once the call is over.
  virtual void work_for(const Call& call) = 0;
  /// Runs one statement and visits every row it answers; gives how many rows it changed or found.
  virtual Outcome<std::int64_t> each(std::string_view sql, std::span<const Value> values,
                                     const Visit& visit) = 0;
  /// Begins a transaction that will write; what others wrote before it is seen by its statements.
  /// When it fails too, rollback() follows.
  virtual Outcome<Done> begin(Durability durability) = 0;
  virtual Outcome<Done> commit() = 0;
  /// Drops what the transaction wrote, if there is one. A connection that cannot is lost.
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

/// Where the two databases say different things.
struct Dialect {
  std::string_view identity;    ///< type of a column that numbers its rows
  std::string_view has_schema;  ///< answers how many tables quarry_schema there are, 0 or 1
  std::string_view lock;        ///< keeps others from migrating until the commit; may be empty
};

/// A database that can be connected to. Any thread.
class Database {
 public:
  virtual ~Database() = default;
  [[nodiscard]] virtual Dialect dialect() const = 0;
  /// Its name, for messages; no secret.
  [[nodiscard]] virtual std::string name() const = 0;
  virtual Outcome<std::unique_ptr<Connection>> connect(const Call& call) = 0;
  /// Whether a transaction, whose connection broke while it was told to commit, has been committed;
  /// asked over another connection.
  virtual Outcome<bool> committed(Connection&, const std::string& /*transaction*/) { return false; }
};

}  // namespace quarry::store_sql
