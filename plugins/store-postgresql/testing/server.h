#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace quarry::store_postgresql {

/// A PostgreSQL server for tests, in a temporary directory, on a free port of loopback and a Unix
/// socket. It ends with this object, and with the program. One thread at a time.
class Server {
 public:
  /// The reason why no server can be started; empty if its programs exist.
  static std::string missing();

  /// `durable`: commits survive a loss of power, which takes longer.
  explicit Server(bool durable = false);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  /// Kills it at once, like a loss of power.
  void kill();

  /// Creates an empty database and returns its URL over the Unix socket.
  std::string new_database();
  /// The URL over TCP, where the server requires the password "correct horse", and offers TLS with
  /// the certificate server.crt of its directory().
  [[nodiscard]] std::string over_tcp(const std::string& url,
                                     const std::string& password = "correct%20horse") const;
  /// Runs statements in the database of `url`; returns the first column of the last one.
  static std::string run(const std::string& url, const std::string& sql);
  /// Runs statements again and again until run() would return `wanted`.
  static void run_until(const std::string& url, const std::string& sql, const std::string& wanted);

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] const std::filesystem::path& directory() const { return root_; }

 private:
  void reserve_port();
  void make_cluster();
  void make_certificate();
  /// Runs a program and waits for it.
  void run_program(const std::vector<std::string>& arguments) const;

  [[nodiscard]] std::filesystem::path data() const { return root_ / "data"; }

  const bool durable_;
  std::filesystem::path root_;
  int reservation_ = -1;  ///< a socket that keeps the port from other programs
  int port_ = 0;
  int databases_ = 0;
  pid_t process_ = -1;
};

}  // namespace quarry::store_postgresql
