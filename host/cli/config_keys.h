#pragma once

#include "base/error.h"
#include "base/json.h"
#include "config/inspect.h"
#include "plugins/registry.h"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::cli {

/// A key of the host or of a component.
struct ConfigKey {
  std::string name;       ///< dotted: "transport.rest.listen", "resource.git.url"
  std::string table;      ///< "[transport.rest]", "[[resource]] of type `git`"
  std::string component;  ///< a provider, store or type of resource that has the key; else empty
  Json schema;            ///< with annotations (config/keys.h)
  bool required = false;
  /// Of its value; "*" stands for any table, as in "/resource/*/url" and "/model/*/provider".
  std::string pointer = {};
};

/// All keys: the rows of the host, and the members of every schema that a manifest names. Schemas
/// that cannot be read are left out. An option of several providers is there once for each.
std::vector<ConfigKey> list_keys(const plugins::Found& found);

/// The definitions of `name`, which may contain the name of a table, as in "model.work.base_url",
/// "resource.kit.url" or "pricing.static.\"openai/gpt-x\".input". An option of the configured
/// provider has one definition, another one as many as providers have it. kInvalidArgument with the
/// nearest name if there is none.
Result<std::vector<ConfigKey>> find_key(const std::vector<ConfigKey>& keys, std::string_view name,
                                        const config::Inspection& read);

}  // namespace quarry::cli
