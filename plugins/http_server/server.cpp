#include "server.h"

#include "connection.h"
#include "loop.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <random>
#include <unistd.h>
#include <utility>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/v6_only.hpp>

namespace quarry::http_server {
namespace {

using boost::asio::ip::tcp;
using ErrorCode = boost::system::error_code;
using ReusePort = boost::asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

/// Connection limit of one peer: a quarter of all, so that no peer can take them all.
std::size_t most_of_peer(const Limits& limits) {
  return std::max<std::size_t>(limits.connections / 4, 1);
}

std::string random_prefix() {
  std::random_device random;
  char text[24];
  std::snprintf(text, sizeof text, "%08x%08x-", random(), random());
  return text;
}

/// When other sockets may bind the same address and port.
enum class Sharing { kNone, kAfterBind, kAlways };

ErrorCode listen_on(Acceptor& acceptor, const tcp::endpoint& endpoint, Sharing sharing) {
  ErrorCode error;
  acceptor.open(endpoint.protocol(), error);
  if (error) return error;
  acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (endpoint.address().is_v6()) {
    acceptor.set_option(boost::asio::ip::v6_only(true), error);
  }
  if (sharing == Sharing::kAlways) acceptor.set_option(ReusePort(true), error);
  if (error) return error;
  acceptor.bind(endpoint, error);
  if (!error && sharing == Sharing::kAfterBind) acceptor.set_option(ReusePort(true), error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  return error;
}

std::string sentence(const Address& address, const ErrorCode& error) {
  const std::string where = "cannot listen on " + address.url().substr(7);
  if (error == boost::asio::error::address_in_use) {
    return where + ": the address is in use by another program";
  }
  return where + ": " + error.message();
}

}  // namespace

struct Server::State {
  State(const quarry_work_v1& service, const quarry_log_v1* log, Handler& handler,
        ServerOptions wanted)
      : work(service),
        options(std::move(wanted)),
        shared{handler,
               log,
               options.limits,
               random_prefix(),
               options.tls,
               options.names_peers,
               {most_of_peer(options.limits), options.proxies, options.counts_loopback}} {}

  ErrorCode listen(Address& address);
  ErrorCode take_over(const Address& address);
  std::string listen_everywhere();
  std::string start_loops();
  void stop(std::chrono::milliseconds grace);

  const quarry_work_v1& work;
  ServerOptions options;
  Shared shared;
  std::vector<Address> addresses;
  std::vector<std::shared_ptr<Loop>> loops;
  std::vector<quarry_loop*> threads;
};

/// Every loop has a socket of its own; the kernel distributes clients among them. The first bind is
/// exclusive: with sharing allowed, a second server would get half of the clients of the first
/// instead of an error.
ErrorCode Server::State::listen(Address& address) {
  ErrorCode error;
  if (address.passed >= 0) return take_over(address);
  const auto ip = boost::asio::ip::make_address(address.ip, error);
  if (error) return error;
  Sharing sharing = loops.size() > 1 ? Sharing::kAfterBind : Sharing::kNone;
  for (const auto& loop : loops) {
    Acceptor acceptor(loop->executor());
    error = listen_on(acceptor, {ip, address.port}, sharing);
    if (error) return error;
    address.port = acceptor.local_endpoint(error).port();
    loop->add(std::move(acceptor));
    sharing = Sharing::kAlways;
  }
  return error;
}

/// All loops share a socket of the service manager, which stays open when they end.
ErrorCode Server::State::take_over(const Address& address) {
  ErrorCode error;
  const auto ip = boost::asio::ip::make_address(address.ip, error);
  for (const auto& loop : loops) {
    if (error) break;
    const int socket = ::fcntl(address.passed, F_DUPFD_CLOEXEC, 0);
    if (socket < 0) return {errno, boost::system::system_category()};
    Acceptor acceptor(loop->executor());
    acceptor.assign(ip.is_v6() ? tcp::v6() : tcp::v4(), socket, error);
    if (error) ::close(socket);
    if (!error) loop->add(std::move(acceptor));
  }
  return error;
}

std::string Server::State::listen_everywhere() {
  for (Address address : options.listen) {
    // The second address of "localhost:0" uses the port of the first.
    if (address.optional && address.port == 0 && !addresses.empty()) {
      address.port = addresses.back().port;
    }
    const ErrorCode error = listen(address);
    if (!error) {
      address.secure = options.tls != nullptr;
      // Several sockets of one address are passed if the program before had a loop for each.
      const bool known = std::ranges::any_of(addresses, [&](const Address& other) {
        return other.ip == address.ip && other.port == address.port;
      });
      if (!known) addresses.push_back(address);
    } else if (!address.optional) {
      return sentence(address, error);
    }
  }
  return {};
}

std::string Server::State::start_loops() {
  for (const auto& loop : loops) {
    const std::string name = options.name + ("-" + std::to_string(threads.size()));
    quarry_loop* const thread = work.start_loop(
        &work, name.c_str(), [](void* context) { static_cast<Loop*>(context)->run(); }, loop.get());
    if (thread == nullptr) return "the host provides no thread to listen on";
    threads.push_back(thread);
  }
  return {};
}

void Server::State::stop(std::chrono::milliseconds grace) {
  for (std::size_t i = 0; i < threads.size(); ++i) {
    loops[i]->post([loop = loops[i], grace] { loop->stop(grace); });
  }
  for (quarry_loop* thread : std::exchange(threads, {})) work.join_loop(thread);
  for (const auto& loop : loops) loop->drain();
  loops.clear();
}

Server::Server(const quarry_work_v1& work, const quarry_log_v1* log, Handler& handler,
               ServerOptions options)
    : state_(std::make_unique<State>(work, log, handler, std::move(options))) {}

Server::~Server() {
  state_->stop(std::chrono::milliseconds(0));
}

std::string Server::start() {
  for (unsigned i = 0; i < std::max(1U, state_->options.threads); ++i) {
    state_->loops.push_back(std::make_shared<Loop>(state_->shared));
  }
  std::string problem = state_->listen_everywhere();
  if (problem.empty()) problem = state_->start_loops();
  if (!problem.empty()) stop(std::chrono::milliseconds(0));
  return problem;
}

const std::vector<Address>& Server::addresses() const {
  return state_->addresses;
}

void Server::stop(std::chrono::milliseconds grace) {
  state_->stop(grace);
}

std::size_t Server::connections() const {
  return state_->shared.connections.load();
}

}  // namespace quarry::http_server
