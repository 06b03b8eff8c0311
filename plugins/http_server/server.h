#pragma once

#include "address.h"
#include "options.h"
#include "request.h"
#include "responder.h"
#include "response.h"
#include "tls.h"

#include <quarry/log.h>
#include <quarry/work.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace quarry::http_server {

/// What a server serves. Called on its loops, by several at once; must not block or throw.
class Handler {
 public:
  virtual ~Handler() = default;
  /// Answers `request` through `responder`, now or later.
  virtual void handle(const Request& request, Responder responder) = 0;
  /// Looks at a request whose body has not come yet: an answer instead of reading it, if any. The
  /// same request comes to handle otherwise, so handle checks everything again.
  virtual std::optional<Response> refuse_early(const Request& head) = 0;
  /// Of a kind of the handler's own.
  using Sender = std::shared_ptr<const void>;
  using Admitted = std::function<void(std::expected<Sender, Response>)>;
  /// Decides about a request that refuse_early let pass and whose body has not come yet: `done` is
  /// called once, on any thread, perhaps before this returns, with the sender that handle finds in
  /// the request or with an answer. Until then nothing more is read.
  virtual void admit(const Request& head, Admitted done) {
    static_cast<void>(head);
    done(Sender());
  }
  /// How a refusal of the server itself reads on this surface.
  virtual Response describe(const Refusal& refusal) = 0;
  /// Called by each loop about once a second while it has connections, and then as long as it
  /// answers true.
  virtual bool tick() { return false; }
};

struct ServerOptions {
  std::vector<Address> listen;  // at least one
  unsigned threads = 1;         // loops, each with its own listening sockets
  const char* name = "http";    // of the loops' threads, at most 11 bytes
  Limits limits;
  std::shared_ptr<TlsIdentity> tls = nullptr;  // null = plain HTTP
  bool names_peers = false;                    // fills Request::peer
  std::vector<std::string> proxies = {};       // IP addresses, each of many clients
  bool counts_loopback = false;                // also clients of this machine have a limit
};

/// Listens and serves. start and stop are called by one thread.
class Server {
 public:
  /// `work`, `log` (may be null) and `handler` must outlive the server.
  Server(const quarry_work_v1& work, const quarry_log_v1* log, Handler& handler,
         ServerOptions options);
  /// Stops without grace.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Returns an empty text when everything listens, else a sentence that says what does not.
  [[nodiscard]] std::string start();
  /// With the real ports. After start.
  [[nodiscard]] const std::vector<Address>& addresses() const;
  /// Accepts nothing new, closes idle connections, lets the others finish within `grace`, then
  /// cuts them. Returns when the loops are joined; no callback runs after it.
  void stop(std::chrono::milliseconds grace);
  /// Open connections. [any thread]
  [[nodiscard]] std::size_t connections() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quarry::http_server
