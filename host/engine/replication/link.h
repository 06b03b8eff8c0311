#pragma once

#include "engine/replication/line_socket.h"

#include <memory>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>

namespace quarry::engine {

/// An end of the connection between two processes, which works on the I/O thread. Its jobs and
/// callbacks do nothing once the last owner of `Self`, which derives from this, is gone.
template <class Self>
class Link : public std::enable_shared_from_this<Self> {
 public:
  /// Calls `act(Self&)` on the I/O thread. [any]
  template <class Act>
  void post(Act act) {
    boost::asio::post(io_, bound(std::move(act)));
  }
  /// The same, and waits for its end. Not on the I/O thread.
  template <class Act>
  void run(Act act) {
    boost::asio::post(io_, boost::asio::use_future(bound(std::move(act)))).wait();
  }

 protected:
  /// A function that calls `act(Self&, arguments…)`.
  template <class Act>
  auto bound(Act act) {
    return [weak = this->weak_from_this(), act = std::move(act)](auto... arguments) {
      if (const auto self = weak.lock()) act(*self, arguments...);
    };
  }

  const std::shared_ptr<LineSocket> socket_;

 private:
  friend Self;
  Link(boost::asio::io_context& io, std::shared_ptr<LineSocket> socket)
      : socket_(std::move(socket)), io_(io) {}

  boost::asio::io_context& io_;
};

}  // namespace quarry::engine
