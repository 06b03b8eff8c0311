#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_git {

/// A repository, as people write and paste it.
struct Reference {
  std::string url;        ///< of a repository or of a page of it; perhaps of a host that has none
  std::string ref = {};   ///< branch, tag or commit, beside the URL; empty = none
  std::string path = {};  ///< directory, beside the URL; empty = none
  bool sure = false;      ///< written for git alone, not as any URL
};

/// Reads https, http, ssh and git URLs, "git+https://…" of package managers, "user@host:path", a
/// forge's URL without its scheme, "github:owner/name", "owner/name" (of GitHub), and package URLs
/// of forges ("pkg:github/owner/name@v1", or one with vcs_url). Nothing for any other text. The URL
/// is not checked.
std::optional<Reference> read_reference(std::string_view text);

}  // namespace quarry::resource_git
