#pragma once

#include <quarry/outcome.hpp>

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace quarry::resource_local {

/// Rules for folders that may be read.
struct Policy {
  /// Only these and everything beneath; nullopt = everything but system folders and folders that
  /// hold keys.
  std::optional<std::vector<std::filesystem::path>> roots;
  std::filesystem::path home;  ///< the value of "~"
  /// For callers with tokens: no failure reveals the content of this machine. Only absolute paths
  /// beneath `roots` are accessed, and links must stay beneath their root.
  bool for_projects = false;
};

/// {"local_roots": ["/srv/docs"], "acts_for": "project"}, both members optional.
Outcome<Policy> read_policy(std::string_view configuration, std::filesystem::path home);

/// The real path of a folder or, except for projects, of a file that may be read. `path` is
/// absolute or begins with "~". The policy applies to the path after resolving links. Failures name
/// the field /path; for projects they are all the same.
Outcome<std::filesystem::path> check_path(std::string_view path, const Policy& policy);

/// The absolute path that a reference means ("./docs", "../x.md", "~/x", "/x", "file:///x"),
/// nullopt when it does not look like a path or there is no such folder or file. The policy is
/// checked for projects only.
std::optional<std::filesystem::path> path_of_reference(std::string_view reference,
                                                       const Policy& policy);

}  // namespace quarry::resource_local
