/// The Unix socket that the server listens on.
#ifndef TRANSPORT_LINES_SOCKET_H
#define TRANSPORT_LINES_SOCKET_H

#include <quarry/outcome.hpp>

#include <string>
#include <utility>

#include <sys/stat.h>

namespace transport_lines {

/// A descriptor, closed with this object.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  [[nodiscard]] int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// A listening socket with mode 0600. Its path is removed with this object, unless it leads to
/// something else by then.
class ListeningSocket {
 public:
  /// Replaces a socket at `path` that nobody listens on any more. A failure names the field
  /// "/socket".
  static quarry::Outcome<ListeningSocket> open(const std::string& path);

  ListeningSocket(ListeningSocket&&) = default;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();
  [[nodiscard]] int get() const { return socket_.get(); }
  /// A connection of the owner or root; empty when there is none, with errno set. Others are
  /// closed.
  [[nodiscard]] Descriptor accept() const;

 private:
  ListeningSocket(Descriptor socket, std::string path, const struct stat& made)
      : socket_(std::move(socket)), path_(std::move(path)), made_(made) {}

  Descriptor socket_;
  std::string path_;
  struct stat made_;
};

}  // namespace transport_lines

#endif
