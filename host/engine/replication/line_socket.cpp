#include "engine/replication/line_socket.h"

#include <cerrno>
#include <fcntl.h>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <sys/socket.h>

namespace quarry::engine {
namespace {

namespace asio = boost::asio;

/// A longer line is a fault of the other side: the last event of a question repeats the others,
/// which are limited by server.max_event_bytes.
constexpr std::size_t kLongestLine = 1u << 30;

class AsioLineSocket final : public LineSocket,
                             public std::enable_shared_from_this<AsioLineSocket> {
 public:
  AsioLineSocket(asio::io_context& io, int descriptor)
      : socket_(io, asio::generic::stream_protocol(AF_UNIX, 0), descriptor) {}

  void start(Handler handler) override {
    handler_ = std::move(handler);
    read();
  }

  void write(std::string_view lines) override {
    if (!socket_.is_open() || lines.empty()) return;
    waiting_ += lines;
    if (sent_.empty()) send();
  }

  [[nodiscard]] std::size_t unwritten() const override { return waiting_.size() + sent_.size(); }

  void close() override {
    boost::system::error_code ignored;
    socket_.close(ignored);
    waiting_.clear();
  }

 private:
  void read() {
    asio::async_read_until(
        socket_, asio::dynamic_buffer(read_, kLongestLine), '\n',
        [self = shared_from_this()](const boost::system::error_code& failed, std::size_t) {
          if (failed) return self->fail();
          self->pass_lines();
          if (self->socket_.is_open()) self->read();
        });
  }

  void pass_lines() {
    const std::string_view text = read_;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
      if (socket_.is_open()) handler_.line(text.substr(begin, end - begin));
    }
    read_.erase(0, begin);
  }

  void send() {
    sent_ = std::exchange(waiting_, std::string());
    asio::async_write(
        socket_, asio::buffer(sent_),
        [self = shared_from_this()](const boost::system::error_code& failed, std::size_t) {
          self->sent_.clear();
          if (failed) return self->fail();
          if (!self->waiting_.empty()) return self->send();
          self->handler_.written();
        });
  }

  void fail() {
    if (!socket_.is_open()) return;
    close();
    handler_.closed();
  }

  asio::generic::stream_protocol::socket socket_;
  Handler handler_;
  std::string read_;
  std::string waiting_;
  std::string sent_;  ///< being written
};

}  // namespace

Result<std::shared_ptr<LineSocket>> LineSocket::make(asio::io_context& io, const Fd& socket) {
  const int descriptor = ::fcntl(socket.get(), F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) return system_error("cannot duplicate a socket", errno);
  return std::shared_ptr<LineSocket>(std::make_shared<AsioLineSocket>(io, descriptor));
}

}  // namespace quarry::engine
