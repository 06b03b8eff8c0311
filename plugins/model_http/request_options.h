#pragma once

#include <quarry/http.hpp>
#include <quarry/outcome.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::model_http {

/// What a user may set about the requests of any provider over HTTP.
struct RequestOptions {
  std::optional<double> temperature;
  std::int64_t max_output_tokens = 0;  ///< 0 = as the question says
  std::vector<HttpHeader> headers;     ///< sent besides the provider's own
  nlohmann::json body = nlohmann::json::object();

  /// Takes what it knows out of `members`; a failure names the member that is wrong.
  static Outcome<RequestOptions> take(nlohmann::json& members);
  /// Merges `body` into that of a request (RFC 7396, so a null removes a member).
  void merge_into(nlohmann::json& request) const { request.merge_patch(body); }
};

/// A failure that names the first of `members`, which no one took; nothing when there is none.
std::optional<Failure> unknown_member(const nlohmann::json& members);

/// These members of a provider's JSON Schema.
nlohmann::json request_properties();

}  // namespace quarry::model_http
