#include "store_sql/dump.h"

#include "store_sql/money.h"
#include "store_sql/statements.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace quarry::store_sql {
namespace {

// The members of a dump.
constexpr const char* kProjects = "projects";
constexpr const char* kTokens = "tokens";
constexpr const char* kResources = "resources";
constexpr const char* kSecrets = "secrets";
constexpr const char* kKeys = "keys";
constexpr const char* kReservations = "reservations";
constexpr const char* kEndedSessions = "endedSessions";
constexpr std::array<std::string_view, 7> kMembers = {
    kProjects, kTokens, kResources, kSecrets, kKeys, kReservations, kEndedSessions};

Json dumped_tokens(Statements& sql) {
  std::map<std::string, std::string> hashes;
  sql.each("SELECT id, hash FROM tokens", {},
           [&](const Row& row) { hashes[row.text(0)] = row.text(1); });
  Json out = Json::array();
  for (Json& token : all_tokens(sql)) {
    std::string hash = hashes[token["id"].get<std::string>()];
    out.push_back({{"token", std::move(token)}, {"hash", std::move(hash)}});
  }
  return out;
}

Json dumped_resources(Statements& sql) {
  Json out = Json::array();
  sql.each("SELECT project, body FROM resources ORDER BY project, place", {}, [&](const Row& row) {
    out.push_back({{"project", row.text(0)}, {"resource", parsed(row.text(1))}});
  });
  return out;
}

Json dumped_secrets(Statements& sql) {
  Json out = Json::array();
  sql.each("SELECT body FROM project_secrets ORDER BY project, resource, member", {},
           [&](const Row& row) { out.push_back(parsed(row.text(0))); });
  return out;
}

Json dumped_keys(Statements& sql) {
  Json out = Json::array();
  sql.each("SELECT name, value FROM secret_keys ORDER BY name", {}, [&](const Row& row) {
    out.push_back({{"name", row.text(0)}, {"key", row.text(1)}});
  });
  return out;
}

Json dumped_reservations(Statements& sql) {
  Json out = Json::array();
  sql.each("SELECT id, token, project, day, nanos, expires, settled FROM reservations ORDER BY id",
           {}, [&](const Row& row) {
             Json made{{"id", row.text(0)},         {"token", row.text(1)},
                       {"project", row.text(2)},    {"day", row.integer(3)},
                       {"expires", row.integer(5)}, {"usd", decimal_of(row.integer(4))}};
             if (!row.null(6)) made["settled"] = decimal_of(row.integer(6));
             out.push_back(std::move(made));
           });
  return out;
}

Json dumped_sessions(Statements& sql) {
  Json out = Json::array();
  sql.each("SELECT id, expires FROM ended_sessions ORDER BY id", {}, [&](const Row& row) {
    out.push_back({{"id", row.text(0)}, {"expires", row.integer(1)}});
  });
  return out;
}

// Other hosts may reserve money, end sessions and ask for keys while a dump is loaded; all else
// that changes waits for `load`.

void load_projects(Statements& sql, const Dump& dump) {
  std::vector<std::string> names;
  names.reserve(dump.projects.size());
  std::vector<Value> rows;
  for (const auto& [name, created, usd_per_day] : dump.projects) {
    rows.insert(rows.end(),
                {names.emplace_back(folded(name)), name, created, value_of(usd_per_day)});
  }
  insert_rows(sql, "projects (folded, name, created, usd_per_day)", rows);
}

void load_tokens(Statements& sql, const Dump& dump) {
  std::vector<Value> rows;
  for (const Token& token : dump.tokens) {
    const auto row = values_of(token);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  insert_rows(sql, kTokenColumns, rows);
}

void load_token_projects(Statements& sql, const Dump& dump) {
  std::vector<std::tuple<std::string_view, std::int64_t, std::string>> places;
  for (const Token& token : dump.tokens) {
    std::int64_t place = 0;
    for (const std::string& project : token.projects) {
      places.emplace_back(token.id, ++place, folded(project));
    }
  }
  std::vector<Value> rows;
  for (const auto& [token, place, project] : places) {
    rows.insert(rows.end(), {token, place, project});
  }
  insert_rows(sql, "token_projects (token, place, project)", rows);
}

void load_resources(Statements& sql, const Dump& dump) {
  std::vector<std::pair<std::string, std::string>> names;
  names.reserve(dump.resources.size());
  std::vector<Value> rows;
  std::int64_t place = 0;
  for (const NewResource& resource : dump.resources) {
    const auto& [project, name] =
        names.emplace_back(folded(resource.project), folded(resource.name));
    rows.insert(rows.end(), {project, name, ++place, resource.body});
  }
  insert_rows(sql, "resources (project, folded, place, body)", rows);
}

void load_secrets(Statements& sql, const Dump& dump) {
  std::vector<Value> rows;
  for (const auto& [place, body] : dump.secrets) {
    rows.insert(rows.end(), {place.project, place.resource, place.member, body});
  }
  insert_rows(sql, "project_secrets (project, resource, member, body)", rows);
}

void load_keys(Statements& sql, const Dump& dump) {
  std::vector<Value> rows;
  for (const auto& [name, key] : dump.keys) rows.insert(rows.end(), {name, key});
  insert_rows(sql, "secret_keys (name, value)", rows,
              "ON CONFLICT (name) DO UPDATE SET value = excluded.value");
}

void load_reservations(Statements& sql, const Dump& dump) {
  std::vector<Value> rows;
  for (const auto& [made, settled] : dump.reservations) {
    rows.insert(rows.end(), {made.id, made.day, made.token, made.project, made.nanos, made.expires,
                             value_of(settled)});
  }
  insert_rows(sql, "reservations (id, day, token, project, nanos, expires, settled)", rows,
              "ON CONFLICT (id) DO NOTHING");
}

void load_spending(Statements& sql, const Dump& dump) {
  std::map<std::tuple<std::int64_t, std::string_view, std::string_view>, std::int64_t> sums;
  const auto add = [&](std::int64_t day, std::string_view scope, std::string_view name,
                       std::int64_t nanos) {
    std::int64_t& sum = sums[{day, scope, name}];
    sum = nanos > kMost - sum ? kMost : sum + nanos;
  };
  for (const auto& [made, settled] : dump.reservations) {
    add(made.day, kTokenScope, made.token, settled.value_or(made.nanos));
    add(made.day, kProjectScope, made.project, settled.value_or(made.nanos));
  }
  std::vector<Value> rows;
  for (const auto& [budget, nanos] : sums) {
    const auto& [day, scope, name] = budget;
    rows.insert(rows.end(), {day, scope, name, nanos});
  }
  insert_rows(sql, "spending (day, scope, name, nanos)", rows,
              "ON CONFLICT (day, scope, name)"
              " DO UPDATE SET nanos = spending.nanos + excluded.nanos");
}

void load_sessions(Statements& sql, const Dump& dump) {
  std::vector<Value> rows;
  for (const auto& [id, expires] : dump.ended_sessions) rows.insert(rows.end(), {id, expires});
  insert_rows(sql, "ended_sessions (id, expires)", rows, "ON CONFLICT (id) DO NOTHING");
}

}  // namespace

std::optional<Failure> unknown_member(const Json& request) {
  for (const auto& [key, value] : request.items()) {
    if (std::ranges::find(kMembers, key) != kMembers.end()) continue;
    return Failure{QUARRY_UNSUPPORTED,
                   "the dump has \"" + key + "\", which this store does not know",
                   "Load it with the newer Quarry that made it.",
                   {}};
  }
  return std::nullopt;
}

Dump read_dump(const Members& request) {
  Dump out;
  for (const Members& project : request.objects(kProjects)) {
    out.projects.push_back(read_project(project));
  }
  for (const Members& token : request.objects(kTokens)) out.tokens.push_back(read_token(token, 0));
  for (const Members& said : request.objects(kResources)) {
    const Members resource = said.object("resource");
    out.resources.push_back(
        {said.text("project"), resource.text("name"), to_text(resource.json())});
  }
  for (const Members& secret : request.objects(kSecrets)) {
    out.secrets.push_back({read_secret_place(secret), to_text(secret.json())});
  }
  for (const Members& key : request.objects(kKeys)) {
    out.keys.push_back({key.text("name"), key.hash("key")});
  }
  for (const Members& made : request.objects(kReservations)) {
    out.reservations.push_back({{.id = made.text("id"),
                                 .token = made.text("token"),
                                 .project = folded(made.text("project")),
                                 .day = made.number("day"),
                                 .nanos = made.nanos("usd"),
                                 .expires = made.number("expires")},
                                made.maybe_nanos("settled")});
  }
  for (const Members& session : request.objects(kEndedSessions)) {
    out.ended_sessions.push_back({session.text("id"), session.number("expires")});
  }
  return out;
}

Outcome<Result> dump(Connection& connection) {
  Statements sql(connection);
  sql.change();  // rolled back: what belongs together is of one moment
  Json projects = all_projects(sql);
  Json tokens = dumped_tokens(sql);
  Json resources = dumped_resources(sql);
  Json secrets = dumped_secrets(sql);
  Json keys = dumped_keys(sql);
  Json reservations = dumped_reservations(sql);
  Json sessions = dumped_sessions(sql);
  return sql.result({{kProjects, std::move(projects)},
                     {kTokens, std::move(tokens)},
                     {kResources, std::move(resources)},
                     {kSecrets, std::move(secrets)},
                     {kKeys, std::move(keys)},
                     {kReservations, std::move(reservations)},
                     {kEndedSessions, std::move(sessions)}},
                    false);
}

Outcome<Result> load(Connection& connection, const Dump& dump) {
  Statements sql(connection);
  sql.run("UPDATE revision SET number = number + 1, loads = loads + 1");
  for (const char* table : {"token_projects", "resources", "project_secrets", "tokens", "projects",
                            "secret_keys", "spending", "reservations", "ended_sessions"}) {
    sql.run("DELETE FROM " + std::string(table));
  }
  load_projects(sql, dump);
  load_tokens(sql, dump);
  load_token_projects(sql, dump);
  load_resources(sql, dump);
  load_secrets(sql, dump);
  load_keys(sql, dump);
  load_reservations(sql, dump);
  load_spending(sql, dump);
  load_sessions(sql, dump);
  return sql.result(Json::object());
}

}  // namespace quarry::store_sql
