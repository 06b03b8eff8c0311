#pragma once

#include "services/http_client.h"
#include "services/workers.h"

#include <atomic>
#include <future>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace quarry::services::testing {

/// Server side of one connection.
class Peer {
 public:
  explicit Peer(int socket) : socket_(socket) {}
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// Head and body of the next request; empty once the client has disconnected.
  std::optional<std::string> request();
  /// False once the client has disconnected.
  bool write(std::string_view bytes);
  /// Returns when the client has closed the connection.
  void wait_until_closed();
  /// Closes with a reset, as a crash would.
  void reset();
  void end();

 private:
  bool read_more();

  int socket_;
  std::string unread_;
};

/// A server on 127.0.0.1: runs `script` for each connection on a thread of its own.
class ScriptedServer {
 public:
  using Script = std::function<void(Peer& peer)>;

  explicit ScriptedServer(Script script);
  /// Closes every connection and waits for the scripts.
  ~ScriptedServer();

  [[nodiscard]] std::string url(std::string_view path = "/") const;
  [[nodiscard]] int connections() const { return connections_; }

 private:
  void accept_all();

  Script script_;
  int socket_ = -1;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::list<Peer> peers_;
  std::list<std::thread> threads_;
  std::thread accepting_;
};

/// "HTTP/1.1 200 OK" with a body of known length.
std::string ok(std::string_view body, std::string_view headers = {});
std::string redirect(int status, std::string_view location);

/// Result of a transfer.
struct Received {
  HttpHead head;
  std::string body;
  std::promise<Result<HttpOutcome>> ended;
};

/// A client with an I/O thread; it may connect to 127.0.0.1 and knows the secret "key".
class ClientHost {
 public:
  explicit ClientHost(std::map<std::string, std::string> environment = {},
                      std::vector<std::string> allowed = {"127.0.0.1"});
  ~ClientHost();

  [[nodiscard]] HttpClient& client() { return *client_; }
  [[nodiscard]] boost::asio::io_context& io() { return io_; }
  [[nodiscard]] SecretStore& secrets() { return secrets_; }
  /// Two threads.
  [[nodiscard]] Executor& workers() { return workers_; }
  [[nodiscard]] EgressPolicy& policy() { return policy_; }
  /// Callbacks that fill `received`.
  static HttpCallbacks into(Received& received);
  /// Runs a request to its end; what came is in `received`.
  Result<HttpOutcome> fetch(HttpRequest request, Received& received, HttpOptions options = {});
  Result<HttpOutcome> fetch(HttpRequest request, HttpOptions options = {});
  /// Runs `work` on the I/O thread.
  void post(std::function<void()> work);
  /// Ends the client while its transfers run.
  void destroy();

 private:
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  EgressPolicy policy_;
  Redactor redactor_;
  ProcessRunner processes_{"/usr/bin:/bin", "/"};
  SecretStore secrets_;
  WorkerPool workers_{2};
  std::optional<HttpClient> client_;
  std::thread loop_;
};

}  // namespace quarry::services::testing
