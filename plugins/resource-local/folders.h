#pragma once

#include <quarry/outcome.hpp>

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace quarry::resource_local {

/// Which folders may be read.
struct Policy {
  /// Only these and what lies beneath; nothing = everything but what is never meant to be shown:
  /// the system's own folders and those that hold keys.
  std::optional<std::vector<std::filesystem::path>> roots;
  std::filesystem::path home;  ///< what "~" stands for
  /// For callers with tokens: no failure tells what there is on this machine. Only absolute paths
  /// beneath `roots` are looked at, and links must stay beneath their root.
  bool for_projects = false;
};

/// {"local_roots": ["/srv/docs"], "acts_for": "project"}, both members being optional.
Outcome<Policy> read_policy(std::string_view configuration, std::filesystem::path home);

/// The real path of a folder that may be read. `path` is absolute or begins with "~". What counts
/// is where the path leads, so a link does not get around the policy. Failures name the field
/// /path; for projects they are all the same.
Outcome<std::filesystem::path> check_folder(std::string_view path, const Policy& policy);

/// The absolute path that a reference means ("./docs", "../x", "~/x", "/x"), nothing when it does
/// not look like one or there is no such folder. Whether it may be read is asked for projects
/// alone.
std::optional<std::filesystem::path> folder_of_reference(std::string_view reference,
                                                         const Policy& policy);

}  // namespace quarry::resource_local
