#pragma once

#include "base/error.h"
#include "base/json.h"
#include "config/config.h"
#include "plugins/registry.h"
#include "plugins/resource_type.h"

#include <string>
#include <vector>

namespace quarry::engine {

/// On whose behalf a type works (quarry/resource.h, "acts_for"): the owner of the host, or callers
/// with tokens, who may use nothing of the owner's: neither his credentials nor, unless beneath
/// local_roots, his folders.
enum class ActsFor { kOwner, kProjects };

/// Makes every type of resource from its table [resource_type.<name>] and the limits of the host.
/// A type that cannot be made is one of `problems`; a table with mistakes is a ConfigError at their
/// places.
Result<plugins::ResourceTypes> make_resource_types(const config::Config& config,
                                                   plugins::Registry& registry,
                                                   std::vector<std::string>& problems,
                                                   ActsFor whom = ActsFor::kOwner);

/// JSON Schema of a [[resource]] table: the type's own with what every resource has.
Json file_schema(const plugins::ResourceType& type);

/// The same for the wire: without the members that only the configuration file may set ("writeOnly"
/// in the type's schema), which are secrets.
Json wire_schema(Json file_schema);

/// True for the rule of a member that is a secret.
bool is_secret(const Json& rule);

/// Members of a resource from the wire that only the file may set. What stands there would be taken
/// for the name of a secret, perhaps that of another resource.
std::vector<FieldError> secrets_on_the_wire(const Json& resource, const Json& file_schema);

/// The members of a [[resource]] table that must be references to secrets and are not.
std::vector<FieldError> plain_secrets(const config::Config& config,
                                      const config::Resource& resource, const Json& fields,
                                      const Json& file_schema);

}  // namespace quarry::engine
