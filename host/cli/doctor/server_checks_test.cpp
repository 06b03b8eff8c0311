#include "cli/doctor/server_checks.h"

#include <array>
#include <cstring>
#include <quarry_test.h>
#include <string>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace quarry::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Listens at a port of this machine, and answers one connection with a text.
class Listener {
 public:
  explicit Listener(std::string answer) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(socket_, 4), 0);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this, answer = std::move(answer)] {
      const int client = ::accept(socket_, nullptr, nullptr);
      if (client < 0) return;
      std::array<char, 512> request{};
      static_cast<void>(::recv(client, request.data(), request.size(), 0));
      static_cast<void>(::send(client, answer.data(), answer.size(), MSG_NOSIGNAL));
      ::close(client);
    });
  }
  ~Listener() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  const int socket_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

TEST(ServerChecks, AnAddressOfAnotherProgramIsTaken) {
  const Listener other("HTTP/1.0 404 Not Found\r\n\r\n");
  const auto found = check_addresses({{"rest", other.address()}});
  ASSERT_THAT(found, ElementsAre(Field(&Finding::cause, HasSubstr(other.address()))));
  EXPECT_THAT(found[0].cause, HasSubstr("another program"));
  EXPECT_THAT(found[0].next, HasSubstr("transport.rest.listen"));
}

TEST(ServerChecks, AServerOfQuarryMayRunAlready) {
  const Listener ours("HTTP/1.0 200 OK\r\n\r\n{\"ok\":true}");
  EXPECT_THAT(check_addresses({{"rest", ours.address()}}), IsEmpty());
}

TEST(ServerChecks, AFreeAddressIsFine) {
  EXPECT_THAT(check_addresses({{"rest", "127.0.0.1:0"}, {"mcp", "[::1]:0"}}), IsEmpty());
}

TEST(ServerChecks, AnAddressThatIsNotOfThisMachineIsNamed) {
  for (const char* wrong : {"192.0.2.1:80", "nonsense", "host.invalid:80", "127.0.0.1:http"}) {
    EXPECT_THAT(check_addresses({{"rest", wrong}}),
                ElementsAre(Field(&Finding::cause, HasSubstr(wrong))));
  }
}

TEST(ServerChecks, ProcessesOfAReplacedProgramAreNamed) {
  const auto root = test_directory();
  const auto add = [&](const char* id, const char* runs) {
    std::filesystem::create_directories(root / id);
    std::filesystem::create_symlink(runs, root / id / "exe");
  };
  add("12", "/opt/quarry/bin/quarry (deleted)");
  add("13", "/opt/quarry/bin/quarry");
  add("14", "/usr/bin/other (deleted)");
  add("self", "/opt/quarry/bin/quarry (deleted)");
  std::filesystem::create_directories(root / "15");
  const auto found = check_processes("/usr/bin/quarry", root);
  ASSERT_THAT(found, ElementsAre(Field(&Finding::cause, HasSubstr("process 12 runs"))));
  EXPECT_THAT(found[0].cause, HasSubstr("/opt/quarry/bin/quarry,"));
  EXPECT_THAT(found[0].next, HasSubstr("kill 12"));
}

}  // namespace
}  // namespace quarry::cli
