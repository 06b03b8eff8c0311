#include "store_sql/schema.h"

#include <iterator>
#include <string>

namespace quarry::store_sql {
namespace {

// Times are milliseconds since 1970 (UTC), money is nano-dollars, unlimited or unknown values are
// NULL. Columns "folded" and "project" have names in lower case, for comparing. kSteps[n] leads
// from schema n to n + 1. Released steps are never changed, only new ones added.
constexpr const char* kFirst[] = {
    // Transactions that change projects, tokens or resources update its one row, as a lock.
    "CREATE TABLE revision (number BIGINT NOT NULL)",
    "INSERT INTO revision (number) VALUES (1)",
    "CREATE TABLE secret_keys (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE projects ("
    " folded TEXT PRIMARY KEY,"
    " name TEXT NOT NULL,"
    " created BIGINT NOT NULL,"
    " usd_per_day BIGINT)",
    "CREATE TABLE tokens ("
    " id TEXT PRIMARY KEY,"
    " hash TEXT NOT NULL UNIQUE,"
    " rights TEXT NOT NULL,"  // JSON
    " label TEXT NOT NULL,"
    " created BIGINT NOT NULL,"
    " expires BIGINT,"
    " revoked BIGINT,"
    " requests_per_minute BIGINT,"
    " streams BIGINT,"
    " usd_per_day BIGINT)",
    "CREATE TABLE token_projects ("
    " token TEXT NOT NULL REFERENCES tokens (id),"
    " place BIGINT NOT NULL,"
    " project TEXT NOT NULL REFERENCES projects (folded) ON DELETE CASCADE,"
    " PRIMARY KEY (token, place))",
    "CREATE INDEX token_projects_project ON token_projects (project)",
    "CREATE TABLE resources ("
    " project TEXT NOT NULL REFERENCES projects (folded) ON DELETE CASCADE,"
    " folded TEXT NOT NULL,"
    " place BIGINT NOT NULL,"
    " body TEXT NOT NULL,"  // JSON
    " PRIMARY KEY (project, folded))",
    "CREATE TABLE hosts ("
    " id TEXT PRIMARY KEY,"
    " seen BIGINT NOT NULL,"
    " streams TEXT NOT NULL)",  // JSON
    "CREATE TABLE requests ("
    " minute BIGINT NOT NULL,"
    " token TEXT NOT NULL,"
    " number BIGINT NOT NULL,"
    " PRIMARY KEY (minute, token))",
    // Money spent and reserved on a day: the sum of its reservations, for "token" or "project".
    "CREATE TABLE spending ("
    " day BIGINT NOT NULL,"
    " scope TEXT NOT NULL,"
    " name TEXT NOT NULL,"
    " nanos BIGINT NOT NULL CHECK (nanos >= 0),"
    " PRIMARY KEY (day, scope, name))",
    "CREATE TABLE reservations ("
    " id TEXT PRIMARY KEY,"
    " day BIGINT NOT NULL,"
    " token TEXT NOT NULL,"
    " project TEXT NOT NULL,"
    " nanos BIGINT NOT NULL CHECK (nanos >= 0),"
    " expires BIGINT NOT NULL,"
    " settled BIGINT CHECK (settled >= 0))",
    "CREATE INDEX reservations_day ON reservations (day)",
    "CREATE TABLE ended_sessions (id TEXT PRIMARY KEY, expires BIGINT NOT NULL)",
    "CREATE TABLE audit ("
    " number {identity},"
    " recorded BIGINT NOT NULL,"
    " project TEXT,"
    " entry TEXT NOT NULL)",  // JSON
    "CREATE INDEX audit_recorded ON audit (recorded, number)",
    "CREATE INDEX audit_project ON audit (project, recorded, number)",
};
constexpr const char* kProjectSecrets[] = {
    "CREATE TABLE project_secrets ("
    " project TEXT NOT NULL REFERENCES projects (folded) ON DELETE CASCADE,"
    " resource TEXT NOT NULL,"
    " member TEXT NOT NULL,"
    " body TEXT NOT NULL,"  // JSON
    " PRIMARY KEY (project, resource, member))",
};
constexpr const char* kLoads[] = {
    // Dumps that were loaded.
    "ALTER TABLE revision ADD COLUMN loads BIGINT NOT NULL DEFAULT 0",
};
struct Step {
  const char* const* first;
  const char* const* last;
};
constexpr Step kSteps[] = {{std::begin(kFirst), std::end(kFirst)},
                           {std::begin(kProjectSecrets), std::end(kProjectSecrets)},
                           {std::begin(kLoads), std::end(kLoads)}};
static_assert(std::size(kSteps) == kSchema);

Failure newer(std::string_view name, std::int64_t schema) {
  return {QUARRY_UNSUPPORTED,
          std::string(name) + " has schema " + std::to_string(schema) +
              ", and this Quarry knows schemas up to " + std::to_string(kSchema),
          "Use the newer Quarry that another host runs, or another database.",
          {}};
}

std::string in_dialect(std::string sql, const Dialect& dialect) {
  constexpr std::string_view kIdentity = "{identity}";
  const auto found = sql.find(kIdentity);
  if (found != sql.npos) sql.replace(found, kIdentity.size(), dialect.identity);
  return sql;
}

/// The first column of the only row.
Outcome<std::int64_t> number(Connection& connection, std::string_view sql) {
  std::int64_t out = 0;
  const auto read = connection.each(sql, {}, [&](const Row& row) { out = row.integer(0); });
  if (!read) return read.failure();
  return out;
}

Outcome<Done> run_all(Connection& connection, const Dialect& dialect, const Step& step) {
  for (const auto* sql = step.first; sql != step.last; ++sql) {
    if (auto done = connection.run(in_dialect(*sql, dialect)); !done) return done.failure();
  }
  return Done{};
}

}  // namespace

Outcome<std::int64_t> schema_of(Connection& connection, const Dialect& dialect) {
  auto there = number(connection, dialect.has_schema);
  if (!there || *there == 0) return there;
  return number(connection, "SELECT version FROM quarry_schema");
}

namespace {

Outcome<Done> make_numbered(Connection& connection) {
  for (const auto* sql : {"CREATE TABLE quarry_schema (version BIGINT NOT NULL)",
                          "INSERT INTO quarry_schema (version) VALUES (0)"}) {
    if (auto done = connection.run(sql); !done) return done.failure();
  }
  return Done{};
}

}  // namespace

Outcome<Done> migrate(Connection& connection, const Dialect& dialect, std::string_view name) {
  if (!dialect.lock.empty()) {
    if (auto locked = connection.run(dialect.lock); !locked) return locked.failure();
  }
  const auto schema = schema_of(connection, dialect);
  if (!schema) return schema.failure();
  if (*schema > kSchema) return newer(name, *schema);
  if (*schema == kSchema) return Done{};
  if (*schema == 0) {
    if (auto made = make_numbered(connection); !made) return made.failure();
  }
  for (auto step = static_cast<std::size_t>(*schema); step < std::size(kSteps); ++step) {
    if (auto done = run_all(connection, dialect, kSteps[step]); !done) return done.failure();
  }
  auto numbered = connection.run("UPDATE quarry_schema SET version = $1", {kSchema});
  if (!numbered) return numbered.failure();
  return Done{};
}

}  // namespace quarry::store_sql
