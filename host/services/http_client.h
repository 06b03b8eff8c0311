#pragma once

#include "base/executor.h"
#include "services/call.h"
#include "services/egress_policy.h"
#include "services/http_proxy.h"
#include "services/http_request.h"
#include "services/minimum_speed.h"
#include "services/secrets.h"

#include <quarry/limits.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace quarry::services {

struct HttpOptions {
  std::chrono::milliseconds connect{10'000};  ///< name resolution, connection and TLS together
  std::chrono::milliseconds idle{120'000};    ///< time without a byte in either direction
  std::chrono::milliseconds total{0};         ///< of the whole transfer; 0 = no limit
  MinimumSpeed minimum_speed{};               ///< not applied to endpoints of models
  /// Of the response's body, after decompression.
  std::uint64_t max_bytes = QUARRY_LIMIT_RESPONSE_BODY;
  std::size_t buffer = 16u << 10;       ///< read buffer in bytes, held while the transfer runs
  bool compressed = false;              ///< accepts and decodes gzip and similar; delays a stream
  bool decoded = false;                 ///< decodes what a server compresses without being asked
  std::vector<std::string> hosts{"*"};  ///< host_matches patterns for the URL and redirects
  bool to_models = false;               ///< also permits the policy's endpoints, at any address
  /// Redirects to follow; the next one is the response itself. Empty = 5, then failure.
  std::optional<int> max_redirects = {};
};

struct HttpHead {
  int status = 0;
  std::vector<HttpHeader> headers;  ///< in order of receipt; `secret` is empty
};

struct HttpOutcome {
  int status = 0;
  std::string url;  ///< after redirects
};

/// Permission for a program to connect to a host.
struct HttpPermit {
  std::string host;  ///< without the brackets of IPv6
  std::uint16_t port = 0;
  std::vector<std::string> addresses;  ///< resolved from the name, all of them allowed
  bool proxied = false;                ///< a proxy of the environment resolves the name
};

/// Callbacks of a transfer, on the I/O thread: on_head at most once, on_data any number of times,
/// then on_end once. A failure means that the response is incomplete; after on_head it failed in
/// the body. They may call the client and must not throw.
struct HttpCallbacks {
  std::function<void(const HttpHead& head)> on_head = nullptr;
  std::function<void(std::string_view bytes)> on_data = nullptr;
  std::function<void(Result<HttpOutcome> outcome)> on_end = nullptr;
};

/// Like HttpCallbacks, on the thread that called send. A failure cancels the transfer and becomes
/// the result of send.
struct HttpSink {
  std::function<Status(const HttpHead& head)> head = nullptr;
  std::function<Status(std::string_view bytes)> data = nullptr;
};

/// One request of several.
struct HttpPart {
  HttpRequest request;
  HttpSink sink;
  HttpOptions options;
};

/// Refusal of `count` requests at once, more than QUARRY_LIMIT_REQUESTS.
Error too_many_requests(std::size_t count);

/// HTTP/1.1 and HTTP/2 client with connection reuse, through libcurl, which is loaded on first use.
/// Follows redirects; another origin (scheme, host or port) gets no header that is marked
/// as a credential or named like one (Authorization, Cookie, …). A proxy of the environment may
/// have any address; it resolves names itself, so with a proxy only literal addresses and local
/// names are refused.
///
/// Errors carry a hint and no secret: kInvalidArgument (invalid request), kPermissionDenied (policy
/// or `hosts`), kUnavailable (name, connection, TLS, broken connection), kDeadlineExceeded (idle,
/// total, minimum_speed), kResourceExhausted (too large), kCancelled, and the failure of a secret's
/// source.
class HttpClient {
 public:
  using Handle = std::uint64_t;

  /// Dependencies of the client. Each must outlive it.
  struct Parts {
    boost::asio::io_context& io;
    Executor& workers;  ///< load libcurl and fetch secrets not yet known
    const EgressPolicy& policy;
    SecretStore& secrets;
    const Redactor& redactor;
  };
  using Environment = ProxySettings::Environment;

  /// `environment` provides the proxies, SSL_CERT_FILE and SSL_CERT_DIR; read only by the
  /// constructor.
  HttpClient(Parts parts, const Environment& environment);
  /// Call on the I/O thread or after it has ended. Closes every connection; no callback follows.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Starts a transfer; callbacks start after this has returned. [any thread]
  Handle start(HttpRequest request, HttpCallbacks callbacks, HttpOptions options = {});
  /// Closes the transfer's connection at once; on_end gets kCancelled. If called on the I/O thread,
  /// on_end is the only callback that follows. No effect on an ended transfer. [any thread]
  void cancel(Handle handle);
  /// Stops on_data until resume, which slows the server down through flow control. Bytes already
  /// read are kept. The idle limit is suspended. [any thread]
  void pause(Handle handle);
  void resume(Handle handle);

  /// Checks that a program may connect to the host of `url` (http, https or ssh) and resolves its
  /// name. Errors as above. [worker, several at once; not the I/O thread]
  Result<HttpPermit> permit(const Call& call, std::string_view url,
                            const std::vector<std::string>& hosts);

  /// Sends and blocks until the response has ended or the call is over; buffers about 256 KiB for
  /// the sink. [worker, several at once; not the I/O thread]
  Result<HttpOutcome> send(const Call& call, HttpRequest request, const HttpSink& sink,
                           HttpOptions options = {});
  /// Sends several at once, 16 at most, and blocks until all have ended or the call is over. The
  /// sinks are called on this thread, one at a time; a failure of one ends its transfer alone.
  /// Results in the order of `parts`. [worker, several at once; not the I/O thread]
  Result<std::vector<Result<HttpOutcome>>> send_all(const Call& call, std::vector<HttpPart> parts);

 private:
  struct State;
  void load();
  const std::shared_ptr<State> state_;
};

}  // namespace quarry::services
