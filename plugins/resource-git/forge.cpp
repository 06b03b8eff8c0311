#include "resource-git/forge.h"

#include <algorithm>
#include <array>
#include <vector>

namespace quarry::resource_git {
namespace {

struct KnownHost {
  std::string_view name;  ///< of the host, or its prefix when it ends in '.'
  Forge forge;
};
constexpr std::array<KnownHost, 12> kKnownHosts = {{{"github.com", Forge::kGitHub},
                                                    {"www.github.com", Forge::kGitHub},
                                                    {"github.", Forge::kGitHub},
                                                    {"gitlab.com", Forge::kGitLab},
                                                    {"gitlab.", Forge::kGitLab},
                                                    {"salsa.debian.org", Forge::kGitLab},
                                                    {"bitbucket.org", Forge::kBitbucket},
                                                    {"codeberg.org", Forge::kGitea},
                                                    {"gitea.", Forge::kGitea},
                                                    {"forgejo.", Forge::kGitea},
                                                    {"git.sr.ht", Forge::kSourceHut},
                                                    {"sr.ht", Forge::kSourceHut}}};

using Parts = std::vector<std::string>;

Parts split(std::string_view path) {
  Parts parts;
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto end = std::min(path.find('/'), path.size());
    parts.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return parts;
}

std::string join(const Parts& parts, std::size_t begin, std::size_t end) {
  std::string out;
  for (std::size_t i = begin; i < std::min(end, parts.size()); ++i) {
    out += (out.empty() ? "" : "/") + parts[i];
  }
  return out;
}

/// Positions of the parts of a web page's path.
struct Shape {
  std::size_t repository;  ///< parts of the repository's own path
  std::size_t ref;         ///< index of the branch, tag or commit
  std::size_t path;        ///< index where the path in the repository begins
};

bool is_any(const std::string& text, std::initializer_list<std::string_view> of) {
  return std::ranges::find(of, text) != of.end();
}

/// GitLab: …/-/tree/<ref>/<path>, on any host, since no other forge has such paths.
std::optional<Shape> gitlab_shape(const Parts& parts) {
  const auto dash = std::ranges::find(parts, "-");
  if (dash == parts.end() || dash == parts.begin()) return {};
  const auto at = static_cast<std::size_t>(dash - parts.begin());
  if (at + 2 >= parts.size() || !is_any(parts[at + 1], {"tree", "blob", "raw", "blame"})) return {};
  return Shape{at, at + 2, at + 3};
}

/// Gitea: …/src/branch/<ref>/<path>, on any host.
std::optional<Shape> gitea_shape(const Parts& parts) {
  if (parts.size() < 5 || !is_any(parts[2], {"src", "raw", "blame"})) return {};
  if (!is_any(parts[3], {"branch", "tag", "commit"})) return {};
  return Shape{2, 4, 5};
}

std::optional<Shape> shape_of(Forge forge, const Parts& parts) {
  if (const auto shape = gitlab_shape(parts)) return shape;
  if (const auto shape = gitea_shape(parts)) return shape;
  if (parts.size() < 4) return {};
  if (forge == Forge::kGitHub && is_any(parts[2], {"tree", "blob", "raw", "blame", "commit"})) {
    return Shape{2, 3, 4};
  }
  if (forge == Forge::kGitHub && parts.size() == 5 && parts[2] == "releases" && parts[3] == "tag") {
    return Shape{2, 4, 5};
  }
  if (forge == Forge::kBitbucket && is_any(parts[2], {"src", "raw"})) return Shape{2, 3, 4};
  if (forge == Forge::kSourceHut && is_any(parts[2], {"tree", "blob"})) {
    const bool item = parts.size() > 4 && parts[4] == "item";
    return Shape{2, 3, item ? 5u : 4u};
  }
  return {};
}

/// Number of parts of a repository's path at the forge; 0 = any.
std::size_t parts_of_repository(Forge forge) {
  return forge == Forge::kNone || forge == Forge::kGitLab ? 0 : 2;
}

void replace_all(std::string& text, std::string_view what, const std::string& with) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

std::string without_git(std::string path) {
  if (path.ends_with(".git")) path.resize(path.size() - 4);
  return path;
}

std::string template_of(Forge forge) {
  switch (forge) {
    case Forge::kGitHub:
      return "{url}/blob/{version}/{path}#L{start}-L{end}";
    case Forge::kGitLab:
      return "{url}/-/blob/{version}/{path}#L{start}-{end}";
    case Forge::kBitbucket:
      return "{url}/src/{version}/{path}#lines-{start}:{end}";
    case Forge::kGitea:
      return "{url}/src/commit/{version}/{path}#L{start}-L{end}";
    case Forge::kSourceHut:
      return "{url}/tree/{version}/item/{path}#L{start}-{end}";
    case Forge::kNone:
      break;
  }
  return "";
}

}  // namespace

Forge forge_of(std::string_view host) {
  for (const KnownHost& known : kKnownHosts) {
    const bool same = known.name.ends_with('.') ? host.starts_with(known.name) : host == known.name;
    if (same) return known.forge;
  }
  return Forge::kNone;
}

Outcome<Page> read_page(Location location) {
  Page page{std::move(location), "", ""};
  if (page.repository.scheme == "ssh") return page;
  Location& repository = page.repository;
  if (repository.host == "www.github.com") repository.host = "github.com";
  const Forge forge = forge_of(repository.host);
  const Parts parts = split(repository.path);
  if (const auto shape = shape_of(forge, parts)) {
    page.ref = percent_decoded(parts[shape->ref]);
    page.path = percent_decoded(join(parts, shape->path, parts.size()));
    repository.path = "/" + join(parts, 0, shape->repository);
  }
  if (forge == Forge::kNone) return page;
  repository.path = without_git(std::move(repository.path));
  const std::size_t wanted = parts_of_repository(forge);
  const std::size_t given = split(repository.path).size();
  if ((wanted != 0 && given != wanted) || given < 2 || repository.path.ends_with("/")) {
    return field_failure("/url", "is a page of " + repository.host + " that is no repository",
                         "Repositories there are https://" + repository.host + "/owner/name.");
  }
  return page;
}

std::string clone_url(const Location& location) {
  const bool redirects = location.scheme != "ssh" && forge_of(location.host) == Forge::kGitLab;
  return to_url(location) + (redirects ? ".git" : "");
}

std::string permalink(const Location& location,
                      const std::map<std::string, std::string>& templates) {
  auto found = templates.find(authority(location));
  if (found == templates.end()) found = templates.find(location.host);
  std::string link =
      found != templates.end() ? found->second : template_of(forge_of(location.host));
  std::string path = without_git(location.path);
  if (!path.starts_with('/')) path.insert(0, "/");
  const bool web = location.scheme != "ssh";
  replace_all(link, "{url}",
              (web ? location.scheme : "https") + "://" +
                  (web ? authority(location) : location.host) + path);
  replace_all(link, "{repository}", path.substr(1));
  return link;
}

}  // namespace quarry::resource_git
