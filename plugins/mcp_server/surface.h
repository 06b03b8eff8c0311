#pragma once

#include "access.h"
#include "http_server/policy.h"
#include "http_server/server.h"
#include "http_server/traffic.h"
#include "methods.h"
#include "more_routes.h"
#include "refusals.h"
#include "running.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace quarry::mcp {

class Exchange;

struct SurfaceOptions {
  std::string path = "/api/mcp";
  http_server::AccessPolicy policy;
  bool sessions = false;  // initialize creates one
  /// Addresses of proxies that terminate TLS for this server. If there are any, only they and this
  /// machine are served; ServerOptions::names_peers must be set.
  std::vector<std::string> proxies;
  std::chrono::milliseconds heartbeat{15'000};
  std::chrono::milliseconds longest{1'800'000};  // of a call or a stream
  std::size_t most_listening = 32;               // listening streams of a principal
  const quarry_metrics_v1* metrics = nullptr;
  const quarry_log_v1* log = nullptr;
  /// Counts and sends the response to a request. [any]
  using Send = std::function<void(http_server::Response)>;
  /// Handlers of "/readyz" and "/metrics". A route without a handler is 404.
  std::function<void(Send)> ready;
  std::function<void(Send)> show_metrics;
  MoreRoutes* more = nullptr;  // must outlive the surface; null = none
};

/// MCP over HTTP: one URL for all eras.
class Surface final : public http_server::Handler {
 public:
  /// `catalogue` and `access` must outlive this.
  Surface(Catalogue& catalogue, Access& access, SurfaceOptions options);
  ~Surface() override;

  void handle(const http_server::Request& request, http_server::Responder responder) override;
  std::optional<http_server::Response> refuse_early(const http_server::Request& head) override;
  void admit(const http_server::Request& head, Admitted done) override;
  http_server::Response describe(const http_server::Refusal& refusal) override;
  bool tick() override;

  /// Ends the calls whose clients disconnected without cancelling. After the server has stopped.
  void end_all();

  // For exchanges. [any]
  [[nodiscard]] Methods& methods() { return methods_; }
  [[nodiscard]] const Offer& offer() const { return catalogue_.offer(); }
  [[nodiscard]] Access& access() { return access_; }
  [[nodiscard]] Running& running() { return running_; }
  [[nodiscard]] http_server::Traffic& traffic() { return traffic_; }
  [[nodiscard]] const SurfaceOptions& options() const { return options_; }
  /// The peer is the address that a proxy names, if the request came through one.
  [[nodiscard]] Credentials credentials_of(const http_server::Request& request) const;
  /// Reserves a listening stream of this principal; false if its limit is reached. forget_listener
  /// releases it.
  [[nodiscard]] bool may_listen(const std::string& principal);
  void forget_listener(const std::string& principal);
  /// Registers a stream, which ends with its token. may_listen must have returned true for it.
  void add_listener(const std::string& principal, const std::shared_ptr<Exchange>& stream);
  void end_listeners(const std::string& principal);
  /// For the audit.
  void refused(Record record) {
    refusals_.add(std::move(record), std::chrono::steady_clock::now());
  }

 private:
  /// The listening streams of a principal.
  struct Listening {
    std::size_t count = 0;
    std::vector<std::weak_ptr<Exchange>> streams;
  };
  enum class Route { kMcp, kLive, kReady, kMetrics, kMore, kNone };
  [[nodiscard]] Route route_of(std::string_view path) const;
  [[nodiscard]] std::optional<http_server::Response> refusal(
      const http_server::Request& request) const;
  [[nodiscard]] bool is_proxy(std::string_view peer) const;
  [[nodiscard]] bool came_unencrypted(const http_server::Request& request) const;
  [[nodiscard]] std::optional<http_server::Response> check_call(
      const http_server::Request& request) const;
  [[nodiscard]] std::optional<http_server::Response> check_more(
      const http_server::Request& request) const;
  [[nodiscard]] bool needs_token(const http_server::Request& request) const;
  void handle_more(const http_server::Request& request, http_server::Responder responder);
  [[nodiscard]] std::string cross_origin_headers(const http_server::Request& request) const;
  [[nodiscard]] std::vector<std::shared_ptr<Exchange>> one_stream_per_listener();
  void probe(Route route, const http_server::Request& request,
             const http_server::Responder& responder);
  void show_metrics(const http_server::Request& request, SurfaceOptions::Send send);

  Catalogue& catalogue_;
  Access& access_;
  const SurfaceOptions options_;
  Methods methods_;
  Running running_;
  Refusals refusals_;
  http_server::Traffic traffic_;
  std::mutex mutex_;
  std::unordered_map<std::string, Listening> listening_;  // by principal, under mutex_
};

/// The body of HTTP-level failures: {"error": the name of the status, "message"}.
[[nodiscard]] http_server::Response plain_error(int status, std::string_view message);

}  // namespace quarry::mcp
