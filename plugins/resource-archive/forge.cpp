#include "resource-archive/forge.h"

#include "package_source/path.h"

#include <quarry/percent.hpp>

#include <vector>

namespace quarry::resource_archive {

namespace {

std::vector<std::string> components_of(std::string_view path) {
  std::vector<std::string> out;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (!part.empty()) out.emplace_back(part);
    path.remove_prefix(std::min(path.size(), part.size() + 1));
  }
  return out;
}

/// Braces would be read as parts of the template.
bool has_braces(const std::string& text) {
  return text.find_first_of("{}") != std::string::npos;
}

/// The URL of a repository whose archives are at `<repository>/<mark>/…`; empty when `parts` has
/// no `mark` behind an owner and a name.
std::string repository(const Url& url, const std::vector<std::string>& parts,
                       std::string_view mark) {
  std::string out = url.origin();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i >= 2 && parts[i] == mark) return out;
    out += "/" + parts[i];
  }
  return {};
}

}  // namespace

std::string Pages::all() const {
  return each ? std::string() : base + "{path}" + lines;
}

std::string Pages::page_of(std::string_view path) const {
  const std::string_view inside = package_source::without_components(path, 1);
  if (inside.empty()) return {};
  return base + to_percent_encoded(inside, "/") + lines;
}

std::optional<Pages> pages_of(const Source& source, const std::string& commit) {
  if (commit.empty() || source.strip > 1 || !source.token.empty()) return std::nullopt;
  Pages pages;
  pages.each = source.strip == 0;
  const Url& url = source.url;
  const auto parts = components_of(url.path);
  if (url.host == "github.com" || url.host == "codeload.github.com") {
    if (parts.size() < 4) return std::nullopt;
    pages.base = "https://github.com/" + parts[0] + "/" + parts[1] + "/blob/" + commit + "/";
    pages.lines = "#L{start}-L{end}";
  } else if (const std::string gitlab = repository(url, parts, "-"); !gitlab.empty()) {
    pages.base = gitlab + "/-/blob/" + commit + "/";
    pages.lines = "#L{start}-{end}";
  } else if (url.host == "codeberg.org" && !repository(url, parts, "archive").empty()) {
    pages.base = repository(url, parts, "archive") + "/src/commit/" + commit + "/";
    pages.lines = "#L{start}-L{end}";
  } else {
    return std::nullopt;
  }
  if (has_braces(pages.base)) return std::nullopt;
  return pages;
}

}  // namespace quarry::resource_archive
