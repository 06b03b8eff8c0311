#include "server.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <vector>

namespace transport_lines {
namespace {

constexpr int kPauseMs = 1000;  // until descriptors may be free again
constexpr std::chrono::seconds kReplyTime{5};

}  // namespace

Server::Server(const quarry_engine* engine, ListeningSocket socket)
    : engine_(engine), socket_(std::move(socket)) {}

void Server::stop(std::chrono::milliseconds grace) {
  deadline_ = Clock::now() + grace;
  stopping_ = true;
  mailbox_->wake();
}

void Server::run() {
  while (!stopped()) {
    poll_once();
    take_mail();
    if (stopping_) begin_stop();
    remove_done();
  }
  end_all();
}

bool Server::stopped() const {
  return stopping_ && (connections_.empty() || Clock::now() >= deadline_);
}

int Server::timeout() const {
  if (!stopping_) return accept_paused_ ? kPauseMs : -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, kPauseMs));
}

void Server::poll_once() {
  std::vector<pollfd> waited{{mailbox_->descriptor(), POLLIN, 0}};
  const bool accepts = socket_ && !accept_paused_ && connections_.size() < kMostConnections;
  waited.push_back({accepts ? socket_->get() : -1, POLLIN, 0});
  for (const auto& [number, connection] : connections_) {
    waited.push_back({connection.descriptor(), connection.wanted(), 0});
  }
  const int limit = timeout();
  accept_paused_ = false;
  if (::poll(waited.data(), waited.size(), limit) < 0) return;
  std::size_t i = 2;
  for (auto& [number, connection] : connections_) {
    const short seen = waited[i++].revents;
    if ((seen & POLLIN) != 0) connection.on_readable();
    if ((seen & POLLOUT) != 0) connection.write_exchanges();
    if ((seen & (POLLHUP | POLLERR)) != 0) connection.fail();
  }
  if ((waited[1].revents & POLLIN) != 0) accept_all();
}

void Server::accept_all() {
  while (connections_.size() < kMostConnections) {
    Descriptor client = socket_->accept();
    if (!client) {
      accept_paused_ = errno == EMFILE || errno == ENFILE;
      return;
    }
    const std::uint64_t number = ++last_number_;
    connections_.try_emplace(number, engine_, mailbox_, number, std::move(client));
  }
}

void Server::take_mail() {
  for (const auto& exchange : mailbox_->take()) {
    const auto client = connections_.find(exchange->client());
    if (client != connections_.end()) client->second.write_exchanges();
  }
}

void Server::begin_stop() {
  socket_.reset();
  for (auto& [number, connection] : connections_) connection.close_input();
}

void Server::remove_done() {
  std::erase_if(connections_, [](const auto& one) { return one.second.done(); });
}

/// Cancelled calls are replied to soon, on threads that then still run code of this plugin.
void Server::end_all() {
  socket_.reset();
  connections_.clear();
  const auto last = Clock::now() + kReplyTime;
  while (mailbox_->calls() > 0 && Clock::now() < last) {
    pollfd waited{mailbox_->descriptor(), POLLIN, 0};
    ::poll(&waited, 1, kPauseMs);
    mailbox_->take();
  }
  mailbox_->close();
}

}  // namespace transport_lines
