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

/// Handles the requests of a server. Called on its loops, concurrently; must not block or throw.
class Handler {
 public:
  virtual ~Handler() = default;
  /// Answers `request` through `responder`, now or later.
  virtual void handle(const Request& request, Responder responder) = 0;
  /// Checks a request whose body has not arrived: returns a response if the body is not to be read.
  /// Otherwise the same request is passed to handle, which checks everything again.
  virtual std::optional<Response> refuse_early(const Request& head) = 0;
  /// The sender of a request; its type is up to the handler.
  using Sender = std::shared_ptr<const void>;
  using Admitted = std::function<void(std::expected<Sender, Response>)>;
  /// Decides about a request that refuse_early did not refuse and whose body has not arrived:
  /// `done` is called once, on any thread, perhaps before this returns, with the sender for
  /// Request::sender or with a response. Until then nothing more is read.
  virtual void admit(const Request& head, Admitted done) {
    static_cast<void>(head);
    done(Sender());
  }
  /// The response for a refusal by the server itself.
  virtual Response describe(const Refusal& refusal) = 0;
  /// Called by each loop about once a second while it has connections, and afterwards as long as it
  /// returns true.
  virtual bool tick() { return false; }
};

struct ServerOptions {
  std::vector<Address> listen;  // at least one
  unsigned threads = 1;         // loops, each with its own listening sockets
  const char* name = "http";    // of the loops' threads, at most 11 bytes
  Limits limits;
  std::shared_ptr<TlsIdentity> tls = nullptr;  // null = plain HTTP
  bool names_peers = false;                    // fills Request::peer
  std::vector<std::string> proxies = {};       // IP addresses, each shared by many clients
  bool counts_loopback = false;                // the limit per peer includes loopback addresses
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

  /// Returns an empty text if every address listens, else a sentence that names the failed one.
  [[nodiscard]] std::string start();
  /// With the real ports. After start.
  [[nodiscard]] const std::vector<Address>& addresses() const;
  /// Accepts no new connections, closes those idle after a response, waits up to `grace` for the
  /// others to finish, at most Limits::first_request_time for a first request, then closes them.
  /// Returns when the loops are joined; no callback runs after it.
  void stop(std::chrono::milliseconds grace);
  /// Open connections. [any thread]
  [[nodiscard]] std::size_t connections() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quarry::http_server
