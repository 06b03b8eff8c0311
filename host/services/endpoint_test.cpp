#include "services/endpoint.h"

#include <unistd.h>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace quarry::services {
namespace {

using namespace std::chrono_literals;

/// A bound port of 127.0.0.1; tests call listen() on it explicitly.
class Port {
 public:
  Port() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    number = ntohs(address.sin_port);
  }
  ~Port() { ::close(fd_); }
  void listen() const { EXPECT_EQ(::listen(fd_, 1), 0); }

  std::uint16_t number = 0;

 private:
  int fd_;
};

TEST(Endpoint, IsWhatABaseUrlNames) {
  const auto is = [](std::string_view url, const std::string& host, std::uint16_t port) {
    EXPECT_EQ(parse_endpoint(url), (Endpoint{host, port})) << url;
  };
  is("http://127.0.0.1:11434/v1", "127.0.0.1", 11434);
  is("HTTPS://API.Example.org./v1", "api.example.org", 443);
  is("http://localhost", "localhost", 80);
  is("http://[::1]:8080/", "::1", 8080);
  is("http://[::1]", "::1", 80);
  is("https://a:?x=1", "a", 443);
}

TEST(Endpoint, IsNoneOfWhatIsNoBaseUrl) {
  for (const char* bad :
       {"", "127.0.0.1:1", "ftp://a", "http://", "http://:80", "http://a:0", "http://a:65536",
        "http://a:1x", "http://user@a", "http://u:p@a:1", "http://[::1", "unix:///run/x"}) {
    EXPECT_FALSE(parse_endpoint(bad)) << bad;
  }
}

TEST(Endpoint, IsLoopbackByNameOrAddress) {
  for (const char* host : {"localhost", "127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_loopback({host, 1})) << host;
  }
  for (const char* host : {"localhost.evil.org", "10.0.0.1", "example.org", "2130706433"}) {
    EXPECT_FALSE(is_loopback({host, 1})) << host;
  }
}

TEST(Endpoint, OfSshMayNameAUser) {
  EXPECT_EQ(parse_ssh_endpoint("ssh://git@Example.org/x/y"), (Endpoint{"example.org", 22}));
  EXPECT_EQ(parse_ssh_endpoint("ssh://example.org:2222"), (Endpoint{"example.org", 2222}));
  EXPECT_EQ(parse_ssh_endpoint("ssh://git@[::1]:22/x"), (Endpoint{"::1", 22}));
  for (const char* url : {"https://example.org", "git@example.org:x", "ssh://", "ssh://git@:1"}) {
    EXPECT_FALSE(parse_ssh_endpoint(url)) << url;
  }
}

TEST(Endpoint, TellsWhetherSomethingListens) {
  const Port port;
  for (const char* host : {"127.0.0.1", "localhost"}) {
    const auto refused = try_connect({host, port.number}, 5s);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "connection refused");
    EXPECT_EQ(refused.error().code, Code::kUnavailable);
  }
  port.listen();
  EXPECT_TRUE(try_connect({"127.0.0.1", port.number}, 5s));
  EXPECT_TRUE(try_connect({"localhost", port.number}, 5s));
}

TEST(Endpoint, GivesUpOnAServerThatNeverAccepts) {
  const Port port;
  port.listen();
  // A backlog of one holds two connections; the kernel leaves the next ones unanswered.
  std::vector<int> held;
  Status last;
  for (int i = 0; i < 8 && last; ++i) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port.number);
    static_cast<void>(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address));
    held.push_back(fd);
    last = try_connect({"127.0.0.1", port.number}, 20ms);
  }
  for (const int fd : held) ::close(fd);
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().message, "Connection timed out");
}

TEST(Endpoint, ANameIsNotResolved) {
  EXPECT_EQ(try_connect({"example.org", 80}, 50ms).error().message, "Invalid argument");
}

}  // namespace
}  // namespace quarry::services
