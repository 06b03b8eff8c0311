#pragma once

#include <filesystem>
#include <string>

#include <sys/types.h>

namespace quarry::store_postgresql {

/// A PostgreSQL server of this program's own, in a temporary directory, on a free port of loopback
/// and a Unix socket. It ends with this, and with the program. One thread at a time.
class Server {
 public:
  /// Why there is none; empty when its programs are there.
  static std::string missing();

  Server();
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  /// Ends it at once, as a loss of power would.
  void kill();

  /// A new and empty database, as a URL over the Unix socket.
  std::string new_database();
  /// The URL over TCP, which asks for the password, kPassword.
  [[nodiscard]] std::string over_tcp(const std::string& url, const std::string& password) const;
  /// Runs statements in the database of `url`; what the first column of the last one says.
  static std::string run(const std::string& url, const std::string& sql);

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] const std::filesystem::path& directory() const { return root_; }

  static constexpr const char* kPassword = "correct horse";

 private:
  void make_cluster();
  [[nodiscard]] std::filesystem::path data() const { return root_ / "data"; }

  std::filesystem::path root_;
  int port_ = 0;
  int databases_ = 0;
  pid_t process_ = -1;
};

}  // namespace quarry::store_postgresql
