#pragma once

#include "base/error.h"
#include "base/json.h"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::engine {

/// A configured resource that projects may read: its [[resource]] table has `projects`.
struct SharedResource {
  Json resource;                      ///< as configured, secrets by name
  std::vector<std::string> projects;  ///< as written; "*" = all
};

/// Takes `projects` (kFileMembers of base/resource_schema.h) out of a [[resource]] table. Empty if
/// it is not there, or if it is a member of the type, whose file_schema() is `schema`. Adds to
/// `mistakes` with JSON pointers.
std::vector<std::string> take_projects(Json& fields, const Json& schema,
                                       std::vector<FieldError>& mistakes);

/// Those that `project` may read and that have no name of its `own` resources.
std::vector<const Json*> shared_with(const std::vector<SharedResource>& shared,
                                     std::string_view project, const std::vector<Json>& own);

/// A shared resource as projects see it: `type`, `name`, `specialNotes`, and `shared`. One line of
/// JSON.
std::string shared_form(const Json& resource);

}  // namespace quarry::engine
