#include "store_sql/resources.h"

#include "store_sql/statements.h"

#include <optional>

namespace quarry::store_sql {
namespace {

/// The resource of that name.
std::optional<Json> existing(Statements& sql, const std::string& project, const std::string& name) {
  std::optional<Json> found;
  sql.each("SELECT body FROM resources WHERE project = $1 AND folded = $2", {project, name},
           [&](const Row& row) { found = parsed(row.text(0)); });
  return found;
}

}  // namespace

NewResource read_resource(const Members& request) {
  const Members resource = request.object("resource");
  return {request.text("project"), resource.text("name"), to_text(resource.json()),
          request.number("most")};
}

Outcome<Result> resources(Connection& connection, const std::string& project) {
  Statements sql(connection);
  Json all = Json::array();
  // A project without resources yields one row without a body.
  const auto rows = sql.each(
      "SELECT r.body FROM projects p LEFT JOIN resources r ON r.project = p.folded"
      " WHERE p.folded = $1 ORDER BY r.place",
      {folded(project)}, [&](const Row& row) {
        if (!row.null(0)) all.push_back(parsed(row.text(0)));
      });
  if (rows == 0) return sql.result(Json::object());
  return sql.result({{"resources", std::move(all)}});
}

Outcome<Result> add_resource(Connection& connection, const NewResource& resource) {
  const std::string project = folded(resource.project);
  const std::string name = folded(resource.name);
  Statements sql(connection);
  sql.change();
  std::int64_t count = 0;
  std::int64_t last = 0;
  const auto projects = sql.each(
      "SELECT COUNT(r.folded), MAX(r.place) FROM projects p"
      " LEFT JOIN resources r ON r.project = p.folded WHERE p.folded = $1 GROUP BY p.folded",
      {project}, [&](const Row& row) {
        count = row.integer(0);
        last = row.integer(1);
      });
  if (projects == 0) return sql.result({{"added", false}}, false);
  if (auto other = existing(sql, project, name)) {
    return sql.result({{"added", false}, {"existing", std::move(*other)}, {"count", count}}, false);
  }
  if (count >= resource.most) return sql.result({{"added", false}, {"count", count}}, false);
  sql.run("INSERT INTO resources (project, folded, place, body) VALUES ($1, $2, $3, $4)",
          {project, name, last + 1, resource.body});
  return sql.result({{"added", true}, {"count", count + 1}});
}

Outcome<Result> remove_resource(Connection& connection, const std::string& project,
                                const std::string& name) {
  Statements sql(connection);
  sql.change();
  const bool removed = sql.run("DELETE FROM resources WHERE project = $1 AND folded = $2",
                               {folded(project), folded(name)}) != 0;
  return sql.result({{"removed", removed}}, removed);
}

}  // namespace quarry::store_sql
