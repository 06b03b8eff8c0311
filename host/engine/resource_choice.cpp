#include "engine/resource_choice.h"

#include "base/text.h"
#include "engine/locking.h"
#include "engine/requests.h"
#include "engine/resource_names.h"
#include "resources/normalise.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine {

const Json* find_named(const std::vector<Json>& resources, std::string_view name) {
  const auto found = std::ranges::find_if(resources, [&](const Json& resource) {
    return same_name(name, resource["name"].get_ref<const std::string&>());
  });
  return found == resources.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(const std::vector<Json>& resources) {
  std::vector<std::string> out;
  for (const Json& resource : resources) out.push_back(resource["name"]);
  return out;
}

Result<std::vector<ask::WantedResource>> ResourceChoice::choose(
    const std::vector<std::string>& references, resources::Freshness freshness) {
  std::vector<ask::WantedResource> out;
  std::vector<std::string> taken;
  for (const std::string& reference : references.empty() ? names_of(resources_) : references) {
    auto found = canonical(reference, taken);
    if (!found) return std::move(found).error();
    Json& resource = found->resource;
    const std::string name = resource["name"];
    if (std::ranges::find(taken, name) != taken.end()) continue;
    taken.push_back(name);
    // The lock file applies to configured resources and to references of the owner.
    auto prepare_options =
        is_owners() ? prepare_options_for(state_, resource, freshness)
                    : Result<resources::PrepareOptions>(resources::PrepareOptions{freshness, {}});
    if (!prepare_options) return std::move(prepare_options).error();
    prepare_options->refused = std::move(found->refused);
    out.push_back({std::move(resource), std::move(*prepare_options)});
  }
  return out;
}

bool ResourceChoice::is_owners() const {
  return &resources_ == &state_.resources;
}

Result<Json> ResourceChoice::find(const std::string& reference) {
  auto found = canonical(reference, {});
  if (!found) return std::move(found).error();
  return std::move(found->resource);
}

Result<std::optional<Json>> ResourceChoice::recognise(const std::string& reference) {
  return recognise_distinct(reference, names_of(resources_));
}

Result<ResourceChoice::Canonical> ResourceChoice::canonical(const std::string& reference,
                                                            const std::vector<std::string>& taken) {
  if (const Json* configured = find_named(resources_, reference)) {
    auto value = resources::normalise(types_, *configured, Schema::Unknown::kIgnore);
    if (value) return Canonical{std::move(*value)};
    // A project's resource must pass the checks of its type, even if it has a snapshot.
    if (!is_owners()) return std::move(value).error().in(reference).tagged("ConfigError");
    // It fails when it is prepared, so that the other resources are still used.
    return Canonical{*configured, std::move(value).error()};
  }
  std::vector<std::string> names = names_of(resources_);
  names.insert(names.end(), taken.begin(), taken.end());
  auto resource = recognise_distinct(reference, std::move(names));
  if (!resource) {
    Error error = std::move(resource).error();
    error.tag = "CollectionError";
    return error;
  }
  if (!*resource) return unknown(reference);
  return Canonical{std::move(**resource)};
}

Result<std::optional<Json>> ResourceChoice::recognise_distinct(const std::string& reference,
                                                               std::vector<std::string> taken) {
  auto resource = resources::parse_reference(types_, reference, state_.report);
  if (resource && *resource) (**resource)["name"] = distinct_name((**resource)["name"], taken);
  return resource;
}

Error ResourceChoice::unknown(const std::string& reference) const {
  const std::vector<std::string> known = names_of(resources_);
  const auto near = nearest(reference, known);
  std::string hint = near            ? "Did you mean \"" + *near + "\"?"
                     : known.empty() ? "No resource is configured."
                                     : "There are: " + join(known, ", ") + ".";
  return Error{Code::kNotFound, "there is no resource \"" + reference + "\"",
               hint + " " + forms_of_references()}
      .tagged("CollectionError");
}

std::string ResourceChoice::forms_of_references() const {
  std::vector<std::string> examples;
  for (const auto& [name, type] : types_) {
    const auto& given = type->describe().examples;
    examples.insert(examples.end(), given.begin(),
                    given.begin() + std::min<std::ptrdiff_t>(2, std::ssize(given)));
  }
  return "A reference works too, such as " + join(examples, ", ") + ".";
}

}  // namespace quarry::engine
