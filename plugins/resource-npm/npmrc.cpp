#include "resource-npm/npmrc.h"

#include "package_source/text.h"
#include "resource-npm/version.h"

#include <quarry/base64.hpp>

namespace quarry::resource_npm {
namespace {

using package_source::trimmed;

/// `text` with "${NAME}" replaced by its value. An unset one stays as written, or is empty for
/// "${NAME?}"; one after a backslash stays too.
std::string expanded(std::string_view text, const Npmrc::Environment& environment) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.substr(at, 2) == "${" ? text.find('}', at) : text.npos;
    const bool escaped = at > 0 && text[at - 1] == '\\';
    if (end == text.npos || escaped) {
      out += text[at++];
      continue;
    }
    std::string name(text.substr(at + 2, end - at - 2));
    const bool optional = name.ends_with('?');
    if (optional) name.pop_back();
    const auto value = environment(name);
    if (value)
      out += *value;
    else if (!optional)
      out += text.substr(at, end + 1 - at);
    at = end + 1;
  }
  return out;
}

/// A value without quotes, or without a comment after it.
std::string plain_value(std::string_view text) {
  const bool quoted =
      text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0];
  if (quoted) return std::string(text.substr(1, text.size() - 2));
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size() &&
                        std::string_view(";#\\").find(text[i + 1]) != std::string_view::npos;
    if (escape)
      out += text[++i];
    else if (text[i] == ';' || text[i] == '#')
      break;
    else
      out += text[i];
  }
  return std::string(trimmed(out));
}

/// "//host/path/" → "//host/path" → "//host/" → "//host" → "".
void shorten(std::string& place) {
  if (place.ends_with('/')) {
    place.pop_back();
  } else {
    place.resize(place.rfind('/') + 1);
  }
  if (place.size() <= 2) place.clear();
}

std::string variable_in(std::string_view text) {
  const auto begin = text.find("${");
  const auto end = begin == text.npos ? text.npos : text.find('}', begin);
  return end == text.npos ? std::string() : std::string(text.substr(begin + 2, end - begin - 2));
}

}  // namespace

Npmrc::Npmrc(std::string_view text, const Environment& environment) {
  while (!text.empty()) {
    const std::string_view line = trimmed(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    if (line.starts_with('[')) return;  // npm ignores sections
    if (line.empty() || line[0] == ';' || line[0] == '#') continue;
    const auto equals = line.find('=');
    if (equals == line.npos) continue;
    lines_[expanded(trimmed(line.substr(0, equals)), environment)] =
        expanded(plain_value(trimmed(line.substr(equals + 1))), environment);
  }
}

const std::string* Npmrc::find(const std::string& key) const {
  const auto found = lines_.find(key);
  return found == lines_.end() || found->second.empty() ? nullptr : &found->second;
}

std::string Npmrc::registry(std::string_view scope) const {
  const std::string* own = scope.empty() ? nullptr : find(std::string(scope) + ":registry");
  if (own == nullptr) own = find("registry");
  return own == nullptr ? std::string() : *own;
}

std::string Npmrc::place_of(const Url& url) const {
  std::string place = "//" + url.authority() + url.path;
  place.resize(place.rfind('/') + 1);
  for (; !place.empty(); shorten(place)) {
    const bool named = find(place + ":_authToken") || find(place + ":_auth") ||
                       (find(place + ":username") && find(place + ":_password"));
    if (named) return place;
  }
  return place;
}

std::optional<Credentials> Npmrc::credentials(const Url& url) const {
  const std::string place = place_of(url);
  if (place.empty() || !missing_variable(url).empty()) return std::nullopt;
  if (const std::string* token = find(place + ":_authToken")) {
    return Credentials{"Bearer " + *token, {*token}};
  }
  if (const std::string* basic = find(place + ":_auth")) {
    return Credentials{"Basic " + *basic, {*basic, from_base64(*basic).value_or("")}};
  }
  const std::string& coded = *find(place + ":_password");
  const std::string password = from_base64(coded).value_or("");
  const std::string both = to_base64(*find(place + ":username") + ":" + password);
  return Credentials{"Basic " + both, {both, coded, password}};
}

std::string Npmrc::missing_variable(const Url& url) const {
  const std::string place = place_of(url);
  if (place.empty()) return {};
  for (const char* key : {":_authToken", ":_auth", ":_password", ":username"}) {
    const std::string* value = find(place + key);
    if (value == nullptr) continue;
    if (std::string name = variable_in(*value); !name.empty()) return name;
  }
  return {};
}

}  // namespace quarry::resource_npm
