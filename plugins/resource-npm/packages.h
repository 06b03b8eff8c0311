#pragma once

#include "resource-npm/kept_packuments.h"
#include "resource-npm/registry.h"
#include "resource-npm/settings.h"

#include <quarry/host.hpp>
#include <quarry/resource.hpp>

#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// Packages of npm registries as resources. Functions as in quarry_resource_v1; several calls at
/// once.
class Packages {
 public:
  /// Touches neither disk nor network. `environment` is asked at each call.
  Packages(Host host, Settings settings, Npmrc::Environment environment)
      : host_(host), settings_(std::move(settings)), environment_(std::move(environment)) {}

  Outcome<std::string> resolve(const Call& call, std::string_view resource) const;
  Outcome<std::string> fetch(const Call& call, std::string_view resource, std::string_view version,
                             Tree& tree) const;

 private:
  Outcome<Registry> registry_of(const Resource& resource) const;
  /// Asks the registry, with the ETag of the packument that is kept.
  Outcome<Packument> ask(const Call& call, const Resource& resource,
                         const Registry& registry) const;
  /// The packument that is kept if it holds `version`, else as the registry has it now.
  Outcome<Packument> packument_with(const Call& call, const Resource& resource,
                                    const Registry& registry, const std::string& version) const;
  [[nodiscard]] KeptPackuments kept() const;

  Host host_;
  Settings settings_;
  Npmrc::Environment environment_;
};

}  // namespace quarry::resource_npm
