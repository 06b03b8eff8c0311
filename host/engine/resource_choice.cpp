#include "engine/resource_choice.h"

#include "base/text.h"
#include "engine/locking.h"
#include "engine/requests.h"
#include "engine/resource_names.h"
#include "resources/normalise.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

/// The error for a package URL, "pkg:type/name", of a type that no plugin reads.
Error unread_package(const std::string& reference, const std::string& forms) {
  const std::string type = reference.substr(4, reference.find_first_of("/@?#", 4) - 4);
  if (reference.find('/', 4) == reference.npos) {
    return Error{Code::kNotFound, "\"" + reference + "\" names no package",
                 "Write pkg:type/name, such as pkg:npm/react. " + forms}
        .tagged("CollectionError");
  }
  return Error{Code::kNotFound, "no plugin reads packages of the type \"" + type + "\"",
               "Name the repository of the package instead. " + forms}
      .tagged("CollectionError");
}

}  // namespace

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
  for (const std::string& reference : references.empty() ? names() : references) {
    auto found = canonical(reference, taken);
    if (!found) return std::move(found).error();
    const std::string name = found->resource["name"];
    if (std::ranges::find(taken, name) != taken.end()) continue;
    taken.push_back(name);
    auto wanted = as_wanted(std::move(*found), freshness);
    if (!wanted) return std::move(wanted).error();
    out.push_back(std::move(*wanted));
  }
  return out;
}

Result<ask::WantedResource> ResourceChoice::as_wanted(Canonical found,
                                                      resources::Freshness freshness) const {
  resources::PrepareOptions prepare_options{freshness, {}};
  // The lock file applies to configured resources and to references of the owner.
  if (is_owners() || found.is_shared) {
    // A project does not decide when a source of the owner is contacted.
    if (found.is_shared) freshness = resources::Freshness::kPolicy;
    auto as_locked = prepare_options_for(state_, found.resource, freshness);
    if (as_locked) {
      prepare_options = std::move(*as_locked);
    } else if (found.is_shared) {
      found.refused = std::move(as_locked).error();  // names files of the owner
    } else {
      return std::move(as_locked).error();
    }
  }
  prepare_options.refused = std::move(found.refused);
  const auto type = types_.find(found.resource.value("type", ""));
  const bool is_told = type != types_.end() && !found.is_shared;
  return ask::WantedResource{std::move(found.resource), std::move(prepare_options),
                             found.is_shared ? state_.report : nullptr,
                             is_told ? type->second->describe().plugin : ""};
}

bool ResourceChoice::is_owners() const {
  return &resources_ == &state_.resources;
}

bool ResourceChoice::lists(std::string_view name) const {
  return find_named(resources_, name) != nullptr || find_shared(name) != nullptr;
}

const Json* ResourceChoice::find_shared(std::string_view name) const {
  const auto found = std::ranges::find_if(shared_, [&](const Json* resource) {
    return same_name(name, (*resource)["name"].get_ref<const std::string&>());
  });
  return found == shared_.end() ? nullptr : *found;
}

std::vector<std::string> ResourceChoice::names() const {
  std::vector<std::string> out = names_of(resources_);
  for (const Json* resource : shared_) out.push_back((*resource)["name"]);
  return out;
}

Result<Json> ResourceChoice::find(const std::string& reference) {
  auto found = canonical(reference, {});
  if (!found) return std::move(found).error();
  return std::move(found->resource);
}

Result<std::optional<Json>> ResourceChoice::recognise(const std::string& reference) {
  return recognise_distinct(reference, names());
}

ResourceChoice::Canonical ResourceChoice::as_configured(const Json& resource) const {
  auto value = resources::normalise(state_.types, resource, Schema::Unknown::kIgnore);
  if (value) return {std::move(*value)};
  // It fails when it is prepared, so that the other resources are still used.
  return {resource, std::move(value).error()};
}

Result<ResourceChoice::Canonical> ResourceChoice::canonical(const std::string& reference,
                                                            const std::vector<std::string>& taken) {
  if (const Json* listed = find_named(resources_, reference)) {
    if (is_owners()) return as_configured(*listed);
    // A project's resource must pass the checks of its type, even if it has a snapshot.
    auto value = resources::normalise(types_, *listed, Schema::Unknown::kIgnore, project_);
    // Where the plugin is at fault, the other resources are still used.
    if (!value && value.error().code != Code::kInvalidArgument) {
      return Canonical{*listed, std::move(value).error()};
    }
    if (!value) return std::move(value).error().in(reference).tagged("ConfigError");
    return Canonical{std::move(*value)};
  }
  if (const Json* shared = find_shared(reference)) {
    Canonical found = as_configured(*shared);
    found.is_shared = true;
    return found;
  }
  // "docs/guide" is a path in the resource "docs" rather than anything else.
  if (lists(reference.substr(0, reference.find('/')))) return unknown(reference);
  std::vector<std::string> known = names();
  known.insert(known.end(), taken.begin(), taken.end());
  auto resource = recognise_distinct(reference, std::move(known));
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
  auto resource = resources::parse_reference(types_, reference, state_.report, project_);
  if (resource && *resource) (**resource)["name"] = distinct_name((**resource)["name"], taken);
  return resource;
}

Error ResourceChoice::unknown_name(const std::string& name) const {
  const std::vector<std::string> known = names();
  const auto near = nearest(name, known);
  Error error{Code::kNotFound, "there is no resource \"" + name + "\"",
              near            ? "Did you mean \"" + *near + "\"?"
              : known.empty() ? "No resource is configured."
                              : "There are: " + join(known, ", ") + "."};
  error.details = {{"/resources", error.message}};
  return std::move(error).tagged("CollectionError");
}

Error ResourceChoice::unknown(const std::string& reference) const {
  if (reference.starts_with("pkg:")) return unread_package(reference, forms_of_references());
  if (reference.starts_with("file:")) {
    return Error{Code::kNotFound, "there is no folder or file \"" + reference + "\"",
                 "Write file:// and an absolute path, or the path alone."}
        .tagged("CollectionError");
  }
  Error error = unknown_name(reference);
  // A name may be meant as that of a folder beside the program.
  const std::string as_path = "./" + reference;
  const auto path = resources::parse_reference(
      types_, as_path, [](std::string_view) {}, project_);
  if (path && *path) {
    error.hint = "For the folder or file here, say \"" + as_path + "\". " + error.hint;
  }
  for (const auto& [name, type] : types_) {
    const Error* const unusable = type->unusable();
    if (unusable == nullptr || unusable->code == Code::kNotFound) continue;
    error.hint += " The type \"" + name + "\" cannot read references: " + unusable->message + ".";
  }
  error.hint += " " + forms_of_references();
  return error;
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
