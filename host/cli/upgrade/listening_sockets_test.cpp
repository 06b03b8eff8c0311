#include "cli/upgrade/listening_sockets.h"

#include "base/file.h"

#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace quarry::cli {
namespace {

/// A socket that is bound to a free port of the loopback address.
class Bound {
 public:
  explicit Bound(int family, bool listens = true) : socket_(::socket(family, SOCK_STREAM, 0)) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_addr = in6addr_loopback;
    const bool is_v4 = family == AF_INET;
    const auto* const at =
        is_v4 ? reinterpret_cast<const sockaddr*>(&v4) : reinterpret_cast<const sockaddr*>(&v6);
    EXPECT_EQ(::bind(socket_.get(), at, is_v4 ? sizeof v4 : sizeof v6), 0);
    if (listens) {
      EXPECT_EQ(::listen(socket_.get(), 1), 0);
    }
    sockaddr_in6 bound{};
    socklen_t size = sizeof bound;
    EXPECT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&bound), &size), 0);
    port_ = std::to_string(ntohs(bound.sin6_port));  // at the same place in both
  }
  [[nodiscard]] int get() const { return socket_.get(); }
  [[nodiscard]] const std::string& port() const { return port_; }

 private:
  Fd socket_;
  std::string port_;
};

TEST(ListeningSockets, AreFoundByTheAddressesOfTransports) {
  const Bound rest(AF_INET);
  const Bound mcp(AF_INET6);
  const Bound stranger(AF_INET);
  const Bound deaf(AF_INET, false);
  const std::vector<engine::Listening> listening = {{"rest", "http://127.0.0.1:" + rest.port()},
                                                    {"mcp", "https://[::1]:" + mcp.port() + "/mcp"},
                                                    {"deaf", "http://127.0.0.1:" + deaf.port()},
                                                    {"lines", "/run/quarry.sock"}};
  const auto found = listening_sockets(listening);
  ASSERT_EQ(found.size(), 2U);
  for (const NamedSocket& one : found) {
    EXPECT_EQ(one.descriptor, one.transport == "rest" ? rest.get() : mcp.get());
  }
  EXPECT_NE(found[0].transport, found[1].transport);
}

TEST(ListeningSockets, OfOneSocketAreOneAndOfOneAddressAreAll) {
  const Bound first(AF_INET);
  const Fd again(::dup(first.get()));
  const std::vector<engine::Listening> listening = {{"rest", "http://127.0.0.1:" + first.port()}};
  EXPECT_EQ(listening_sockets(listening).size(), 1U);

  const Fd one(::socket(AF_INET, SOCK_STREAM, 0));
  const Fd other(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (const Fd* const socket : {&one, &other}) {
    const int yes = 1;
    ASSERT_EQ(::setsockopt(socket->get(), SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes), 0);
    ASSERT_EQ(::bind(socket->get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    ASSERT_EQ(::listen(socket->get(), 1), 0);
    socklen_t size = sizeof at;
    ASSERT_EQ(::getsockname(socket->get(), reinterpret_cast<sockaddr*>(&at), &size), 0);
  }
  const std::string port = std::to_string(ntohs(at.sin_port));
  EXPECT_EQ(listening_sockets({{{"rest", "http://127.0.0.1:" + port}}}).size(), 2U);
}

}  // namespace
}  // namespace quarry::cli
