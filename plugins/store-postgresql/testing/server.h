#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace quarry::store_postgresql {

/// A PostgreSQL server of this program's own, in a temporary directory, on a free port of loopback
/// and a Unix socket. It ends with this, and with the program. One thread at a time.
class Server {
 public:
  /// Why there is none; empty when its programs are there.
  static std::string missing();

  /// `durable`: what was committed outlives the machine, which takes longer.
  explicit Server(bool durable = false);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  /// Ends it at once, as a loss of power would.
  void kill();

  /// A new and empty database, as a URL over the Unix socket.
  std::string new_database();
  /// The URL over TCP, where the server wants the password "correct horse", and offers TLS with
  /// the certificate server.crt of its directory().
  [[nodiscard]] std::string over_tcp(const std::string& url,
                                     const std::string& password = "correct%20horse") const;
  /// Runs statements in the database of `url`; what the first column of the last one says.
  static std::string run(const std::string& url, const std::string& sql);

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] const std::filesystem::path& directory() const { return root_; }

 private:
  void make_cluster();
  void make_certificate();
  /// Runs a program to its end.
  void run_program(const std::vector<std::string>& arguments) const;

  [[nodiscard]] std::filesystem::path data() const { return root_ / "data"; }

  const bool durable_;
  std::filesystem::path root_;
  int port_ = 0;
  int databases_ = 0;
  pid_t process_ = -1;
};

}  // namespace quarry::store_postgresql
