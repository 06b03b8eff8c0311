#pragma once

#include <quarry/http.hpp>
#include <quarry/outcome.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::model_http {

/// The value of an environment variable, null when it is not set.
using Environment = std::function<const char*(const char* name)>;

/// Where a provider is by default, and the variables its users already have.
struct Home {
  std::string base_url;
  std::string key_variable;       ///< empty = it needs no key
  std::string base_url_variable;  ///< empty = none
};

/// What every provider over HTTP is configured with.
struct Settings {
  std::string base_url;  ///< without '/' at its end
  std::string secret;    ///< the name of the key's secret; empty = no key is sent
  bool at_home = true;   ///< base_url is the provider's own
  nlohmann::json options = nlohmann::json::object();  ///< the other members

  /// Reads `base_url` and `api_key` (the name of a secret). The usual key goes to the provider's
  /// own address and to the one of base_url_variable only, never to one of the configuration.
  static Outcome<Settings> read(std::string_view configuration, const Home& home,
                                const Environment& environment);
  /// The names of the secrets it needs, for describe().
  [[nodiscard]] std::vector<std::string> needs() const;
};

/// The members `base_url` and `api_key` of a provider's JSON Schema.
nlohmann::json common_properties();

/// GET `url` and its JSON; a status of 400 and more is a failure in the provider's words. [worker]
Outcome<nlohmann::json> get_json(const Host& host, const Call& call, std::string url,
                                 std::vector<HttpHeader> headers);

}  // namespace quarry::model_http
