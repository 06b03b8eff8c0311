#pragma once

#include "model_http/failure_reply.h"

#include <quarry/http.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry::model_http {

/// One request and its response, which is read as a whole, for `T::Exchange` of a provider of a
/// draft kind with the sink `Sink`. Reports an error for a status of 400 and more, for a body that
/// cannot be read, and for a response that was cut.
template <class Sink>
class BodyExchange {
 public:
  /// Writes the output of a body to the sink, without its end; false if it cannot be read. The same
  /// body may have been written in part then.
  using Read = std::function<bool(std::string_view body, Sink& sink)>;

  /// `content`: a right body in words, as in "the response is not <content>".
  BodyExchange(HttpRequest request, std::string content, Read read)
      : request_(std::move(request)), content_(std::move(content)), read_(std::move(read)) {}

  HttpRequest request() { return request_; }
  void head(int status, const std::vector<HttpHeader>& headers, Sink&) {
    request_ = {};  // has been sent
    status_ = status;
    if (status >= 400) failure_ = std::make_unique<FailureReply>(status, headers);
  }
  void data(std::string_view bytes, Sink&) {
    if (failure_) {
      failure_->add(bytes);
    } else {
      body_ += bytes;
    }
  }
  void end(quarry_end reason, Sink& sink) {
    if (failure_) {
      const ReportedFailure told = failure_->failure();
      sink.error(told.status, told.message, told.http_status, told.retry_after_ms);
    } else if (reason != QUARRY_END_COMPLETE) {
      sink.error(QUARRY_UNAVAILABLE, "the response broke off", status_);
    } else if (read_(body_, sink)) {
      sink.finish();
    } else {
      sink.error(QUARRY_DATA_LOSS,
                 "the response is not " + content_ + ": " +
                     message_of(std::string_view(body_).substr(0, kMostShown)),
                 status_);
    }
  }

 private:
  static constexpr std::size_t kMostShown = std::size_t{16} << 10;

  HttpRequest request_;
  const std::string content_;
  const Read read_;
  int status_ = 0;
  std::string body_;
  std::unique_ptr<FailureReply> failure_;  ///< null while the response is an answer
};

/// A POST of `body`, a JSON text, with the key of `secret` if there is one.
inline HttpRequest post_json(std::string url, const std::string& secret, std::string body) {
  HttpRequest request{"POST", std::move(url), {}, std::move(body)};
  if (!secret.empty()) request.headers.push_back({"authorization", "Bearer ", secret});
  request.headers.push_back({"content-type", "application/json", {}});
  request.headers.push_back({"accept", "application/json", {}});
  return request;
}

}  // namespace quarry::model_http
