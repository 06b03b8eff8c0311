#pragma once

#include "store_sql/connection.h"
#include "store_sql/request.h"
#include "store_sql/statements.h"
#include "store_sql/transactions.h"

#include <cstdint>
#include <optional>
#include <string>

namespace quarry::store_sql {

struct Project {
  std::string name;
  std::int64_t created = 0;
  std::optional<std::int64_t> usd_per_day;  ///< nano-dollars
};

Project read_project(const Members& project);
/// In the form of <quarry/draft/store.h>.
Json to_json(const Project& project);
/// All of them, by name.
Json all_projects(Statements& sql);

// Each is one transaction; names match in any case.
Outcome<Result> create_project(Connection& connection, const Project& project);
Outcome<Result> projects(Connection& connection);
Outcome<Result> remove_project(Connection& connection, const std::string& name, std::int64_t at);

}  // namespace quarry::store_sql
