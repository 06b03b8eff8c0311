#include "store_sql/spending.h"

#include "store_sql/money.h"
#include "store_sql/statements.h"

#include <algorithm>

namespace quarry::store_sql {
namespace {

/// The budget of a token or project, and its limit.
struct LimitedBudget {
  const char* scope;
  std::string name;
  std::int64_t limit;
};

bool reserve_amount(Statements& sql, const Reservation& wanted, const LimitedBudget& budget) {
  if (wanted.nanos > budget.limit) return false;
  return sql.run(
             "INSERT INTO spending (day, scope, name, nanos) VALUES ($1, $2, $3, $4)"
             " ON CONFLICT (day, scope, name)"
             " DO UPDATE SET nanos = spending.nanos + excluded.nanos WHERE spending.nanos <= $5",
             {wanted.day, budget.scope, budget.name, wanted.nanos, budget.limit - wanted.nanos}) !=
         0;
}

std::int64_t spent(Statements& sql, std::int64_t day, const LimitedBudget& budget) {
  std::int64_t nanos = 0;
  sql.each("SELECT nanos FROM spending WHERE day = $1 AND scope = $2 AND name = $3",
           {day, budget.scope, budget.name}, [&](const Row& row) { nanos = row.integer(0); });
  return nanos;
}

/// Amount of the other reservations that are neither settled nor expired.
std::int64_t reserved_by_others(Statements& sql, const Reservation& wanted,
                                const LimitedBudget& budget) {
  const bool of_token = budget.scope == std::string_view(kTokenScope);
  std::int64_t nanos = 0;
  sql.each(of_token ? "SELECT CAST(SUM(nanos) AS BIGINT) FROM reservations WHERE day = $1"
                      " AND token = $2 AND settled IS NULL AND expires > $3 AND id <> $4"
                    : "SELECT CAST(SUM(nanos) AS BIGINT) FROM reservations WHERE day = $1"
                      " AND project = $2 AND settled IS NULL AND expires > $3 AND id <> $4",
           {wanted.day, budget.name, wanted.at, wanted.id},
           [&](const Row& row) { nanos = row.integer(0); });
  return nanos;
}

/// Changes the spent amount by `by`, at most to kMost.
void correct(Statements& sql, std::int64_t day, const LimitedBudget& budget, std::int64_t by) {
  sql.run(
      "UPDATE spending SET nanos = CASE WHEN nanos > $4 THEN $5 ELSE nanos + $6 END"
      " WHERE day = $1 AND scope = $2 AND name = $3",
      {day, budget.scope, budget.name, kMost - std::max<std::int64_t>(by, 0), kMost, by});
}

}  // namespace

Reservation read_reservation(const Members& request) {
  return {.id = request.text("id"),
          .token = request.text("token"),
          .project = folded(request.text("project")),
          .day = request.number("day"),
          .nanos = request.nanos("usd"),
          .token_limit = request.maybe_nanos("tokenLimit").value_or(kMost),
          .project_limit = request.maybe_nanos("projectLimit").value_or(kMost),
          .at = request.number("at"),
          .expires = request.number("expires")};
}

Outcome<Result> reserve(Connection& connection, const Reservation& wanted) {
  Statements sql(connection);
  const auto made = sql.run(
      "INSERT INTO reservations (id, day, token, project, nanos, expires)"
      " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING",
      {wanted.id, wanted.day, wanted.token, wanted.project, wanted.nanos, wanted.expires});
  if (made == 0) return sql.result({{"reserved", true}}, false);
  for (const LimitedBudget& budget :
       {LimitedBudget{kTokenScope, wanted.token, wanted.token_limit},
        LimitedBudget{kProjectScope, wanted.project, wanted.project_limit}}) {
    if (reserve_amount(sql, wanted, budget)) continue;
    const std::string sum = decimal_of(spent(sql, wanted.day, budget));
    const std::string open = decimal_of(reserved_by_others(sql, wanted, budget));
    return sql.result(
        {{"reserved", false}, {"over", budget.scope}, {"spent", sum}, {"aside", open}}, false);
  }
  return sql.result({{"reserved", true}});
}

Outcome<Result> settle(Connection& connection, const std::string& id, std::int64_t nanos) {
  Statements sql(connection);
  Reservation made;
  const bool settled = sql.each(
                           "UPDATE reservations SET settled = $1 WHERE id = $2 AND settled IS NULL"
                           " RETURNING day, token, project, nanos",
                           {nanos, id}, [&](const Row& row) {
                             made.day = row.integer(0);
                             made.token = row.text(1);
                             made.project = row.text(2);
                             made.nanos = row.integer(3);
                           }) != 0;
  if (settled) {
    correct(sql, made.day, {kTokenScope, made.token, kMost}, nanos - made.nanos);
    correct(sql, made.day, {kProjectScope, made.project, kMost}, nanos - made.nanos);
  }
  return sql.result({{"settled", settled}}, settled);
}

}  // namespace quarry::store_sql
