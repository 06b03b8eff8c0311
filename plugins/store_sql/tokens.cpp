#include "store_sql/tokens.h"

#include "store_sql/money.h"
#include "store_sql/projects.h"
#include "store_sql/statements.h"

namespace quarry::store_sql {
namespace {

/// More than a store can hold.
constexpr std::int64_t kMostTokens = std::int64_t{1} << 32;

/// Selects one row for each project of a token; `which` is the rest of the statement: conditions
/// and order.
std::string select(const char* which) {
  return std::string(
             "SELECT t.id, t.rights, t.label, t.created, t.expires, t.revoked,"
             " t.requests_per_minute, t.streams, t.usd_per_day, p.name, p.created, p.usd_per_day"
             " FROM tokens t LEFT JOIN token_projects x ON x.token = t.id"
             " LEFT JOIN projects p ON p.folded = x.project ") +
         which;
}

void put(Json& object, const char* key, const std::optional<std::int64_t>& number) {
  if (number) object[key] = *number;
}

/// The token of a row, without its projects.
Json token_of(const Row& row) {
  Json limits = Json::object();
  put(limits, "requestsPerMinute", row.maybe(6));
  put(limits, "streams", row.maybe(7));
  if (!row.null(8)) limits["usdPerDay"] = decimal_of(row.integer(8));
  Json token{{"id", row.text(0)},    {"projects", Json::array()}, {"rights", parsed(row.text(1))},
             {"label", row.text(2)}, {"created", row.integer(3)}, {"limits", std::move(limits)}};
  put(token, "expires", row.maybe(4));
  put(token, "revoked", row.maybe(5));
  return token;
}

/// Adds a row to the tokens before it, and its project to `projects`.
void add(const Row& row, Json& tokens, Json& projects) {
  if (tokens.empty() || tokens.back()["id"] != row.text(0)) tokens.push_back(token_of(row));
  if (row.null(9)) return;
  tokens.back()["projects"].push_back(row.text(9));
  projects.push_back(to_json(Project{row.text(9), row.integer(10), row.maybe(11)}));
}

/// True if a token with that hash exists already.
Outcome<bool> is_there(Connection& connection, const Token& token) {
  bool same = false;
  bool other = false;
  const auto looked =
      connection.each("SELECT hash FROM tokens WHERE hash = $1 OR id = $2", {token.hash, token.id},
                      [&](const Row& row) { (row.text(0) == token.hash ? same : other) = true; });
  if (!looked) return looked.failure();
  if (other && !same) return field_failure("/token/id", "is the id of another token");
  return same;
}

}  // namespace

std::array<Value, 10> values_of(const Token& token) {
  return {token.id,
          token.hash,
          token.rights,
          token.label,
          token.created,
          value_of(token.expires),
          value_of(token.revoked),
          value_of(token.requests_per_minute),
          value_of(token.streams),
          value_of(token.usd_per_day)};
}

Token read_token(const Members& request, std::size_t least_projects) {
  const Members said = request.object("token");
  const Members limits = said.object("limits");
  return {.id = said.text("id"),
          .hash = request.hash("hash"),
          .projects = said.texts("projects", least_projects),
          .rights = to_text(said.texts("rights")),
          .label = said.label("label"),
          .created = said.number("created"),
          .expires = said.maybe_number("expires"),
          .revoked = said.maybe_number("revoked"),
          .requests_per_minute = limits.maybe_number("requestsPerMinute"),
          .streams = limits.maybe_number("streams"),
          .usd_per_day = limits.maybe_nanos("usdPerDay")};
}

Outcome<Result> create_token(Connection& connection, const Token& token) {
  Statements sql(connection);
  sql.change();
  if (sql.failed()) return sql.result({});
  const auto there = is_there(connection, token);
  if (!there) return there.failure();
  if (*there) return sql.result({{"created", true}}, false);
  insert_rows(sql, kTokenColumns, values_of(token));
  std::int64_t place = 0;
  std::int64_t found = 0;
  for (const std::string& project : token.projects) {
    found += sql.run(
        "INSERT INTO token_projects (token, place, project)"
        " SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), folded FROM projects WHERE folded = $3",
        {token.id, ++place, folded(project)});
  }
  const bool created = found == place;
  return sql.result({{"created", created}}, created);
}

Json all_tokens(Statements& sql) {
  static const std::string kAll = select("ORDER BY t.created, t.id, x.place");
  Json tokens = Json::array();
  Json ignored = Json::array();
  sql.each(kAll, {}, [&](const Row& row) { add(row, tokens, ignored); });
  return tokens;
}

Outcome<Result> tokens(Connection& connection, const std::optional<std::string>& project) {
  static const std::string kOfProject = select(
      "WHERE t.id IN (SELECT token FROM token_projects WHERE project = $1)"
      " ORDER BY t.created, t.id, x.place");
  Statements sql(connection);
  Json tokens = Json::array();
  if (project) {
    Json ignored = Json::array();
    sql.each(kOfProject, {folded(*project)}, [&](const Row& row) { add(row, tokens, ignored); });
  } else {
    tokens = all_tokens(sql);
  }
  return sql.result({{"tokens", std::move(tokens)}});
}

Outcome<Result> find_token(Connection& connection, const std::string& hash) {
  static const std::string kOfHash = select("WHERE t.hash = $1 ORDER BY x.place");
  Statements sql(connection);
  Json tokens = Json::array();
  Json projects = Json::array();
  sql.each(kOfHash, {hash}, [&](const Row& row) { add(row, tokens, projects); });
  if (tokens.empty()) return sql.result(Json::object());
  return sql.result({{"token", std::move(tokens.front())}, {"projects", std::move(projects)}});
}

Outcome<Result> token_hashes(Connection& connection, std::int64_t known, std::int64_t most) {
  Statements sql(connection);
  std::int64_t state = 0;
  std::int64_t valid = 0;
  Json hashes = Json::array();
  // Between two dumps that are loaded, tokens are only created and revoked, so their counts
  // identify the state. If no hashes are needed, the result is one row with the counts and without
  // a hash.
  sql.each(
      "SELECT s.state, s.valid, t.hash FROM"
      " (SELECT (SELECT loads FROM revision) * $3 + COUNT(*) + COUNT(revoked) AS state,"
      " COUNT(*) - COUNT(revoked) AS valid FROM tokens)"
      " s LEFT JOIN tokens t ON t.revoked IS NULL AND s.state <> $1 AND s.valid <= $2",
      {known, most, kMostTokens}, [&](const Row& row) {
        state = row.integer(0);
        valid = row.integer(1);
        if (!row.null(2)) hashes.push_back(row.text(2));
      });
  Json answer{{"state", state}};
  if (state != known && valid <= most) answer["hashes"] = std::move(hashes);
  return sql.result(std::move(answer));
}

Outcome<Result> revoke_token(Connection& connection, const std::string& id, std::int64_t at) {
  Statements sql(connection);
  sql.change();
  const bool revoked =
      sql.run("UPDATE tokens SET revoked = $1 WHERE id = $2 AND revoked IS NULL", {at, id}) != 0;
  const bool known = revoked || sql.run("SELECT id FROM tokens WHERE id = $1", {id}) != 0;
  return sql.result({{"revoked", known}}, revoked);
}

}  // namespace quarry::store_sql
