#include "services/service_manager.h"

#include <cstring>
#include <map>
#include <quarry_test.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace quarry::services {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct ServiceManagerTest : ::testing::Test {
  ServiceManager manager() {
    return {[this](const char* name) -> const char* {
              const auto found = variables.find(name);
              return found == variables.end() ? nullptr : found->second.c_str();
            },
            7};
  }
  std::map<std::string, std::string> variables;
};

/// Receives what a program tells its manager.
class Receiver {
 public:
  explicit Receiver(const std::string& address) : socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path, address.data(), address.size());
    if (address[0] == '@') at.sun_path[0] = '\0';
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&at),
                     static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size())),
              0);
  }
  ~Receiver() { ::close(socket_); }
  std::string next() {
    char text[512];
    const ssize_t got = ::recv(socket_, text, sizeof text, MSG_DONTWAIT);
    return got < 0 ? "nothing" : std::string(text, static_cast<std::size_t>(got));
  }

 private:
  const int socket_;
};

TEST_F(ServiceManagerTest, IsToldTheStates) {
  const auto address = test_directory() / "notify";
  for (const std::string& at : {address.string(), "@quarry-test-" + std::to_string(::getpid())}) {
    Receiver receiver(at);
    variables["NOTIFY_SOCKET"] = at;
    const ServiceManager told = manager();
    told.tell_ready("listens on http://127.0.0.1:1");
    EXPECT_EQ(receiver.next(), "READY=1\nSTATUS=listens on http://127.0.0.1:1");
    told.tell_reloading();
    EXPECT_THAT(receiver.next(), StartsWith("RELOADING=1\nMONOTONIC_USEC="));
    told.tell_alive();
    EXPECT_EQ(receiver.next(), "WATCHDOG=1");
    told.tell_stopping();
    EXPECT_EQ(receiver.next(), "STOPPING=1");
  }
}

TEST_F(ServiceManagerTest, NobodyIsToldWithoutASocketOrWithOneThatIsGone) {
  for (const char* at : {"", "x", "/nowhere/notify"}) {
    variables["NOTIFY_SOCKET"] = at;
    manager().tell_ready("");
  }
  variables["NOTIFY_SOCKET"] = std::string(200, '/');
  manager().tell_ready("");
}

TEST_F(ServiceManagerTest, TheWatchdogIsForOneProcess) {
  EXPECT_FALSE(manager().watchdog());
  variables["WATCHDOG_USEC"] = "2000000";
  EXPECT_EQ(manager().watchdog(), std::chrono::seconds(2));
  variables["WATCHDOG_PID"] = "7";
  EXPECT_EQ(manager().watchdog(), std::chrono::seconds(2));
  variables["WATCHDOG_PID"] = "8";
  EXPECT_FALSE(manager().watchdog());
  variables["WATCHDOG_PID"] = "";
  for (const char* wrong : {"0", "-5", "x", "5x"}) {
    variables["WATCHDOG_USEC"] = wrong;
    EXPECT_FALSE(manager().watchdog()) << wrong;
  }
}

TEST_F(ServiceManagerTest, SocketsOfThisProcessHaveNames) {
  variables = {{"LISTEN_PID", "7"}, {"LISTEN_FDS", "2"}, {"LISTEN_FDNAMES", "rest:mcp:more"}};
  EXPECT_THAT(manager().socket_names(), ElementsAre("rest", "mcp"));
  variables["LISTEN_PID"] = "8";
  EXPECT_THAT(manager().socket_names(), IsEmpty());
}

}  // namespace
}  // namespace quarry::services
