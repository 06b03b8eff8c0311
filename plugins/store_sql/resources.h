#pragma once

#include "store_sql/connection.h"
#include "store_sql/request.h"
#include "store_sql/transactions.h"

#include <cstdint>
#include <string>

namespace quarry::store_sql {

struct NewResource {
  std::string project;
  std::string name;
  std::string body;  ///< JSON
  std::int64_t most = 0;
};

NewResource read_resource(const Members& request);

// Each is one transaction; names match in any case.
Outcome<Result> resources(Connection& connection, const std::string& project);
Outcome<Result> add_resource(Connection& connection, const NewResource& resource);
Outcome<Result> remove_resource(Connection& connection, const std::string& project,
                                const std::string& name);

}  // namespace quarry::store_sql
