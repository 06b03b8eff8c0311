#include "resource-git/forge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace quarry::resource_git {
namespace {

struct KnownHost {
  std::string_view name;  ///< of the host, or its prefix when it ends in '.'
  Forge forge;
};
constexpr std::array<KnownHost, 16> kKnownHosts = {{{"github.com", Forge::kGitHub},
                                                    {"gist.github.com", Forge::kGist},
                                                    {"gist.githubusercontent.com", Forge::kGist},
                                                    {"www.github.com", Forge::kGitHub},
                                                    {"github.", Forge::kGitHub},
                                                    {"gitee.com", Forge::kGitHub},
                                                    {"huggingface.co", Forge::kHuggingFace},
                                                    {"gitlab.com", Forge::kGitLab},
                                                    {"gitlab.", Forge::kGitLab},
                                                    {"salsa.debian.org", Forge::kGitLab},
                                                    {"bitbucket.org", Forge::kBitbucket},
                                                    {"codeberg.org", Forge::kGitea},
                                                    {"gitea.", Forge::kGitea},
                                                    {"forgejo.", Forge::kGitea},
                                                    {"git.sr.ht", Forge::kSourceHut},
                                                    {"sr.ht", Forge::kSourceHut}}};

/// Sites of packages, documents and questions; a name that begins with '.' ends the host's name.
constexpr auto kSitesWithoutRepositories =
    std::to_array<std::string_view>({"crates.io",
                                     "docs.rs",
                                     "lib.rs",
                                     "pkg.go.dev",
                                     "godoc.org",
                                     "rubygems.org",
                                     "packagist.org",
                                     "hex.pm",
                                     "hexdocs.pm",
                                     "www.nuget.org",
                                     "nuget.org",
                                     "mvnrepository.com",
                                     "central.sonatype.com",
                                     "search.maven.org",
                                     "hub.docker.com",
                                     "pub.dev",
                                     "metacpan.org",
                                     "hackage.haskell.org",
                                     "cran.r-project.org",
                                     "anaconda.org",
                                     "jsr.io",
                                     "www.npmjs.com",
                                     "npmjs.com",
                                     "registry.npmjs.org",
                                     "yarnpkg.com",
                                     "unpkg.com",
                                     "cdn.jsdelivr.net",
                                     "www.jsdelivr.com",
                                     "pypi.org",
                                     "stackoverflow.com",
                                     ".readthedocs.io",
                                     ".github.io",
                                     ".gitlab.io",
                                     ".wikipedia.org",
                                     "developer.mozilla.org"});

/// First parts of paths at GitHub that are no owner.
constexpr auto kPagesOfGitHub = std::to_array<std::string_view>(
    {"about",    "apps",     "collections", "enterprise",    "enterprises", "events",   "explore",
     "features", "login",    "marketplace", "notifications", "orgs",        "readme",   "search",
     "security", "settings", "sponsors",    "stars",         "topics",      "trending", "users"});

/// Endings of pages that no server of repositories has.
constexpr std::array<std::string_view, 7> kEndingsOfPages = {".html", ".htm", ".xhtml", ".php",
                                                             ".aspx", ".jsp", ".pdf"};

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

constexpr std::size_t kNoRef = std::string::npos;

/// Positions of the parts of a web page's path.
struct Shape {
  std::size_t repository;  ///< parts of the repository's own path
  std::size_t ref;         ///< index of the branch, tag or commit; kNoRef
  std::size_t path;        ///< index where the path in the repository begins
};

bool is_any(const std::string& text, std::initializer_list<std::string_view> of) {
  return std::ranges::find(of, text) != of.end();
}

/// GitLab: …/-/tree/<ref>/<path>, on any host, since no other forge has such paths; and the same
/// without "-", as it once was.
std::optional<Shape> gitlab_shape(Forge forge, const Parts& parts) {
  for (std::size_t at = 2; at + 1 < parts.size(); ++at) {
    const bool has_dash = parts[at - 1] == "-";
    if (!has_dash && forge != Forge::kGitLab) continue;
    const std::size_t repository = has_dash ? at - 1 : at;
    if (is_any(parts[at], {"tree", "blob", "raw", "blame", "commits"})) {
      return Shape{repository, at + 1, at + 2};
    }
    if (has_dash && is_any(parts[at], {"commit", "tags", "releases"})) {
      return Shape{repository, at + 1, parts.size()};
    }
  }
  return {};
}

/// Gitiles: …/+/<ref>/<path>.
std::optional<Shape> gitiles_shape(const Location& location, const Parts& parts) {
  const auto plus = std::ranges::find(parts, "+");
  const auto at = static_cast<std::size_t>(plus - parts.begin());
  if (!location.host.ends_with(".googlesource.com") || at == 0 || at + 1 >= parts.size()) return {};
  return Shape{at, at + 1, at + 2};
}

/// Azure DevOps: …/_git/<name>/commit/<ref>, on any host; other pages have the ref in their query.
std::optional<Shape> azure_shape(const Parts& parts) {
  const auto at = static_cast<std::size_t>(std::ranges::find(parts, "_git") - parts.begin());
  if (at + 3 >= parts.size() || parts[at + 2] != "commit") return {};
  return Shape{at + 2, at + 3, parts.size()};
}

/// cgit: …/<name>.git/tree/<path>, on any host; the ref is in the query.
std::optional<Shape> cgit_shape(const Parts& parts) {
  for (std::size_t at = 1; at < parts.size(); ++at) {
    if (!parts[at - 1].ends_with(".git")) continue;
    if (is_any(parts[at], {"tree", "plain", "blame", "log"})) return Shape{at, kNoRef, at + 1};
    if (is_any(parts[at], {"about", "commit", "refs", "summary"})) {
      return Shape{at, kNoRef, parts.size()};
    }
  }
  return {};
}

/// Gitea: …/src/branch/<ref>/<path>, on any host.
std::optional<Shape> gitea_shape(const Parts& parts) {
  if (parts.size() < 5) return {};
  const bool is_release = parts[2] == "releases" && parts[3] == "tag";
  if (is_release) return Shape{2, 4, parts.size()};
  if (!is_any(parts[2], {"src", "raw", "blame", "commits", "media"})) return {};
  if (!is_any(parts[3], {"branch", "tag", "commit"})) return {};
  return Shape{2, 4, 5};
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// The ref of a pull request's page, and the number of parts of the repository's own path.
struct Request {
  std::size_t repository;
  std::string ref;
};
std::optional<Request> request_of(Forge forge, const Parts& parts) {
  const auto dash = std::ranges::find(parts, "-");
  const auto at = static_cast<std::size_t>(dash - parts.begin());
  if (at > 0 && at + 2 < parts.size() && parts[at + 1] == "merge_requests" &&
      is_number(parts[at + 2])) {
    return Request{at, "refs/merge-requests/" + parts[at + 2] + "/head"};
  }
  const auto git = static_cast<std::size_t>(std::ranges::find(parts, "_git") - parts.begin());
  if (git + 3 < parts.size() && parts[git + 2] == "pullrequest" && is_number(parts[git + 3])) {
    return Request{git + 2, "refs/pull/" + parts[git + 3] + "/merge"};  // of Azure DevOps
  }
  const std::string_view word = forge == Forge::kGitHub  ? "pull"
                                : forge == Forge::kGitea ? "pulls"
                                                         : "";
  if (word.empty() || parts.size() < 4 || parts[2] != word || !is_number(parts[3])) return {};
  if (parts.size() > 5 && parts[4] == "commits") return Request{2, parts[5]};
  return Request{2, "refs/pull/" + parts[3] + "/head"};
}

/// Writes a page that shows a repository which has another address as that.
void name_repository(Page& page) {
  Location& location = page.repository;
  const Parts parts = split(location.path);
  const auto become = [&](std::string path) {
    location.host = "github.com";
    location.path = "/" + std::move(path);
  };
  if (location.host == "raw.githubusercontent.com" && parts.size() > 3) {
    become(join(parts, 0, 2) + "/raw/" + join(parts, 2, parts.size()));
  } else if (parts.size() > 3 && parts[0] == "projects" && parts[2] == "repos") {
    // of Bitbucket Data Center, which has the ref in the query
    const bool has_path = parts.size() > 5 && is_any(parts[4], {"browse", "raw"});
    page.path = has_path ? percent_decoded(join(parts, 5, parts.size())) : "";
    location.path = "/scm/" + parts[1] + "/" + parts[3] + ".git";
  } else if (location.host == "github.dev") {
    become(join(parts, 0, parts.size()));
  } else if (location.host == "vscode.dev" && parts.size() > 2 && parts[0] == "github") {
    become(join(parts, 1, parts.size()));
  } else if (location.host == "api.github.com" && parts.size() > 2 && parts[0] == "repos") {
    become(join(parts, 1, 3));
  }
}

/// Reads [owner]/<id>, with a version behind it, or raw/<version>/<file>.
std::optional<Failure> read_gist(Page& page) {
  Location& gist = page.repository;
  Parts parts = split(gist.path);
  constexpr std::size_t kShortestId = 5;  // old ones are decimal numbers
  const auto is_id = [](const std::string& text) {
    return text.size() >= kShortestId && text.find_first_not_of("0123456789abcdef") == text.npos;
  };
  const auto without_ending = [](const std::string& text) {
    return text.ends_with(".git") ? text.substr(0, text.size() - 4) : text;
  };
  const std::size_t id = parts.size() > 1 && is_id(without_ending(parts[1])) ? 1 : 0;
  if (parts.empty() || !is_id(without_ending(parts[id]))) {
    return field_failure("/url", "is a page of gists that is no gist",
                         "Gists are https://gist.github.com/owner/id.");
  }
  std::size_t next = id + 1;
  const bool raw = next < parts.size() && parts[next] == "raw";
  if (raw) ++next;
  if (next < parts.size() && parts[next].size() == 40 && is_id(parts[next])) {
    page.ref = parts[next++];
  }
  if (raw) page.path = percent_decoded(join(parts, next, parts.size()));
  gist.host = "gist.github.com";
  gist.path = "/" + without_ending(parts[id]);
  return std::nullopt;
}

std::optional<Shape> shape_of(Forge forge, const Location& location, const Parts& parts) {
  if (const auto shape = gitlab_shape(forge, parts)) return shape;
  if (const auto shape = gitiles_shape(location, parts)) return shape;
  if (forge == Forge::kHuggingFace && !parts.empty()) {
    const std::size_t kind = is_any(parts.front(), {"datasets", "spaces"}) ? 3 : 2;
    const bool is_page = parts.size() > kind + 1 &&
                         is_any(parts[kind], {"tree", "blob", "resolve", "raw", "blame", "commit"});
    return is_page ? std::optional(Shape{kind, kind + 1, kind + 2}) : std::nullopt;
  }
  if (const auto shape = gitea_shape(parts)) return shape;
  if (const auto shape = azure_shape(parts)) return shape;
  if (parts.size() < 4) return {};
  if (forge == Forge::kGitea && parts[2] == "commit") return Shape{2, 3, parts.size()};
  if (forge == Forge::kGitHub &&
      is_any(parts[2], {"tree", "blob", "raw", "blame", "commit", "commits", "edit"})) {
    return Shape{2, 3, 4};
  }
  if (forge == Forge::kBitbucket && is_any(parts[2], {"src", "raw", "commits", "branch"})) {
    return Shape{2, 3, 4};
  }
  if (forge == Forge::kSourceHut && is_any(parts[2], {"commit", "refs", "log"})) {
    return Shape{2, 3, parts.size()};
  }
  if (forge == Forge::kSourceHut && is_any(parts[2], {"tree", "blob"})) {
    const bool item = parts.size() > 4 && parts[4] == "item";
    return Shape{2, 3, item ? 5u : 4u};
  }
  return {};
}

/// Number of parts of a repository's path at the forge; 0 = any.
std::size_t parts_of_repository(Forge forge) {
  const bool is_any_number =
      forge == Forge::kNone || forge == Forge::kGitLab || forge == Forge::kHuggingFace;
  return is_any_number ? 0 : 2;
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

/// The failure for a page that belongs to no repository.
std::optional<Failure> refuse_page(const Location& location) {
  const std::string& path = location.path;
  const bool is_page = std::ranges::any_of(
      kEndingsOfPages, [&path](std::string_view ending) { return path.ends_with(ending); });
  if (is_site_without_repositories(location.host)) {
    constexpr std::string_view kModule = "/github.com/";
    const bool names_it = location.host == "pkg.go.dev" && path.starts_with(kModule);
    const Parts parts = split(path);
    return field_failure("/url", "is a page of " + location.host + ", which has no repositories",
                         names_it && parts.size() > 2
                             ? "Give the URL of the repository: https://" + join(parts, 0, 3) + "."
                             : "Give the URL of the repository, which that page may name.");
  }
  if (!is_page || forge_of(location.host) != Forge::kNone) return std::nullopt;
  return field_failure("/url", "is the address of a web page, not of a repository",
                       "Give the https URL of a repository, as git clone takes it.");
}

std::string template_of(Forge forge) {
  switch (forge) {
    case Forge::kGitHub:
    case Forge::kHuggingFace:
      return "{url}/blob/{version}/{path}#L{start}-L{end}";
    case Forge::kGitLab:
      return "{url}/-/blob/{version}/{path}#L{start}-{end}";
    case Forge::kBitbucket:
      return "{url}/src/{version}/{path}#lines-{start}:{end}";
    case Forge::kGitea:
      return "{url}/src/commit/{version}/{path}#L{start}-L{end}";
    case Forge::kSourceHut:
      return "{url}/tree/{version}/item/{path}#L{start}-{end}";
    case Forge::kGist:  // a link names the file alone
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

bool is_site_without_repositories(std::string_view host) {
  return std::ranges::any_of(kSitesWithoutRepositories, [host](std::string_view site) {
    return site.starts_with('.') ? host.ends_with(site) : host == site;
  });
}

Outcome<Page> read_page(Location location) {
  Page page{std::move(location), "", ""};
  if (page.repository.scheme == "ssh") return page;
  Location& repository = page.repository;
  if (repository.host == "www.github.com") repository.host = "github.com";
  name_repository(page);
  const Forge forge = forge_of(repository.host);
  if (forge == Forge::kGist) {
    if (auto failure = read_gist(page)) return *failure;
    return page;
  }
  const Parts parts = split(repository.path);
  // First, so that what it leaves is no page of another server.
  const auto cgit = forge == Forge::kNone ? cgit_shape(parts) : std::nullopt;
  if (auto request = cgit ? std::nullopt : request_of(forge, parts)) {
    page.ref = std::move(request->ref);
    repository.path = "/" + join(parts, 0, request->repository);
  } else if (const auto shape = cgit ? cgit : shape_of(forge, repository, parts)) {
    const bool has_ref = shape->ref != kNoRef;
    const bool whole = has_ref && parts[shape->ref] == "refs" && shape->ref + 2 < parts.size() &&
                       is_any(parts[shape->ref + 1], {"heads", "tags"});
    const std::size_t path = shape->path + (whole ? 2 : 0);
    if (has_ref) page.ref = percent_decoded(parts[shape->ref + (whole ? 2 : 0)]);
    page.path = percent_decoded(join(parts, path, parts.size()));
    repository.path = "/" + join(parts, 0, shape->repository);
  }
  if (auto failure = refuse_page(repository)) return *failure;
  if (forge == Forge::kNone) return page;
  repository.path = without_git(std::move(repository.path));
  const std::size_t wanted = parts_of_repository(forge);
  const Parts left = split(repository.path);
  const std::size_t given = left.size();
  const bool has_owner =
      given > 1 && (repository.host != "github.com" ||
                    std::ranges::find(kPagesOfGitHub, left.front()) == kPagesOfGitHub.end());
  const bool is_gitlab_page = std::ranges::find(left, "-") != left.end();
  if ((wanted != 0 && given != wanted) || !has_owner || is_gitlab_page ||
      repository.path.ends_with("/")) {
    return field_failure("/url", "is a page of " + repository.host + " that is no repository",
                         "Repositories there are https://" + repository.host + "/owner/name.");
  }
  return page;
}

std::string clone_url(const Location& location) {
  const Forge forge = forge_of(location.host);
  const bool redirects =
      location.scheme != "ssh" && (forge == Forge::kGitLab || forge == Forge::kGist);
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
