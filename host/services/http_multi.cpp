#include "services/http_multi.h"

#include <array>

#include <sys/epoll.h>

namespace quarry::services {
namespace {

constexpr long kIdleConnections = 64;
constexpr std::size_t kReadyAtOnce = 32;  // callbacks of the first wait for the last
// Beyond it libcurl opens a connection for each further stream; servers announce their own limit.
constexpr long kStreamsOfConnection = 1000;

std::uint32_t events_of(int what) {
  std::uint32_t events = 0;
  if (what & CURL_POLL_IN) events |= EPOLLIN;
  if (what & CURL_POLL_OUT) events |= EPOLLOUT;
  return events;
}

int action_of(std::uint32_t events) {
  int action = 0;
  if (events & (EPOLLIN | EPOLLHUP)) action |= CURL_CSELECT_IN;
  if (events & EPOLLOUT) action |= CURL_CSELECT_OUT;
  if (events & EPOLLERR) action |= CURL_CSELECT_ERR;
  return action;
}

}  // namespace

Result<std::shared_ptr<HttpMulti>> HttpMulti::make(
    boost::asio::io_context& io, const Curl& curl,
    std::function<void(CURL* easy, CURLcode code)> on_done) {
  CURLM* const multi = curl.multi_init();
  if (!multi) return Error{Code::kResourceExhausted, "no memory for the HTTP client"};
  const int set = ::epoll_create1(EPOLL_CLOEXEC);
  if (set < 0) {
    curl.multi_cleanup(multi);
    return system_error("cannot watch connections", errno);
  }
  std::shared_ptr<HttpMulti> made(new HttpMulti(io, curl, set, multi));
  made->on_done_ = std::move(on_done);
  made->wait();
  return made;
}

HttpMulti::HttpMulti(boost::asio::io_context& io, const Curl& curl, int set, CURLM* multi)
    : curl_(curl), multi_(multi), set_(io, set), timer_(io) {
  curl_.multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &HttpMulti::on_socket);
  curl_.multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_.multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &HttpMulti::on_timer);
  curl_.multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_.multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kIdleConnections);
  curl_.multi_setopt(multi_, CURLMOPT_MAX_CONCURRENT_STREAMS, kStreamsOfConnection);
}

HttpMulti::~HttpMulti() {
  curl_.multi_cleanup(multi_);
}

Status HttpMulti::add(CURL* easy) {
  if (curl_.multi_add_handle(multi_, easy) == CURLM_OK) return {};
  return Error{Code::kInternal, "the HTTP client could not begin a request"};
}

void HttpMulti::remove(CURL* easy) {
  curl_.multi_remove_handle(multi_, easy);
}

int HttpMulti::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
  const int set = static_cast<HttpMulti*>(self)->set_.native_handle();
  if (what == CURL_POLL_REMOVE) {
    ::epoll_ctl(set, EPOLL_CTL_DEL, socket, nullptr);
    return 0;
  }
  epoll_event event{};
  event.events = events_of(what);
  event.data.fd = socket;
  if (::epoll_ctl(set, EPOLL_CTL_MOD, socket, &event) == 0 || errno != ENOENT) return 0;
  ::epoll_ctl(set, EPOLL_CTL_ADD, socket, &event);
  return 0;
}

int HttpMulti::on_timer(CURLM*, long pause, void* self) {
  auto& mine = *static_cast<HttpMulti*>(self);
  if (pause < 0) {
    mine.timer_.cancel();
    return 0;
  }
  mine.timer_.expires_after(std::chrono::milliseconds(pause));
  mine.timer_.async_wait([weak = mine.weak_from_this()](const boost::system::error_code& error) {
    const auto self_alive = weak.lock();
    if (!error && self_alive) self_alive->act(CURL_SOCKET_TIMEOUT, 0);
  });
  return 0;
}

void HttpMulti::wait() {
  set_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                  [weak = weak_from_this()](const boost::system::error_code& error) {
                    const auto self_alive = weak.lock();
                    if (error || !self_alive) return;
                    self_alive->take_ready();
                    self_alive->wait();
                  });
}

void HttpMulti::take_ready() {
  std::array<epoll_event, kReadyAtOnce> ready;
  const int count = ::epoll_wait(set_.native_handle(), ready.data(), ready.size(), 0);
  for (int i = 0; i < count; ++i) act(ready[i].data.fd, action_of(ready[i].events));
}

void HttpMulti::act(curl_socket_t socket, int events) {
  int running = 0;
  curl_.multi_socket_action(multi_, socket, events, &running);
  report();
}

void HttpMulti::report() {
  int left = 0;
  while (const CURLMsg* message = curl_.multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* const easy = message->easy_handle;
    const CURLcode code = message->data.result;
    if (on_done_) on_done_(easy, code);
  }
}

}  // namespace quarry::services
