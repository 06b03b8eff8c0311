#pragma once

#include "base/error.h"
#include "base/json.h"

namespace quarry::plugins {

/// Fails with kInvalidArgument unless `schema` is one of the vocabulary of quarry::Schema. [any]
Status check_usable_schema(const Json& schema);

/// The same for the fields of a resource type, which must not have the reserved names of
/// quarry/resource.h: `type`, `name`, `refresh`, `refreshInBackground`, `principal` and those that
/// begin with '_'. [any]
Status check_fields_schema(const Json& schema);

/// The same for the table of a resource type, which must not name the members that the host adds to
/// it: `local_roots` and `acts_for`. [any]
Status check_table_schema(const Json& schema);

}  // namespace quarry::plugins
