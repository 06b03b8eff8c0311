#pragma once

#include "ask/question.h"
#include "base/error.h"
#include "engine/state.h"
#include "resources/library.h"

#include <optional>
#include <string>
#include <vector>

namespace quarry::engine {

/// Finds the resources that a client names: configured ones, and references that a plugin knows.
/// Both must outlive it. [worker]
class ResourceChoice {
 public:
  ResourceChoice(const State& state, resources::Library& library)
      : state_(state), library_(library) {}

  /// Canonical resources in the order they are named, each once; all that are configured when none
  /// is. CollectionError for what nobody knows; with a lock file, for what it does not fix.
  Result<std::vector<ask::WantedResource>> choose(const std::vector<std::string>& references,
                                                  resources::Freshness freshness);

  /// The resource that a client calls `reference`.
  Result<Json> find(const std::string& reference);
  /// What a plugin makes of a reference, under a name that no configured resource has; nothing when
  /// none knows it.
  Result<std::optional<Json>> recognise(const std::string& reference);

  /// That there is no resource of this name, with the nearest one or the forms of references.
  [[nodiscard]] Error unknown(const std::string& reference) const;

 private:
  Result<Json> canonical(const std::string& reference, const std::vector<std::string>& taken);
  Result<std::optional<Json>> recognise_unlike(const std::string& reference,
                                               std::vector<std::string> taken);
  [[nodiscard]] std::string forms_of_references() const;

  const State& state_;
  resources::Library& library_;
};

/// The names of the configured resources, in their order.
std::vector<std::string> names_of(const State& state);

}  // namespace quarry::engine
