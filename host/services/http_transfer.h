#pragma once

#include "services/curl_library.h"
#include "services/http_client.h"
#include "services/http_url.h"
#include "services/minimum_speed.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>

namespace quarry::services {

/// State shared by all transfers of a client.
struct HttpContext {
  const EgressPolicy& policy;
  ProxySettings proxies;
  std::string ca_file;
  std::string ca_directory;
  Curl curl{};
};

/// One transfer from start to on_end: a request, its redirects and its limits, on one handle of
/// libcurl. State needed only before the response body is freed once the body starts, because
/// thousands of streams stay open. Constructed on any thread, then [io].
class HttpTransfer {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `context` must outlive the transfer. Time limits start at construction.
  HttpTransfer(const HttpContext& context, HttpClient::Handle id, HttpRequest request,
               HttpCallbacks callbacks, HttpOptions options);
  ~HttpTransfer();
  HttpTransfer(const HttpTransfer&) = delete;
  HttpTransfer& operator=(const HttpTransfer&) = delete;

  /// The transfer that libcurl knows as `easy`.
  static HttpTransfer& of(const Curl& curl, CURL* easy);

  [[nodiscard]] HttpClient::Handle id() const { return id_; }
  /// Headers of the request; valid before prepare().
  [[nodiscard]] const std::vector<HttpHeader>& headers() const {
    return request_state_->request.headers;
  }
  /// Stop token for the worker that fetches the secrets; triggered when the transfer is over.
  std::stop_token stops_fetching();

  /// Sets up the handle for the first request with `secrets`, one for each header. Fails if the
  /// request is invalid or not permitted.
  Status prepare(const std::vector<std::string>& secrets);
  [[nodiscard]] CURL* handle() const { return easy_; }

  /// True while libcurl runs it.
  [[nodiscard]] bool running() const { return running_; }
  void set_running(bool running) { running_ = running; }
  /// Suppresses further callbacks except on_end.
  void mute() { muted_ = true; }
  [[nodiscard]] bool muted() const { return muted_; }
  void set_paused(bool paused);
  [[nodiscard]] bool paused() const { return paused_; }
  /// Continues after a pause; not from within libcurl. The result has the meaning of a finished
  /// transfer's code.
  CURLcode resume();

  /// After libcurl finished with `code`: true when a redirect made the handle ready again.
  Result<bool> follow();
  /// Result of the last request.
  Result<HttpOutcome> outcome(CURLcode code);
  /// Moves on_end out, so that it can outlive the transfer.
  std::function<void(Result<HttpOutcome>)> take_on_end() { return std::move(on_end_); }

  /// Earliest time at which a time limit expires if no byte is transferred until then.
  [[nodiscard]] Time due() const {
    const Time minimum_speed = speed_ ? speed_->due() : Time::max();
    return std::min({end_, last_ + idle_, connect_by_, minimum_speed});
  }
  /// True if a time limit has expired. Progress of the request's body is noticed only here.
  bool is_late(Time now);
  /// Error for the expired limit.
  [[nodiscard]] Error late(Time now) const;

 private:
  [[nodiscard]] bool follows_next() const;
  /// State needed only before the body of the last response.
  struct RequestState {
    HttpRequest request;
    std::function<void(const HttpHead&)> on_head;
    HttpOptions options;
    HttpHead head;
    std::string location;
    curl_slist* headers = nullptr;
    int hops = 0;
    char detail[CURL_ERROR_SIZE] = {};
  };

  static std::size_t on_header(char* data, std::size_t one, std::size_t size, void* self);
  static std::size_t on_body(char* data, std::size_t one, std::size_t size, void* self);
  static int on_connected(void* self, char* remote, char* local, int remote_port, int local_port);
  static curl_socket_t on_socket(void* self, curlsocktype purpose, curl_sockaddr* address);

  Status set_target(HttpUrl url);
  [[nodiscard]] Status check_host(const std::string& host) const;
  [[nodiscard]] Error refused(Error error, std::string_view host, Refusal by) const;
  Status set_up();
  void set_up_method();
  Status set_up_headers();
  Status add_header(const std::string& line);
  void free_headers();
  template <class Value>
  void set(CURLoption option, Value value) {
    context_.curl.easy_setopt(easy_, option, value);
  }

  void take_header_line(std::string_view line);
  bool finish_head();
  void free_request_state();
  std::size_t take_body(std::string_view bytes);
  bool fail(Error error);
  void count(std::uint64_t bytes) {
    if (speed_) speed_->add(bytes);
  }
  [[nodiscard]] std::uint64_t sent() const;
  /// URL of the current request.
  [[nodiscard]] HttpUrl url() const;
  [[nodiscard]] Error failure(CURLcode code) const;

  // First what every piece of a body needs: of thousands of streams, each line of memory is read
  // from far away.
  std::function<void(std::string_view)> on_data_;
  const std::uint64_t max_bytes_;
  std::uint64_t received_ = 0;         ///< bytes of this response's body
  Time last_;                          ///< time of the last byte transferred
  std::unique_ptr<SpeedWatch> speed_;  ///< null = none; a model may be silent for a long time
  bool redirecting_ = false;
  bool muted_ = false;
  bool paused_ = false;
  bool held_ = false;       ///< libcurl waits for resume()
  bool permitted_ = false;  ///< any address is allowed
  bool proxied_ = false;
  bool head_done_ = false;
  bool running_ = false;
  bool too_slow_ = false;
  const HttpContext& context_;
  const HttpClient::Handle id_;
  std::unique_ptr<RequestState> request_state_;
  std::function<void(Result<HttpOutcome>)> on_end_;
  const std::chrono::milliseconds idle_;
  const std::chrono::milliseconds total_;
  const Time end_;
  Time connect_by_ = Time::max();  ///< limit while the request has no connection
  std::uint64_t sent_ = 0;         ///< bytes of the request's body at the last check
  std::stop_source fetching_{std::nostopstate};
  CURL* easy_ = nullptr;
  std::string url_;  ///< of the current request; empty before the first
  std::unique_ptr<Error> failure_;
  int status_ = 0;
};

}  // namespace quarry::services
