#include "resource-git/fields.h"

#include "resource-git/forge.h"
#include "resource-git/reference.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include <nlohmann/json.hpp>

namespace quarry::resource_git {
namespace {

using Json = nlohmann::json;

/// The web address of a forge's repository; words for that of another.
std::string https_url(const Location& location) {
  if (forge_of(location.host) == Forge::kNone) return "its https URL";
  std::string path = location.path;
  if (path.ends_with(".git")) path.resize(path.size() - 4);
  return "https://" + location.host + (path.starts_with('/') ? "" : "/") + path;
}

Outcome<Page> read_url(std::string_view url, const Settings& settings) {
  auto location = parse_location(url);
  if (!location) return location.failure();
  if (location->scheme == "ssh" && settings.for_projects) {
    return field_failure("/url", "is an ssh URL, which cannot be used with a token",
                         "Use the repository's https URL.");
  }
  if (location->scheme == "ssh" && !settings.ssh) {
    return field_failure(
        "/url", "is an ssh URL, which is not configured",
        "Use " + https_url(*location) + ", or set ssh = true in [resource_type.git].");
  }
  return read_page(std::move(*location));
}

/// A path of the repository as its tree spells it; empty = the whole tree.
Outcome<std::string> read_path(const std::string& text, const std::string& field) {
  if (text.starts_with('/')) {
    return field_failure(field, "must be relative to the root of the repository");
  }
  std::string out;
  std::size_t at = 0;
  while (at <= text.size()) {
    const auto end = std::min(text.find('/', at), text.size());
    const std::string part = text.substr(at, end - at);
    if (part == "..") return field_failure(field, "must not contain ..");
    if (std::ranges::any_of(part, [](char c) { return c >= 0 && c < ' '; })) {
      return field_failure(field, "must not contain control characters");
    }
    if (!part.empty() && part != ".") out += (out.empty() ? "" : "/") + part;
    at = end + 1;
  }
  return out;
}

std::string text_of(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Replaces searchPath and searchPaths by their canonical forms.
std::optional<Failure> tidy_paths(Json& resource, const std::string& of_page) {
  auto single = read_path(text_of(resource, "searchPath"), "/searchPath");
  if (!single) return single.failure();
  std::vector<std::string> several;
  std::size_t index = 0;
  for (const Json& path : resource.value("searchPaths", Json::array())) {
    auto one = read_path(path.get<std::string>(), "/searchPaths/" + std::to_string(index++));
    if (!one) return one.failure();
    if (!one->empty()) several.push_back(std::move(*one));
  }
  if (!of_page.empty()) {
    auto page = read_path(of_page, "/url");
    if (!page) return page.failure();
    if (single->empty()) {
      single = std::move(*page);
    } else if (*page != *single) {
      several.push_back(std::move(*page));
    }
  }
  std::ranges::sort(several);
  several.erase(std::ranges::unique(several).begin(), several.end());
  resource.erase("searchPath");
  resource.erase("searchPaths");
  if (!single->empty()) resource["searchPath"] = *single;
  if (!several.empty()) resource["searchPaths"] = several;
  return std::nullopt;
}

/// The rules are those of git-check-ref-format(1).
std::optional<Failure> tidy_branch(Json& resource, const std::string& of_page) {
  std::string branch = text_of(resource, "branch");
  if (branch.empty()) branch = of_page;
  if (branch.starts_with("refs/heads/")) branch.erase(0, 11);
  const bool odd =
      branch.starts_with('/') || branch.ends_with('/') || branch.ends_with('.') ||
      branch.ends_with(".lock") || branch.find("..") != branch.npos ||
      branch.find("//") != branch.npos || branch.find("/.") != branch.npos ||
      branch.starts_with('.') || branch.starts_with('-') || branch.size() > 128 || branch == "@" ||
      branch.find("@{") != branch.npos || std::ranges::any_of(branch, [](unsigned char c) {
        return c <= ' ' || c == 0x7F || std::string_view("~^:?*[\\").contains(static_cast<char>(c));
      });
  if (odd) {
    return field_failure("/branch", "is no name that git permits for a branch or tag",
                         "Give a branch, a tag or a commit.");
  }
  if (is_commit(branch)) {
    std::ranges::transform(branch, branch.begin(), [](unsigned char c) { return std::tolower(c); });
  }
  resource.erase("branch");
  if (!branch.empty()) resource["branch"] = branch;
  return std::nullopt;
}

/// "svelte" of ".../sveltejs/svelte.git".
std::string name_of(const Location& repository) {
  std::string name = repository.path.substr(repository.path.find_last_of("/:") + 1);
  if (name.ends_with(".git")) name.resize(name.size() - 4);
  return name;
}

}  // namespace

bool is_commit(std::string_view ref) {
  return ref.size() == 40 && ref.find_first_not_of("0123456789abcdefABCDEF") == ref.npos;
}

Outcome<std::string> normalise(std::string_view text, const Settings& settings) {
  Json resource = Json::parse(text);
  const auto page = read_url(text_of(resource, "url"), settings);
  if (!page) return page.failure();
  resource["url"] = to_url(page->repository);
  if (auto failure = tidy_branch(resource, page->ref)) return *failure;
  if (auto failure = tidy_paths(resource, page->path)) return *failure;
  return resource.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Outcome<Fields> read_fields(std::string_view text) {
  const Json resource = Json::parse(text);
  const auto location = parse_location(text_of(resource, "url"));
  if (!location) return location.failure();
  Fields fields{*location, text_of(resource, "branch"), {}, text_of(resource, "token")};
  if (const auto path = text_of(resource, "searchPath"); !path.empty()) {
    fields.search_paths.push_back(path);
  }
  for (const Json& path : resource.value("searchPaths", Json::array())) {
    fields.search_paths.push_back(path.get<std::string>());
  }
  return fields;
}

std::string parse_reference(std::string_view text, const Settings& settings) {
  const auto reference = read_reference(text);
  if (!reference) return "null";
  // A URL that is refused stays, so that normalise tells the reason.
  Json resource{{"url", reference->url}};
  bool sure = reference->sure;
  if (const auto page = read_url(reference->url, settings)) {
    const Location& repository = page->repository;
    resource = {{"name", name_of(repository)}, {"url", to_url(repository)}};
    if (!page->ref.empty()) resource["branch"] = page->ref;
    if (!page->path.empty()) resource["searchPath"] = page->path;
    // Any web page may be a repository; one of a forge, or with its ending, is meant as one.
    sure = sure || forge_of(repository.host) != Forge::kNone || repository.path.ends_with(".git");
  }
  if (!reference->ref.empty()) resource["branch"] = reference->ref;
  if (!reference->path.empty()) resource["searchPath"] = reference->path;
  constexpr int kSure = 90;
  constexpr int kPossible = 40;
  const Json said{{"resource", std::move(resource)}, {"confidence", sure ? kSure : kPossible}};
  return said.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace quarry::resource_git
