#include "store_sql/projects.h"

#include "store_sql/money.h"
#include "store_sql/statements.h"

#include <map>

namespace quarry::store_sql {

Project read_project(const Members& project) {
  return {project.text("name"), project.number("created"),
          project.object("limits").maybe_nanos("usdPerDay")};
}

Json to_json(const Project& project) {
  Json limits = Json::object();
  if (project.usd_per_day) limits["usdPerDay"] = decimal_of(*project.usd_per_day);
  return {{"name", project.name}, {"created", project.created}, {"limits", std::move(limits)}};
}

Outcome<Result> create_project(Connection& connection, const Project& project) {
  Statements sql(connection);
  sql.change();
  const bool created =
      sql.run(
          "INSERT INTO projects (folded, name, created, usd_per_day) VALUES ($1, $2, $3, $4)"
          " ON CONFLICT (folded) DO NOTHING",
          {folded(project.name), project.name, project.created, value_of(project.usd_per_day)}) !=
      0;
  return sql.result({{"created", created}}, created);
}

Json all_projects(Statements& sql) {
  std::map<std::string, Json> by_name;  // databases sort text differently
  sql.each("SELECT folded, name, created, usd_per_day FROM projects", {}, [&](const Row& row) {
    by_name[row.text(0)] = to_json(Project{row.text(1), row.integer(2), row.maybe(3)});
  });
  Json all = Json::array();
  for (auto& [name, project] : by_name) all.push_back(std::move(project));
  return all;
}

Outcome<Result> projects(Connection& connection) {
  Statements sql(connection);
  Json all = all_projects(sql);
  return sql.result({{"projects", std::move(all)}});
}

Outcome<Result> remove_project(Connection& connection, const std::string& name, std::int64_t at) {
  const std::string key = folded(name);
  Statements sql(connection);
  sql.change();
  sql.run(
      "UPDATE tokens SET revoked = $1 WHERE revoked IS NULL"
      " AND id IN (SELECT token FROM token_projects WHERE project = $2)"
      " AND id NOT IN (SELECT token FROM token_projects WHERE project <> $2)",
      {at, key});
  const bool removed = sql.run("DELETE FROM projects WHERE folded = $1", {key}) != 0;
  return sql.result({{"removed", removed}}, removed);
}

}  // namespace quarry::store_sql
