#pragma once

#include <quarry/http.hpp>
#include <quarry/outcome.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::model_http {

/// Options that a user may set for the requests of any provider over HTTP.
struct RequestOptions {
  std::optional<double> temperature;
  std::int64_t max_output_tokens = 0;  ///< 0 = the question's limit
  std::vector<HttpHeader> headers;     ///< sent besides the provider's own
  nlohmann::json body = nlohmann::json::object();

  /// Removes the known options from `members`; a failure names the invalid member.
  static Outcome<RequestOptions> take(nlohmann::json& members);
  /// Appends `headers` to those of a request.
  void add_headers_to(std::vector<HttpHeader>& request) const {
    request.insert(request.end(), headers.begin(), headers.end());
  }
  /// Merges `body` into a request's body (RFC 7396, so a null removes a member).
  void merge_into(nlohmann::json& request) const { request.merge_patch(body); }
};

/// Removes a member and returns its value, null when it is missing.
nlohmann::json take_member(nlohmann::json& members, const char* name);

/// Removes a member that is a count from 1 to `most` and stores it; without it `count` stays. The
/// failure names it if it is something else.
std::optional<Failure> take_count(nlohmann::json& members, const char* name, std::int64_t most,
                                  std::int64_t& count);

/// The failure for the first unknown member left in `members`; nullopt when there is none.
std::optional<Failure> unknown_member(const nlohmann::json& members);

}  // namespace quarry::model_http
