#include "engine/locking.h"

#include "engine/requests.h"
#include "engine/resource_types.h"
#include "resources/lock_file.h"
#include "resources/metadata.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr const char* kHint = "Write the lock file again: quarry lock.";

Error not_locked(const std::string& name, const std::string& why) {
  return Error{Code::kInvalidArgument, "resource \"" + name + "\" " + why, kHint}.tagged(
      "CollectionError");
}

}  // namespace

std::filesystem::path lock_file_of(const config::Config& config) {
  return config.writable_file.parent_path() / resources::kLockFileName;
}

Json lock_source(const State& state, const Json& resource) {
  Json source = *parse_json(resources::source_of(resource));
  const auto schema = state.schemas.find(resource.value("type", ""));
  for (auto member = source.begin(); member != source.end();) {
    const bool secret = schema != state.schemas.end() &&
                        schema->second["properties"].contains(member.key()) &&
                        is_secret(schema->second["properties"][member.key()]);
    member = secret || member->is_null() ? source.erase(member) : std::next(member);
  }
  return source;
}

bool is_read_in_place(const State& state, const Json& resource) {
  const auto type = state.types.find(resource.value("type", ""));
  return type != state.types.end() && type->second->describe().in_place;
}

Result<resources::PrepareOptions> prepare_options_for(const State& state, const Json& resource,
                                                      resources::Freshness freshness) {
  if (!state.lock || is_read_in_place(state, resource))
    return resources::PrepareOptions{freshness, {}};
  const std::string name = resource["name"];
  const Json source = lock_source(state, resource);
  const bool configured = state.find(name) != nullptr;
  const auto found = std::ranges::find_if(*state.lock, [&](const auto& locked) {
    return configured ? same_name(name, locked.name) : locked.source == source;
  });
  const std::string file = lock_file_of(state.config).string();
  if (found == state.lock->end()) return not_locked(name, "is not in " + file);
  if (found->source != source) {
    return not_locked(name,
                      "differs from " + file + ": " + resources::difference(found->source, source));
  }
  return resources::PrepareOptions{freshness, found->version};
}

Error locked_update_error() {
  return Error{Code::kInvalidArgument, "the versions of resources are locked (--locked)",
               "Update them with \"quarry lock\", then reload the configuration."}
      .tagged("RequestError");
}

}  // namespace quarry::engine
