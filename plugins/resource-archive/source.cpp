#include "resource-archive/source.h"

#include "package_source/address.h"
#include "package_source/path.h"
#include "package_source/text.h"

#include <quarry/json.hpp>

#include <algorithm>
#include <array>

namespace quarry::resource_archive {

namespace {

std::optional<Failure> read_url(std::string_view resource, Source& source) {
  std::string why;
  const auto url = Url::parse(json::string(resource, "url").value_or(""), &why);
  if (!url) {
    const bool has_user = why.find("password") != std::string::npos;
    return field_failure("/url", why,
                         has_user ? "take it out, and set token, as in token = { env = \"TOKEN\" }"
                                  : "write a URL such as https://example.org/x-1.2.tar.gz");
  }
  source.url = *url;
  source.url.fragment.clear();
  source.sha256 = package_source::lower(json::string(resource, "sha256").value_or(""));
  const std::string pinned = sha256_of_fragment(url->fragment);
  if (!pinned.empty() && !source.sha256.empty() && pinned != source.sha256) {
    return field_failure("/sha256", "is not that of the URL's #sha256=", "remove one of them");
  }
  if (source.sha256.empty()) source.sha256 = pinned;
  if (!source.sha256.empty() && (source.sha256.size() != 64 || !is_hex(source.sha256))) {
    return field_failure("/sha256", "has not 64 hexadecimal digits",
                         "copy what the sha256sum program prints for the archive");
  }
  return std::nullopt;
}

std::optional<Failure> read_paths(std::string_view resource, Source& source) {
  const auto strip = json::integer(resource, "strip").value_or(0);
  if (strip < 0 || strip > 64) {
    return field_failure("/strip", "is not a number from 0 to 64", "0 keeps every path as it is");
  }
  source.strip = static_cast<std::size_t>(strip);
  const std::string path = json::string(resource, "path").value_or("");
  const auto clean = package_source::plain_path(path);
  if (!clean) {
    return field_failure("/path", "has \"..\" in it", "name a folder of the archive, as in docs");
  }
  source.path = *clean;
  return std::nullopt;
}

std::optional<Failure> read_redirects(std::string_view resource, Source& source) {
  const auto hosts = json::strings(resource, "redirects");
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const bool whole = hosts[i].find("://") != std::string::npos;
    std::string why;
    const auto url = Url::parse(whole ? hosts[i] : "https://" + hosts[i], &why);
    if (!url) {
      return field_failure("/redirects/" + std::to_string(i), why,
                           "write the name of a host, as in downloads.example.org");
    }
    source.redirects.push_back(url->host);
  }
  std::ranges::sort(source.redirects);
  const auto same = std::ranges::unique(source.redirects);
  source.redirects.erase(same.begin(), same.end());
  return std::nullopt;
}

/// Headers that the transfer needs itself, or that carry credentials.
bool is_reserved(std::string_view name) {
  constexpr std::array<std::string_view, 17> kNames{"host",
                                                    "connection",
                                                    "transfer-encoding",
                                                    "te",
                                                    "upgrade",
                                                    "expect",
                                                    "range",
                                                    "trailer",
                                                    "keep-alive",
                                                    "cookie",
                                                    "if-match",
                                                    "if-range",
                                                    "authorization",
                                                    "accept-encoding",
                                                    "if-none-match",
                                                    "if-modified-since",
                                                    "if-unmodified-since"};
  return name.starts_with("content-") || name.starts_with("proxy-") ||
         std::ranges::find(kNames, name) != kNames.end();
}

std::optional<Failure> read_headers(std::string_view resource, Source& source) {
  for (const auto& [key, value] : json::members(json::member(resource, "headers").value_or("{}"))) {
    const std::string name = package_source::lower(key);
    const std::string field = "/headers/" + key;
    if (is_reserved(name)) {
      return field_failure(field, "is set by the transfer, or carries credentials",
                           "remove it; for credentials set token, and tokenHeader if the server "
                           "does not take Authorization");
    }
    const std::string text = json::as_string(value).value_or("");
    if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; })) {
      return field_failure(field, "has a control character", "write one line of text");
    }
    source.headers[name] = text;
  }
  return std::nullopt;
}

std::optional<Failure> read_token(std::string_view resource, Source& source) {
  source.token = json::string(resource, "token").value_or("");
  source.token_header = package_source::lower(json::string(resource, "tokenHeader").value_or(""));
  if (source.token_header == "authorization") source.token_header.clear();
  if (source.token_header.empty()) return std::nullopt;
  if (is_reserved(source.token_header) && source.token_header != "cookie") {
    return field_failure("/tokenHeader", "is a header of the transfer",
                         "name the header that the server reads the token from");
  }
  if (source.token.empty()) {
    return field_failure("/tokenHeader", "has no token to carry", "set token, or remove it");
  }
  return std::nullopt;
}

std::optional<Failure> check_token_use(const Source& source) {
  if (source.token.empty() || source.url.scheme == "https" ||
      package_source::is_private_host(source.url.host)) {
    return std::nullopt;
  }
  return field_failure("/url", "would send the token without encryption", "use https");
}

}  // namespace

std::string Source::canonical() const {
  std::string out = "{\"url\":" + json::quoted(url.text());
  const auto add = [&out](const char* key, const std::string& value) {
    if (!value.empty()) out += std::string(",\"") + key + "\":" + json::quoted(value);
  };
  add("sha256", sha256);
  if (strip > 0) out += ",\"strip\":" + std::to_string(strip);
  add("path", path);
  std::string list;
  for (const auto& host : redirects) list += (list.empty() ? "" : ",") + json::quoted(host);
  if (!list.empty()) out += ",\"redirects\":[" + list + "]";
  add("token", token);
  add("tokenHeader", token_header);
  list.clear();
  for (const auto& [name, value] : headers) {
    list += (list.empty() ? "" : ",") + json::quoted(name) + ":" + json::quoted(value);
  }
  if (!list.empty()) out += ",\"headers\":{" + list + "}";
  return out + "}";
}

Outcome<Source> read_source(std::string_view resource) {
  Source source;
  for (const auto read : {read_url, read_paths, read_redirects, read_headers, read_token}) {
    if (const auto failed = read(resource, source)) return *failed;
  }
  if (const auto failed = check_token_use(source)) return *failed;
  return source;
}

std::string resource_of_reference(std::string_view reference) {
  constexpr std::string_view kPrefix = "archive:";
  const bool named = reference.starts_with(kPrefix);
  if (named) reference.remove_prefix(kPrefix.size());
  const auto url = Url::parse(reference);
  if (!url) return "null";
  const std::string file = url->file_name();
  const auto stem = without_extension(file);
  // Pages about an archive, at forges, have its name too.
  const bool is_page = url->path.find("/blob/") != std::string::npos ||
                       url->path.find("/tree/") != std::string::npos;
  if (!named && (!stem || is_page)) return "null";
  std::string out = "{\"resource\":{\"url\":" + json::quoted(url->text());
  const std::string digest = sha256_of_fragment(url->fragment);
  if (!digest.empty()) out += ",\"sha256\":" + json::quoted(digest);
  // It sends every archive from hosts of its own; a reference cannot name them.
  if (url->host == "github.com") {
    out += R"(,"redirects":["codeload.github.com","objects.githubusercontent.com",)"
           R"("release-assets.githubusercontent.com"])";
  }
  const std::string name = stem.value_or(file);
  if (!name.empty()) out += ",\"name\":" + json::quoted(name);
  return out + "},\"confidence\":" + (named ? "100" : "95") + "}";
}

}  // namespace quarry::resource_archive
