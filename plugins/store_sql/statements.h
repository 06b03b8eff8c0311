#pragma once

#include "store_sql/connection.h"
#include "store_sql/transactions.h"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace quarry::store_sql {

/// Rows written by one statement, at most.
inline constexpr std::size_t kRowsAtOnce = 100;

/// "($1, $2), ($3, $4)": the placeholders after VALUES.
std::string places(std::size_t rows, std::size_t columns);

/// The statements of one transaction. The first failure is kept; later statements are not run and
/// return 0.
class Statements {
 public:
  explicit Statements(Connection& connection) : connection_(connection) {}

  std::int64_t each(std::string_view sql, std::initializer_list<Value> values,
                    const Connection::Visit& visit) {
    return keep([&] { return connection_.each(sql, values, visit); });
  }
  std::int64_t run(std::string_view sql, std::span<const Value> values) {
    return keep([&] { return connection_.run(sql, values); });
  }
  std::int64_t run(std::string_view sql, std::initializer_list<Value> values = {}) {
    return run(sql, std::span(values.begin(), values.size()));
  }
  /// Locks out other transactions that change projects, tokens or resources, until this one ends.
  /// If it is committed, every host sees a new revision.
  void change() { run("UPDATE revision SET number = number + 1"); }

  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  [[nodiscard]] Outcome<Result> result(Json answer, bool keep_it = true) const {
    if (failure_) return *failure_;
    return Result{std::move(answer), keep_it};
  }

 private:
  template <class Step>
  std::int64_t keep(const Step& step) {
    if (failure_) return 0;
    const auto done = step();
    if (done) return *done;
    failure_ = done.failure();
    return 0;
  }

  Connection& connection_;
  std::optional<Failure> failure_;
};

/// Inserts rows, at most kRowsAtOnce with a statement. `into`: table and columns, "audit (recorded,
/// entry)". `values`: those of all rows, one row after the other. `on_conflict`: the statement's
/// end; empty = a conflict is a failure.
void insert_rows(Statements& sql, std::string_view into, std::span<const Value> values,
                 std::string_view on_conflict = {});

}  // namespace quarry::store_sql
