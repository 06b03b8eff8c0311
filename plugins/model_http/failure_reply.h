#pragma once

#include "model_http/output.h"

#include <quarry/http.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace quarry::model_http {

/// The contract's status for an HTTP status of 400 and more.
quarry_status status_of(int http_status);

/// The same, with the `error` member of the response, because Google rejects a key with 400.
quarry_status status_of(int http_status, const nlohmann::json& error);

/// The HTTP status from 400 to 599 in the `code` of an `error` member, as a number or in a text; 0
/// when there is none.
int http_status_in(const nlohmann::json& error);

/// The words of a failure in a provider's JSON: `error.message`, `error`, `message`, `detail` or
/// their likes, followed by a code in words; empty if there are none.
std::string words_in(const nlohmann::json& value);

/// True if `error`, a member of that name, says anything: some servers always send an empty one.
bool is_failure(const nlohmann::json& error);

/// The provider's message in the body of a failed response: its words, or the title of a page; else
/// the beginning of the body.
std::string message_of(std::string_view body);
/// The same; `json` is the parsed body.
std::string message_of(std::string_view body, const nlohmann::json& json);

/// The same for an `error` member or event that is parsed already.
std::string message_in(const nlohmann::json& error);

/// The retry delay in milliseconds from the details of an `error` member ({"retryDelay": "1.5s"},
/// google.rpc.RetryInfo); -1 when there is none.
std::int64_t retry_delay(const nlohmann::json& error);

/// An error of a provider, as its sinks take it.
struct ReportedFailure {
  quarry_status status = QUARRY_UNAVAILABLE;
  std::string message;
  int http_status = 0;
  std::int64_t retry_after_ms = -1;
};

void report(const ReportedFailure& failure, Output& output);

/// A response that is not a stream: collects its body and reports it as one error.
class FailureReply {
 public:
  FailureReply(int http_status, const std::vector<HttpHeader>& headers);

  /// Bytes after the first 64 KiB are ignored.
  void add(std::string_view bytes);
  [[nodiscard]] bool is_empty() const { return body_.empty(); }
  [[nodiscard]] ReportedFailure failure() const;

 private:
  const int http_status_;
  std::int64_t retry_after_ms_ = -1;
  std::string body_;
};

}  // namespace quarry::model_http
