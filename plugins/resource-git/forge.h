#pragma once

#include "resource-git/location.h"

#include <map>
#include <optional>
#include <string>

namespace quarry::resource_git {

/// Programs that serve repositories and show them as web pages.
enum class Forge { kNone, kGitHub, kGist, kGitLab, kBitbucket, kGitea, kSourceHut, kHuggingFace };

/// The forge that a host runs, judged by its name.
Forge forge_of(std::string_view host);

/// The parts of a forge's web page URL.
struct Page {
  Location repository;
  std::string ref;   ///< branch, tag or commit; empty = none
  std::string path;  ///< directory or file, decoded; empty = none
};

/// Reads the URL of a repository or of a page of it (a directory, a file, a pull request).
/// For a known forge ".git" is dropped, because it makes no difference. A page without
/// files (an issue, a search) and a page of a site without repositories are failures of the field
/// /url. Only the remote's refs tell where a ref with a slash ends: `ref` is its first part then,
/// and `path` has the rest (find_continued_ref).
Outcome<Page> read_page(Location location);

/// True for hosts of packages and documents that people take for the place of the sources.
bool is_site_without_repositories(std::string_view host);

/// The URL for git: GitLab and gists redirect a URL without ".git", which costs a round trip.
std::string clone_url(const Location& location);

/// The template of links to lines of a version: {version} {path} {start} {end}; empty when none is
/// known. `templates`, by "host" or "host:port", take precedence; they may also contain {url} (the
/// repository's web page) and {repository} (its path).
std::string permalink(const Location& location,
                      const std::map<std::string, std::string>& templates);

}  // namespace quarry::resource_git
