#include "store_sql/secrets.h"

#include "store_sql/statements.h"

#include <map>
#include <utility>

namespace quarry::store_sql {

SecretPlace read_secret_place(const Members& request) {
  return {folded(request.text("project")), folded(request.text("resource")),
          request.text("member")};
}

NewSecret read_secret(const Members& request) {
  const Members secret = request.object("secret");
  return {read_secret_place(secret), to_text(secret.json())};
}

Outcome<Result> set_secret(Connection& connection, const NewSecret& secret) {
  const auto& [project, resource, member] = secret.place;
  Statements sql(connection);
  sql.change();
  sql.run("DELETE FROM project_secrets WHERE project = $1 AND resource = $2 AND member = $3",
          {project, resource, member});
  const bool kept = sql.run(
                        "INSERT INTO project_secrets (project, resource, member, body)"
                        " SELECT folded, $2, $3, $4 FROM projects WHERE folded = $1",
                        {project, resource, member, secret.body}) != 0;
  return sql.result({{"kept", kept}}, kept);
}

Outcome<Result> secrets(Connection& connection, const std::string& project) {
  Statements sql(connection);
  // Sorted here, since databases sort text differently.
  std::map<std::pair<std::string, std::string>, Json> by_place;
  sql.each("SELECT resource, member, body FROM project_secrets WHERE project = $1",
           {folded(project)}, [&](const Row& row) {
             by_place[{row.text(0), row.text(1)}] = parsed(row.text(2));
           });
  Json all = Json::array();
  for (auto& [place, secret] : by_place) all.push_back(std::move(secret));
  return sql.result({{"secrets", std::move(all)}});
}

Outcome<Result> remove_secret(Connection& connection, const SecretPlace& place) {
  Statements sql(connection);
  sql.change();
  const bool removed =
      sql.run("DELETE FROM project_secrets WHERE project = $1 AND resource = $2 AND member = $3",
              {place.project, place.resource, place.member}) != 0;
  return sql.result({{"removed", removed}}, removed);
}

}  // namespace quarry::store_sql
