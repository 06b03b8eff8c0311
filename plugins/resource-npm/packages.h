#pragma once

#include "resource-npm/registry.h"
#include "resource-npm/resource.h"
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
  /// The user's .npmrc, unless it is not to count.
  [[nodiscard]] Npmrc npmrc() const;

  Host host_;
  Settings settings_;
  Npmrc::Environment environment_;
};

}  // namespace quarry::resource_npm
