#include "store_sql/audit.h"

#include "store_sql/statements.h"

#include <algorithm>
#include <span>

namespace quarry::store_sql {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int64_t kDayMs = 86'400'000;

void insert(Statements& sql, std::span<const AuditEntry> entries) {
  std::vector<Value> values;
  for (const AuditEntry& entry : entries) {
    values.emplace_back(entry.at);
    values.push_back(entry.project ? Value(*entry.project) : Value(nullptr));
    values.emplace_back(entry.entry);
  }
  sql.run("INSERT INTO audit (recorded, project, entry) VALUES " + places(entries.size(), 3),
          values);
}

}  // namespace

std::vector<AuditEntry> read_entries(const Members& request) {
  std::vector<AuditEntry> out;
  for (const Members& said : request.objects("entries")) {
    auto project = said.maybe_text("project");
    if (project) project = folded(*project);
    out.push_back({said.number("at"), std::move(project), to_text(said.json())});
  }
  return out;
}

AuditWanted read_wanted(const Members& request) {
  auto project = request.maybe_text("project");
  if (project) project = folded(*project);
  return {request.number("since"), request.maybe_number("until").value_or(kMost),
          std::move(project), request.number("most")};
}

Outcome<Result> record(Connection& connection, const std::vector<AuditEntry>& entries) {
  Statements sql(connection);
  const std::span<const AuditEntry> all(entries);
  for (std::size_t i = 0; i < all.size(); i += kRowsAtOnce) {
    insert(sql, all.subspan(i, std::min(kRowsAtOnce, all.size() - i)));
  }
  return sql.result(Json::object());
}

Outcome<Result> audit(Connection& connection, const AuditWanted& wanted) {
  Statements sql(connection);
  Json entries = Json::array();
  const auto visit = [&](const Row& row) {
    entries.push_back(Json::parse(row.text(0), nullptr, false));
  };
  if (wanted.project) {
    sql.each(
        "SELECT entry FROM audit WHERE project = $1 AND recorded >= $2 AND recorded < $3"
        " ORDER BY recorded DESC, number DESC LIMIT $4",
        {*wanted.project, wanted.since, wanted.until, wanted.most}, visit);
  } else {
    sql.each(
        "SELECT entry FROM audit WHERE recorded >= $1 AND recorded < $2"
        " ORDER BY recorded DESC, number DESC LIMIT $3",
        {wanted.since, wanted.until, wanted.most}, visit);
  }
  return sql.result({{"entries", std::move(entries)}});
}

Outcome<Result> forget(Connection& connection, std::int64_t before) {
  Statements sql(connection);
  const std::int64_t day = before / kDayMs;
  std::int64_t gone = sql.run("DELETE FROM audit WHERE recorded < $1", {before});
  gone += sql.run("DELETE FROM requests WHERE minute < $1", {before / kMinuteMs});
  gone += sql.run("DELETE FROM ended_sessions WHERE expires < $1", {before});
  gone +=
      sql.run("DELETE FROM reservations WHERE day < $1 AND (settled IS NOT NULL OR expires < $2)",
              {day, before});
  // Rows derived from others are not counted.
  sql.run(
      "DELETE FROM spending WHERE day < $1"
      " AND NOT EXISTS (SELECT 1 FROM reservations r WHERE r.day = spending.day)",
      {day});
  sql.run("DELETE FROM hosts WHERE seen < $1", {before});
  return sql.result({{"forgotten", gone}});
}

}  // namespace quarry::store_sql
