#include "resource-git/reference.h"

#include "resource-git/forge.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace quarry::resource_git {
namespace {

using Maybe = std::optional<Reference>;

struct Abbreviation {
  std::string_view name;  ///< "github" of "github:owner/name" and "pkg:github/owner/name"
  std::string_view host;
};
constexpr std::array<Abbreviation, 5> kAbbreviations = {{{"github", "github.com"},
                                                         {"gh", "github.com"},
                                                         {"gitlab", "gitlab.com"},
                                                         {"bitbucket", "bitbucket.org"},
                                                         {"codeberg", "codeberg.org"}}};

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Cuts `text` at the first `mark`; returns what follows.
std::string_view cut(std::string_view& text, char mark) {
  const auto at = text.find(mark);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + 1);
  text = text.substr(0, at);
  return rest;
}

/// The decoded value of "name=value" in a list with '&' between; empty if there is none.
std::string value_in(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    std::string_view member = list;
    list = cut(member, '&');
    const std::string_view value = cut(member, '=');
    if (member == name) return percent_decoded(value);
  }
  return {};
}

std::string_view host_for(std::string_view abbreviation) {
  const auto found = std::ranges::find(kAbbreviations, abbreviation, &Abbreviation::name);
  return found == kAbbreviations.end() ? std::string_view() : found->host;
}

bool is_word(std::string_view text, std::string_view more) {
  return !text.empty() && std::ranges::all_of(text, [more](unsigned char c) {
    return std::isalnum(c) != 0 || more.contains(static_cast<char>(c));
  });
}

/// "pkg:github/owner/name@v1#docs" (the package-url specification).
Maybe of_package_url(std::string_view text) {
  const std::string_view path = cut(text, '#');
  const std::string_view qualifiers = cut(text, '?');
  if (const std::string source = value_in(qualifiers, "vcs_url"); !source.empty()) {
    return source.starts_with("pkg:") ? std::nullopt : read_reference(source);
  }
  while (take_prefix(text, "/")) {
  }
  const std::string_view version = cut(text, '@');
  std::string_view type = text;
  const std::string_view name = cut(type, '/');
  const std::string_view host = host_for(type);
  if (host.empty() || type == "gh") return std::nullopt;
  return Reference{"https://" + std::string(host) + "/" + percent_decoded(name),
                   percent_decoded(version), percent_decoded(path), true};
}

/// A URL with what pip ("@v1", "#subdirectory=docs"), npm ("#v1") and Cargo ("?tag=v1") add.
Reference of_package_manager(std::string_view url) {
  Reference out;
  std::string_view fragment = cut(url, '#');
  const std::string_view query = cut(url, '?');
  const auto scheme = url.find("://");
  const auto path = url.find('/', scheme == url.npos ? 0 : scheme + 3);
  if (const auto at = url.find('@', std::min(path, url.size())); at != url.npos) {
    out.ref = url.substr(at + 1);
    url = url.substr(0, at);
  }
  for (const std::string_view name : {"rev", "tag", "branch", "ref"}) {
    if (out.ref.empty()) out.ref = value_in(query, name);
  }
  if (fragment.contains('=')) {
    out.path = value_in(fragment, "subdirectory");
  } else if (out.ref.empty()) {
    out.ref = fragment;
  }
  out.url = url;
  out.sure = true;
  return out;
}

/// A clone button may put the user's name in front of the host. A password stays, to be refused.
std::string without_user(std::string_view scheme, std::string_view rest) {
  const auto slash = std::min(rest.find('/'), rest.size());
  const auto at = rest.substr(0, slash).find('@');
  const bool plain = at != rest.npos && !rest.substr(0, at).contains(':');
  return std::string(scheme) + std::string(plain ? rest.substr(at + 1) : rest);
}

/// Reads branch and path where a server's pages have them: "?version=GBmain&path=/docs" of Azure
/// DevOps, "?at=refs/heads/main" of Bitbucket Data Center, "?h=main" and "?id=<commit>" of cgit.
void read_query(std::string_view query, Reference& out) {
  if (out.url.contains("/_git/")) {
    std::string version = value_in(query, "version");
    constexpr std::size_t kKind = 2;  // "GB" of a branch, "GT" of a tag, "GC" of a commit
    if (version.starts_with('G') && version.size() > kKind) out.ref = version.substr(kKind);
    std::string path = value_in(query, "path");
    out.path = path.substr(std::min(path.find_first_not_of('/'), path.size()));
  } else if (out.url.contains("/repos/")) {
    out.ref = value_in(query, "at");
  } else if (out.url.contains(".git/")) {
    out.ref = value_in(query, "id");
    if (out.ref.empty()) out.ref = value_in(query, "h");
  }
  if (out.ref.starts_with("refs/tags/")) out.ref.erase(0, std::string_view("refs/tags/").size());
}

Maybe of_web(std::string_view scheme, std::string_view rest) {
  std::string_view url = rest;
  const std::string_view fragment = cut(url, '#');
  if (url.ends_with(".git") && !fragment.empty()) {
    Reference out = of_package_manager(rest);
    out.url = without_user(scheme, out.url);
    return out;
  }
  Reference out{without_user(scheme, rest)};
  read_query(cut(url, '?'), out);
  return out;
}

