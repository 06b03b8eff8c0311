#pragma once

#include "resource-npm/registry.h"
#include "resource-npm/resource.h"
#include "resource-npm/settings.h"

#include <quarry/host.hpp>
#include <quarry/resource.hpp>

#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// Packages of npm registries as resources. The functions are those of quarry_resource_v1; several
/// calls may run at once.
class Packages {
 public:
  /// Uses neither disk nor network. `environment` is read in each call.
  Packages(Host host, Settings settings, Npmrc::Environment environment)
      : host_(host), settings_(std::move(settings)), environment_(std::move(environment)) {}

  [[nodiscard]] Outcome<std::string> normalise(std::string_view resource) const;
  [[nodiscard]] Outcome<std::string> resolve(const Call& call, std::string_view resource) const;
  [[nodiscard]] Outcome<std::string> fetch(const Call& call, std::string_view resource,
                                           std::string_view version, Tree& tree) const;

 private:
  struct Asked {
    Resource resource;
    Registry registry;
  };
  [[nodiscard]] Outcome<Asked> read(std::string_view resource) const;
  /// The user's .npmrc; empty when it is disabled.
  [[nodiscard]] Npmrc npmrc() const;

  Host host_;
  Settings settings_;
  Npmrc::Environment environment_;
};

}  // namespace quarry::resource_npm
