#include "store_sql/audit.h"

#include "store_sql/statements.h"

namespace quarry::store_sql {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int64_t kDayMs = 86'400'000;

Value project_of(const AuditEntry& entry) {
  return entry.project ? Value(*entry.project) : Value(nullptr);
}

bool is_there(Statements& sql, const AuditEntry& entry) {
  return sql.run("SELECT 1 FROM audit WHERE recorded = $1 AND entry = $2 LIMIT 1",
                 {entry.at, entry.entry}) != 0;
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

Outcome<Result> record(Connection& connection, const std::vector<AuditEntry>& entries, bool once) {
  Statements sql(connection);
  std::vector<Value> values;
  for (const AuditEntry& entry : entries) {
    if (once && is_there(sql, entry)) continue;
    values.insert(values.end(), {entry.at, project_of(entry), entry.entry});
  }
  insert_rows(sql, "audit (recorded, project, entry)", values);
  return sql.result(Json::object());
}

Outcome<Result> audit(Connection& connection, const AuditWanted& wanted) {
  Statements sql(connection);
  Json entries = Json::array();
  const auto visit = [&](const Row& row) { entries.push_back(parsed(row.text(0))); };
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
