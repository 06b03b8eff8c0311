#pragma once

#include "ask/question.h"
#include "base/error.h"
#include "engine/state.h"
#include "resources/library.h"

#include <optional>
#include <string>
#include <vector>

namespace quarry::engine {

/// Finds the resources that a client names: those of a list, and references that a plugin
/// recognises. The constructor's arguments must outlive it. [worker]
class ResourceChoice {
 public:
  /// Chooses among the configured resources.
  explicit ResourceChoice(const State& state)
      : state_(state), resources_(state.resources), types_(state.types) {}
  /// Chooses among the resources of a project: its own, and those that are shared with it.
  ResourceChoice(const State& state, const std::vector<Json>& own, std::string_view project)
      : state_(state),
        resources_(own),
        shared_(shared_with(state.shared, project, own)),
        types_(state.types_for_tokens),
        project_(project) {}

  /// Canonical resources in the order of `references`, each once; the whole list if there are none.
  /// CollectionError for unknown references and, with a lock file, for resources it does not have.
  Result<std::vector<ask::WantedResource>> choose(const std::vector<std::string>& references,
                                                  resources::Freshness freshness);

  /// True if `name` is that of a listed resource, not a reference.
  [[nodiscard]] bool lists(std::string_view name) const;
  [[nodiscard]] bool is_empty() const { return resources_.empty() && shared_.empty(); }

  /// The resource that a client calls `reference`; as configured if its type refuses it.
  Result<Json> find(const std::string& reference);
  /// The resource that a plugin makes from a reference, with a name that no configured resource
  /// has; nothing if no plugin recognises it.
  Result<std::optional<Json>> recognise(const std::string& reference);

  /// Error for the name of no resource, with the nearest name or all.
  [[nodiscard]] Error unknown_name(const std::string& name) const;
  /// The same where a reference may be given instead, with the forms of references.
  [[nodiscard]] Error unknown(const std::string& reference) const;

 private:
  /// A resource, and the reason for which its type refused it.
  struct Canonical {
    Json resource;
    std::optional<Error> refused = {};
    bool is_shared = false;
  };
  Result<Canonical> canonical(const std::string& reference, const std::vector<std::string>& taken);
  Result<std::optional<Json>> recognise_distinct(const std::string& reference,
                                                 std::vector<std::string> taken);
  [[nodiscard]] Canonical as_configured(const Json& resource) const;
  [[nodiscard]] Result<ask::WantedResource> as_wanted(Canonical found,
                                                      resources::Freshness freshness) const;
  [[nodiscard]] bool is_owners() const;
  [[nodiscard]] const Json* find_shared(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::string forms_of_references() const;

  const State& state_;
  const std::vector<Json>& resources_;
  const std::vector<const Json*> shared_;
  const plugins::ResourceTypes& types_;
  const std::string project_;  // empty = the owner
};

/// The resource that a client calls `name`; null if there is none.
const Json* find_named(const std::vector<Json>& resources, std::string_view name);

/// The names of resources, in their order.
std::vector<std::string> names_of(const std::vector<Json>& resources);

}  // namespace quarry::engine
