#pragma once

#include "model_http/output.h"

#include <quarry/http.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace quarry::model_http {

/// What an HTTP status of 400 and more means in the contract.
quarry_status status_of(int http_status);

/// As status_of, with what the `error` member of the response tells: Google refuses a key with 400.
quarry_status status_of(int http_status, const nlohmann::json& error);

/// The provider's own words in the body of a failed response: `error.message`, `error`, `message`
/// or `detail`, with a code in words behind it; else its beginning as it stands.
std::string message_of(std::string_view body);
/// As above; `json` is the body, read.
std::string message_of(std::string_view body, const nlohmann::json& json);

/// As message_of, for an `error` member or event that is JSON already.
std::string message_in(const nlohmann::json& error);

/// The wait in milliseconds that the details of an `error` member ask for ({"retryDelay": "1.5s"},
/// google.rpc.RetryInfo); -1 when they ask for none.
std::int64_t retry_delay(const nlohmann::json& error);

/// A response that is no stream of an answer: its body is collected and told as one error.
class FailureReply {
 public:
  FailureReply(int http_status, const std::vector<HttpHeader>& headers);

  /// Bytes behind the first 64 KiB are passed over.
  void add(std::string_view bytes);
  void tell(Output& output) const;

 private:
  const int http_status_;
  std::int64_t retry_after_ms_ = -1;
  std::string body_;
};

}  // namespace quarry::model_http
