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

/// Defaults of a provider: its address, and the environment variables that its users already have.
struct Home {
  std::string base_url;
  std::string key_variable;       ///< empty = no key required
  std::string base_url_variable;  ///< empty = none
};

/// Configuration common to all providers over HTTP.
struct Settings {
  std::string base_url;  ///< without '/' at its end
  std::string secret;    ///< the name of the key's secret; empty = no key is sent
  bool at_home = true;   ///< base_url is the provider's default
  nlohmann::json options = nlohmann::json::object();  ///< the other members

  /// Reads `base_url` and `api_key` (the name of a secret). The default key is sent only to the
  /// provider's own address and the one in base_url_variable, never to one from the configuration.
  static Outcome<Settings> read(std::string_view configuration, const Home& home,
                                const Environment& environment);
  /// The names of the secrets it needs, for describe().
  [[nodiscard]] std::vector<std::string> needs() const;
};

/// GETs JSON from `url`; a status of 400 and more, or an error in place of an answer, is a failure
/// with the provider's message.
/// [worker]
Outcome<nlohmann::json> get_json(const Host& host, const Call& call, std::string url,
                                 std::vector<HttpHeader> headers);

}  // namespace quarry::model_http
