#pragma once

#include "resource-git/location.h"

#include <map>
#include <optional>
#include <string>

namespace quarry::resource_git {

/// Programs that serve repositories and show them as web pages.
enum class Forge { kNone, kGitHub, kGitLab, kBitbucket, kGitea, kSourceHut };

/// Which one a host runs, as far as its name tells.
Forge forge_of(std::string_view host);

/// What a URL of a forge's web page says about a repository.
struct Page {
  Location repository;
  std::string ref;   ///< branch, tag or commit; empty = none is named
  std::string path;  ///< directory or file, decoded; empty = none is named
};

/// Reads the URL of a repository or of a page of it (a directory, a file). At a known forge ".git"
/// makes no difference and is dropped. A page that shows no files (an issue, a search) is a failure
/// of the field /url.
Outcome<Page> read_page(Location location);

/// What git is told: GitLab answers a URL without ".git" with a redirect, which takes a round trip.
std::string clone_url(const Location& location);

/// The template of links to lines of a version: {version} {path} {start} {end}; empty where none is
/// known. `templates`, by "host" or "host:port", count first; they may also say {url} (the
/// repository's web page) and {repository} (its path).
std::string permalink(const Location& location,
                      const std::map<std::string, std::string>& templates);

}  // namespace quarry::resource_git
