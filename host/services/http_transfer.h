#pragma once

#include "services/curl_library.h"
#include "services/http_client.h"
#include "services/http_url.h"

#include <optional>

namespace quarry::services {

/// What all transfers of a client share.
struct HttpContext {
  const EgressPolicy& policy;
  ProxySettings proxies;
  std::string ca_file;
  std::string ca_directory;
  Curl curl{};
};

/// One request and its redirects, on one handle of libcurl. [io]
class HttpTransfer {
 public:
  /// `context` must outlive the transfer. Secrets have been put into the values of `request`.
  HttpTransfer(const HttpContext& context, HttpRequest request, HttpCallbacks callbacks,
               HttpOptions options);
  ~HttpTransfer();
  HttpTransfer(const HttpTransfer&) = delete;
  HttpTransfer& operator=(const HttpTransfer&) = delete;

  /// Makes the handle ready for the first request. What is wrong with it, or not permitted.
  Status prepare();
  [[nodiscard]] CURL* handle() const { return easy_; }
  [[nodiscard]] HttpCallbacks& callbacks() { return callbacks_; }

  /// No further callback but on_end.
  void mute() { muted_ = true; }
  void set_paused(bool paused) { paused_ = paused; }
  [[nodiscard]] bool paused() const { return paused_; }
  /// Goes on after a pause; not from within libcurl. The result is as of a finished transfer.
  CURLcode resume();

  /// After libcurl finished with `code`: true when a redirect made the handle ready again.
  Result<bool> follow();
  /// How the last request ended.
  Result<HttpOutcome> outcome(CURLcode code);
  /// When bytes of a response came last; the epoch when none has come.
  [[nodiscard]] std::chrono::steady_clock::time_point heard() const { return heard_; }
  /// Bytes of the request's body that have gone.
  [[nodiscard]] std::uint64_t sent() const;
  /// "https://host:port" of the present request.
  [[nodiscard]] std::string origin() const { return url_.origin(); }

 private:
  static std::size_t on_header(char* data, std::size_t one, std::size_t size, void* self);
  static std::size_t on_body(char* data, std::size_t one, std::size_t size, void* self);
  static curl_socket_t on_socket(void* self, curlsocktype purpose, curl_sockaddr* address);

  Status aim(HttpUrl url);
  [[nodiscard]] Status check_host(const std::string& host) const;
  Status set_up();
  void set_up_method();
  Status set_up_headers();
  Status add_header(const std::string& line);
  template <class Value>
  void set(CURLoption option, Value value) {
    context_.curl.easy_setopt(easy_, option, value);
  }

  void take_header_line(std::string_view line);
  bool finish_head();
  std::size_t take_body(std::string_view bytes);
  bool fail(Error error);
  void drop_credentials();
  [[nodiscard]] Error failure(CURLcode code) const;

  const HttpContext& context_;
  HttpRequest request_;
  HttpCallbacks callbacks_;
  const HttpOptions options_;
  CURL* easy_ = nullptr;
  curl_slist* headers_ = nullptr;
  HttpUrl url_;
  bool permitted_ = false;  ///< whatever the address
  bool proxied_ = false;
  int hops_ = 0;

  HttpHead head_;
  bool head_done_ = false;
  std::string location_;
  bool redirecting_ = false;
  std::uint64_t received_ = 0;  ///< bytes of the body of this response
  std::chrono::steady_clock::time_point heard_;
  bool muted_ = false;
  bool paused_ = false;
  bool held_ = false;  ///< libcurl waits for resume()
  std::optional<Error> failure_;
  char detail_[CURL_ERROR_SIZE] = {};
};

}  // namespace quarry::services
