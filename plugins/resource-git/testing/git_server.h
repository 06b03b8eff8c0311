#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace quarry::resource_git::testing {

/// A request as git's HTTP transport sends it.
struct WebRequest {
  std::string method;
  std::string path;  ///< without the query
  std::string query;
  std::map<std::string, std::string> headers;  ///< lower-case names
  std::string body;
};
struct WebResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

/// Serves the repositories beneath a directory with git's own `http-backend`, on a port of
/// 127.0.0.1 chosen by the system. One request per connection.
class GitServer {
 public:
  explicit GitServer(std::filesystem::path root);
  ~GitServer();
  GitServer(const GitServer&) = delete;
  GitServer& operator=(const GitServer&) = delete;

  [[nodiscard]] std::string url(const std::string& repository) const;
  [[nodiscard]] int port() const { return port_; }
  /// Responds in place of git when `answer` returns a response.
  void intercept(std::function<std::optional<WebResponse>(const WebRequest&)> answer);
  /// Hides the client's support of protocol version 2 from git.
  void speak_old_protocol() { old_protocol_ = true; }
  /// Closes each connection after this many bytes of a response.
  void cut_after(std::size_t bytes) { cut_after_ = bytes; }
  [[nodiscard]] std::vector<WebRequest> requests() const;
  void forget_requests();

 private:
  void accept_all();
  void serve(int connection);
  [[nodiscard]] WebResponse run_backend(const WebRequest& request) const;

  std::filesystem::path root_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> old_protocol_ = false;
  std::atomic<std::size_t> cut_after_ = SIZE_MAX;
  mutable std::mutex mutex_;
  std::function<std::optional<WebResponse>(const WebRequest&)> intercept_;
  std::vector<WebRequest> requests_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace quarry::resource_git::testing
