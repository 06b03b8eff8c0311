#include "model_http/settings.h"

#include "model_http/failure_reply.h"
#include "model_http/json_text.h"

namespace quarry::model_http {
namespace {

using Json = nlohmann::json;

std::string without_slashes(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

/// The error in `url` as a base URL; empty when it is valid.
std::string_view mistake(std::string_view url) {
  const std::size_t scheme = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : 0;
  if (scheme == 0 || url.size() == scheme) return "must begin with http:// or https:// and a host";
  if (url.find_first_of("?# \t\r\n") != std::string_view::npos) {
    return "must have neither a query nor spaces";
  }
  if (url.substr(scheme, url.find('/', scheme) - scheme).find('@') != std::string_view::npos) {
    return "must not contain a user or password; the key goes to api_key";
  }
  return {};
}

}  // namespace

Outcome<Settings> Settings::read(std::string_view configuration, const Home& home,
                                 const Environment& environment) {
  Json options = Json::parse(configuration, nullptr, false);
  if (!options.is_object()) {
    return Failure{QUARRY_INVALID_ARGUMENT, "the configuration must be an object", {}, {}};
  }
  Settings out;
  for (const char* member : {"base_url", "api_key"}) {
    if (options.contains(member) && !options[member].is_string()) {
      return field_failure(std::string("/") + member, "must be a string");
    }
  }
  const char* usual =
      home.base_url_variable.empty() ? nullptr : environment(home.base_url_variable.c_str());
  const std::string own = usual != nullptr && *usual != '\0' ? usual : home.base_url;
  out.base_url = without_slashes(options.value("base_url", own));
  if (const auto wrong = mistake(out.base_url); !wrong.empty()) {
    return field_failure("/base_url", wrong);
  }
  out.at_home = out.base_url == without_slashes(home.base_url);
  const bool usual_place = out.at_home || out.base_url == without_slashes(own);
  out.secret = options.value("api_key", usual_place ? home.key_variable : "");
  options.erase("base_url");
  options.erase("api_key");
  out.options = std::move(options);
  return out;
}

std::vector<std::string> Settings::needs() const {
  return secret.empty() ? std::vector<std::string>() : std::vector<std::string>{secret};
}

Outcome<Json> get_json(const Host& host, const Call& call, std::string url,
                       std::vector<HttpHeader> headers) {
  const auto response = fetch(host, call, {"GET", url, std::move(headers), {}});
  if (!response) return response.failure();
  Json json = read_json(response->body);
  if (response->status >= 400) {
    return Failure{status_of(response->status, member(json, "error")),
                   url + ": HTTP " + std::to_string(response->status) + ": " +
                       message_of(response->body, json),
                   {},
                   {}};
  }
  if (json.is_discarded()) {
    return Failure{QUARRY_UNAVAILABLE, url + " responded with something that is not JSON", {}, {}};
  }
  if (const Json& error = member(json, "error"); is_failure(error)) {
    const int status = http_status_in(error);
    return Failure{status != 0 ? status_of(status, error) : QUARRY_UNAVAILABLE,
                   url + ": " + message_in(json),
                   {},
                   {}};
  }
  return json;
}

}  // namespace quarry::model_http
