#pragma once

#include "base/error.h"
#include "base/json.h"
#include "config/config.h"
#include "plugins/registry.h"
#include "plugins/resource_type.h"

#include <span>
#include <string>
#include <vector>

namespace quarry::engine {

/// The party for which a type works (quarry/resource.h, "acts_for"): the owner of the host, or
/// callers with tokens, who may use neither the owner's credentials nor, except beneath
/// local_roots, the owner's folders.
enum class ActsFor { kOwner, kProjects };

/// The configuration from which a type is created: its table with the host's limits.
std::string configuration_of(const config::Config& config, const config::Table& table,
                             ActsFor acts_for);

/// Checks the table [resource_type.<name>] against the schema that the manifest of its plugin names
/// for it, if any. A table with mistakes is a ConfigError with their fields; a schema that is
/// missing or unusable is the plugin's mistake, and the error names the type.
Status check_table(std::span<const plugins::Manifest> manifests, const std::string& name,
                   const config::Table& table);

/// Makes every type of resource from its table [resource_type.<name>] and the limits of the host. A
/// type whose plugin cannot be used, or that a resource names and no plugin offers, is there too:
/// its functions fail with the cause (ResourceType::unusable), which is added to `problems` unless
/// the registry has it. A table with mistakes is a ConfigError with their places. `among`: if not
/// null, the types made before: unusable ones are taken over, since one that hung once would hang
/// again.
Result<plugins::ResourceTypes> make_resource_types(const config::Config& config,
                                                   plugins::Registry& registry,
                                                   std::vector<std::string>& problems,
                                                   ActsFor acts_for = ActsFor::kOwner,
                                                   const plugins::ResourceTypes* among = nullptr);

/// JSON Schema of a [[resource]] table: the type's own with the members of every resource.
Json file_schema(const plugins::ResourceType& type);

/// The schema for the wire: without the secrets, which only the configuration file may set
/// ("writeOnly" in the type's schema).
Json wire_schema(Json file_schema);

/// True for the rule of a member that is a secret.
bool is_secret(const Json& rule);

/// Members of a resource from the wire that only the file may set. Their values would be used as
/// names of secrets, perhaps of another resource.
std::vector<FieldError> secrets_on_the_wire(const Json& resource, const Json& file_schema);

/// Members of a [[resource]] table that must be references to secrets and are not.
std::vector<FieldError> plain_secrets(const config::Config& config,
                                      const config::Resource& resource, const Json& fields,
                                      const Json& file_schema);

}  // namespace quarry::engine
