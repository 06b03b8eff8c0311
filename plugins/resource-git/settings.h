#pragma once

#include <quarry/outcome.hpp>

#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace quarry::resource_git {

/// [resource_type.git] of the configuration.
struct Settings {
  bool credential_helpers = false;  ///< use those of the user's git configuration
  bool ssh = false;                 ///< ssh URLs, with the user's keys and known hosts
  std::map<std::string, std::string> permalinks = {};  ///< templates by host
  std::chrono::seconds timeout{600};  ///< of one fetch, and of one query of the remote
  /// True if it acts for callers with tokens (<quarry/resource.h>): helpers and ssh are then
  /// disabled, whatever is configured.
  bool for_projects = false;
};

/// Failures name the member.
Outcome<Settings> read_settings(std::string_view configuration);

}  // namespace quarry::resource_git
