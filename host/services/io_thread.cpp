#include "services/io_thread.h"

#include <cerrno>
#include <fcntl.h>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace quarry::services {
namespace {

namespace asio = boost::asio;

/// A watched descriptor, owned by the pending wait. [io]
class Watched : public std::enable_shared_from_this<Watched> {
 public:
  Watched(asio::io_context& io, int descriptor, std::function<IoThread::Again()> ready)
      : descriptor_(io, descriptor), pause_(io), ready_(std::move(ready)) {}

  void wait() {
    descriptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                           [self = shared_from_this()](const boost::system::error_code& failed) {
                             if (!failed) self->look();
                           });
  }
  void end() {
    ended_ = true;
    pause_.cancel();
    boost::system::error_code ignored;
    descriptor_.close(ignored);
  }

 private:
  void look() {
    if (ended_) return;
    const auto again = ready_();
    if (ended_ || !again) return;
    if (again->count() == 0) return wait();
    pause_.expires_after(*again);
    pause_.async_wait([self = shared_from_this()](const boost::system::error_code& cancelled) {
      if (!cancelled) self->look();
    });
  }

  asio::posix::stream_descriptor descriptor_;
  asio::steady_timer pause_;
  const std::function<IoThread::Again()> ready_;
  bool ended_ = false;
};

class OwnedWatch final : public IoThread::Watch {
 public:
  OwnedWatch(asio::io_context& io, std::shared_ptr<Watched> watched)
      : io_(io), watched_(std::move(watched)) {
    asio::post(io_, [watched = watched_] { watched->wait(); });
  }
  ~OwnedWatch() override {
    asio::post(io_, [watched = std::move(watched_)] { watched->end(); });
  }
  OwnedWatch(const OwnedWatch&) = delete;
  OwnedWatch& operator=(const OwnedWatch&) = delete;

 private:
  asio::io_context& io_;
  std::shared_ptr<Watched> watched_;
};

}  // namespace

void IoThread::post(std::function<void()> job) {
  asio::post(io_, std::move(job));
}

void IoThread::after(std::chrono::milliseconds delay, std::function<void()> job) {
  const auto timer = std::make_shared<asio::steady_timer>(io_, delay);
  timer->async_wait([timer, job = std::move(job)](const boost::system::error_code& cancelled) {
    if (!cancelled) job();
  });
}

Result<std::unique_ptr<IoThread::Watch>> IoThread::watch(int descriptor,
                                                         std::function<Again()> ready) {
  const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return system_error("cannot watch a descriptor", errno);
  return std::make_unique<OwnedWatch>(io_, std::make_shared<Watched>(io_, own, std::move(ready)));
}

}  // namespace quarry::services
