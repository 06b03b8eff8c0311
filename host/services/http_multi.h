#pragma once

#include "base/file.h"
#include "services/curl_library.h"

#include <functional>
#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace quarry::services {

/// libcurl's multi interface on an io_context. All sockets are in one epoll set, a single
/// descriptor for Asio, so that one turn of the loop serves many ready streams. [io]
class HttpMulti : public std::enable_shared_from_this<HttpMulti> {
 public:
  /// `curl` must outlive it; `on_done` is called for every transfer that libcurl has ended.
  static Result<std::shared_ptr<HttpMulti>> make(
      boost::asio::io_context& io, const Curl& curl,
      std::function<void(CURL* easy, CURLcode code)> on_done);
  ~HttpMulti();
  HttpMulti(const HttpMulti&) = delete;
  HttpMulti& operator=(const HttpMulti&) = delete;

  /// Not from within a callback of libcurl.
  Status add(CURL* easy);
  /// Not from within a callback of libcurl. Closes an unfinished HTTP/1 connection.
  void remove(CURL* easy);
  /// Stops calls of on_done.
  void stop() { on_done_ = nullptr; }

 private:
  HttpMulti(boost::asio::io_context& io, const Curl& curl, int set, CURLM* multi);

  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* unused);
  static int on_timer(CURLM* multi, long milliseconds, void* self);

  void wait();
  void take_ready();
  void act(curl_socket_t socket, int events);
  void report();

  const Curl& curl_;
  CURLM* const multi_;
  boost::asio::posix::stream_descriptor set_;
  boost::asio::steady_timer timer_;
  std::function<void(CURL* easy, CURLcode code)> on_done_;
};

}  // namespace quarry::services
