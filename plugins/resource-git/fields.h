#pragma once

#include "resource-git/location.h"
#include "resource-git/settings.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_git {

/// A normalised resource.
struct Fields {
  Location location;
  std::string branch;                     ///< branch, tag or commit; empty = the remote's default
  std::vector<std::string> search_paths;  ///< of both fields; empty = everything
  std::string token;                      ///< name of a secret; may be empty
};

/// The canonical resource; failures name the field.
Outcome<std::string> normalise(std::string_view resource, const Settings& settings);

/// Reads the result of normalise. A resource that normalise rejects fails here with the same
/// failure: the host passes on a resource of its configuration unchanged, so that a question about
/// it reports the failure.
Outcome<Fields> read_fields(std::string_view resource);

/// A resource named after its repository; "null" when the reference means none (read_reference).
std::string parse_reference(std::string_view reference, const Settings& settings);

/// True if `ref` is the full id of a commit.
bool is_commit(std::string_view ref);

}  // namespace quarry::resource_git