/// `text` with its scheme and host in lower case, as which any case is meant.
std::string with_plain_host(std::string_view text) {
  std::string out(text);
  const auto scheme = text.find("://");
  const auto begin = scheme == text.npos ? 0 : scheme + 3;
  const auto path = std::min(text.find('/', begin), text.size());
  const auto user = text.substr(0, path).rfind('@');
  const auto lower = [](unsigned char c) { return static_cast<char>(std::tolower(c)); };
  const auto at = [&out](std::size_t place) {
    return out.begin() + static_cast<std::ptrdiff_t>(place);
  };
  std::transform(at(0), at(scheme == text.npos ? 0 : scheme), at(0), lower);
  const auto host = user == text.npos ? begin : user + 1;
  std::transform(at(host), at(path), at(host), lower);
  return out;
}

Maybe of_url(std::string_view text) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (text.starts_with(scheme)) return of_web(scheme, text.substr(scheme.size()));
  }
  if (text.starts_with("ssh://")) return Reference{.url = std::string(text), .sure = true};
  if (!text.starts_with("git://")) return std::nullopt;
  // No forge speaks that protocol any more.
  const std::string_view rest = text.substr(6);
  const bool is_forge = forge_of(rest.substr(0, rest.find('/'))) != Forge::kNone;
  return Reference{.url = is_forge ? "https://" + std::string(rest) : std::string(text),
                   .sure = true};
}

/// "user@host:path", or "host:path" of a forge.
Maybe of_scp(std::string_view text) {
  std::string_view host = text;
  const std::string_view path = cut(host, ':');
  if (path.empty() || host.contains('/')) return std::nullopt;
  std::string_view user = host;
  const std::string_view behind = cut(user, '@');
  if (behind.empty()) {
    if (forge_of(host) == Forge::kNone || !path.contains('/')) return std::nullopt;
    return Reference{.url = "git@" + std::string(text), .sure = true};
  }
  // "alias@npm:name" is none.
  if (user.empty() || (user != "git" && !behind.contains('.'))) return std::nullopt;
  return Reference{.url = std::string(text), .sure = true};
}

/// "github.com/owner/name", "git.example.org/name.git", "crates.io/crates/name".
bool is_url_without_scheme(std::string_view text) {
  while (text.ends_with('/')) text.remove_suffix(1);
  const std::string_view host = text.substr(0, text.find('/'));
  if (host == text || !is_word(host, ".-:")) return false;
  if (forge_of(host) != Forge::kNone || is_site_without_repositories(host)) return true;
  return host.contains('.') && !host.starts_with('.') && text.ends_with(".git");
}

/// "owner/name", perhaps with "#ref" or "@ref".
Maybe of_owner_and_name(std::string_view text, std::string_view host) {
  std::string_view name = text;
  std::string_view ref = cut(name, '#');
  if (ref.empty()) ref = cut(name, '@');
  const auto slash = name.find('/');
  if (slash == name.npos || !is_word(name.substr(0, slash), "-")) return std::nullopt;
  const std::string_view rest = name.substr(slash + 1);
  if (!is_word(rest, host == "gitlab.com" ? "._-/" : "._-") || rest.starts_with('.')) {
    return std::nullopt;
  }
  constexpr std::array<std::string_view, 6> kFiles = {".md",   ".txt", ".json",
                                                      ".toml", ".yml", ".html"};
  const bool is_file = std::ranges::any_of(
      kFiles, [rest](std::string_view ending) { return rest.ends_with(ending); });
  if (is_file) return std::nullopt;
  return Reference{.url = "https://" + std::string(host) + "/" + std::string(name),
                   .ref = std::string(ref)};
}

/// The word of a command that clones a repository which names it; empty for any other text.
std::string_view cloned_by(std::string_view text) {
  for (const std::string_view command : {"git clone ", "gh repo clone ", "git submodule add "}) {
    if (!take_prefix(text, command)) continue;
    std::string_view short_form;
    while (!text.empty()) {
      std::string_view word = text;
      text = cut(word, ' ');
      if (word.starts_with('-')) continue;
      if (word.contains("://") || word.contains('@')) return word;
      if (word.contains('/')) short_form = word;
    }
    return short_form;
  }
  return {};
}

}  // namespace

std::optional<Reference> read_reference(std::string_view text) {
  if (const std::string_view cloned = cloned_by(text); !cloned.empty()) {
    auto out = read_reference(cloned);
    if (out) out->sure = true;
    return out;
  }
  if (take_prefix(text, "pkg:")) return of_package_url(text);
  if (take_prefix(text, "git+")) {
    const std::string plain = with_plain_host(text);
    Reference out = of_package_manager(plain);
    auto url = of_url(out.url);
    if (!url) return std::nullopt;
    out.url = std::move(url->url);
    return out;
  }
  if (text.contains("://")) return of_url(with_plain_host(text));
  std::string_view rest = text;
  std::string_view name = cut(rest, ':');
  if (const auto host = host_for(rest); !host.empty() && !name.empty()) {
    auto out = of_owner_and_name(name, host);
    if (out) out->sure = true;
    return out;
  }
  if (auto scp = of_scp(text)) return scp;
  const std::string plain = with_plain_host("https://" + std::string(text));
  if (is_url_without_scheme(std::string_view(plain).substr(8))) return of_url(plain);
  return of_owner_and_name(text, "github.com");
}

}  // namespace quarry::resource_git
