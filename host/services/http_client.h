#pragma once

#include "base/executor.h"
#include "services/call.h"
#include "services/egress_policy.h"
#include "services/http_proxy.h"
#include "services/minimum_speed.h"
#include "services/secrets.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace quarry::services {

struct HttpHeader {
  std::string name;
  std::string value;
  std::string secret = {};  ///< name of a secret whose value is appended to `value`; may be empty
  bool credential = false;  ///< `value` holds a secret: a redirect to another origin drops it
};

struct HttpRequest {
  std::string method = "GET";
  std::string url;  ///< http or https, without user and password
  std::vector<HttpHeader> headers = {};
  std::string body = {};
};

struct HttpOptions {
  std::chrono::milliseconds connect{10'000};  ///< name, connection and TLS together
  std::chrono::milliseconds idle{120'000};    ///< without a byte in either direction
  std::chrono::milliseconds total{0};         ///< of everything; 0 = no limit
  MinimumSpeed minimum_speed{};               ///< of what is not for a model's endpoint
  std::uint64_t max_bytes = 1ull << 30;       ///< of the response's body, after decompression
  std::size_t buffer = 16u << 10;  ///< bytes read at once; held as long as the transfer runs
  bool compressed = false;         ///< accepts gzip and the like and undoes it; delays a stream
  std::vector<std::string> hosts{"*"};  ///< patterns (host_matches) the URL and redirects must meet
  bool to_models = false;  ///< endpoints of the policy are permitted too, whatever their address
};

struct HttpHead {
  int status = 0;
  std::vector<HttpHeader> headers;  ///< in their order; `secret` is empty
};

struct HttpOutcome {
  int status = 0;
  std::string url;  ///< after redirects
};

/// Where a program may connect to.
struct HttpPermit {
  std::string host;  ///< without the brackets of IPv6
  std::uint16_t port = 0;
  std::vector<std::string> addresses;  ///< those its name led to, all of them allowed
  bool proxied = false;                ///< a proxy of the environment resolves the name
};

/// What a transfer calls on the I/O thread: on_head at most once, on_data any number of times, then
/// on_end once. A failure means that there was no whole response; after on_head it came in the
/// middle of one. They may call the client, and must not throw.
struct HttpCallbacks {
  std::function<void(const HttpHead& head)> on_head = nullptr;
  std::function<void(std::string_view bytes)> on_data = nullptr;
  std::function<void(Result<HttpOutcome> outcome)> on_end = nullptr;
};

/// As HttpCallbacks, on the thread that called send. A failure cancels and is what send returns.
struct HttpSink {
  std::function<Status(const HttpHead& head)> head = nullptr;
  std::function<Status(std::string_view bytes)> data = nullptr;
};

/// HTTP/1.1 and HTTP/2 with kept connections, through libcurl, which is loaded by the first use.
/// Follows 5 redirects at most; another origin (scheme, host or port) gets no header that is marked
/// as a credential or named like one (Authorization, Cookie, …). A proxy of the environment may
/// have any address; it resolves names itself, so behind one only literal addresses and local names
/// are refused.
///
/// Errors carry a hint and no secret: kInvalidArgument (no such request), kPermissionDenied (policy
/// or `hosts`), kUnavailable (name, connection, TLS, cut), kDeadlineExceeded (idle, total,
/// minimum_speed), kResourceExhausted (too large), kCancelled, and what a secret's source failed
/// with.
class HttpClient {
 public:
  using Handle = std::uint64_t;

  /// What the client stands on. Each must outlive the client.
  struct Parts {
    boost::asio::io_context& io;
    Executor& workers;  ///< load libcurl, and fetch secrets that are not yet known
    const EgressPolicy& policy;
    SecretStore& secrets;
    const Redactor& redactor;
  };
  using Environment = ProxySettings::Environment;

  /// `environment` gives the proxies, SSL_CERT_FILE and SSL_CERT_DIR; asked here only.
  HttpClient(Parts parts, const Environment& environment);
  /// On the I/O thread, or when it has ended. Closes every connection; no callback comes any more.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Begins a transfer; no callback comes before this has returned. [any thread]
  Handle start(HttpRequest request, HttpCallbacks callbacks, HttpOptions options = {});
  /// Closes the transfer's connection at once; on_end says kCancelled. On the I/O thread on_end is
  /// the only callback after this; an ended transfer is left alone. [any thread]
  void cancel(Handle handle);
  /// No more on_data until resume, so the server is slowed down. What was read already is kept.
  /// The idle limit stands still. [any thread]
  void pause(Handle handle);
  void resume(Handle handle);

  /// Whether a program may connect to the host of `url` (http, https or ssh), whose name is
  /// resolved now. Errors as above. [worker, several at once; not the I/O thread]
  Result<HttpPermit> permit(const Call& call, std::string_view url,
                            const std::vector<std::string>& hosts);

  /// Sends and blocks until the response ended or the call is over; at most 256 KiB wait for the
  /// sink. [worker, several at once; not the I/O thread]
  Result<HttpOutcome> send(const Call& call, HttpRequest request, const HttpSink& sink,
                           HttpOptions options = {});

 private:
  struct State;
  void load();
  const std::shared_ptr<State> state_;
};

}  // namespace quarry::services
