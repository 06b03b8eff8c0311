#include <quarry/json.hpp>
#include <quarry/testing_transport.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

#include <sys/socket.h>
#include <sys/un.h>

namespace {

namespace fs = std::filesystem;
using quarry::testing::Reply;

class @Name@Test : public testing::Test {
 protected:
  @Name@Test() {
    engine_.values["health"] = R"({"ok": true})";
    engine_.hanging = "resources.sync";
    transport_.host.offer(QUARRY_WORK, threads_.get());
  }
  ~@Name@Test() override { fs::remove_all(directory_); }

  void start(Reply& reply) {
    const quarry::testing::FakeCall call;
    transport_->start(transport_.instance(), call.get(), engine_.get(), reply.get());
  }
  void stop() { transport_->stop(transport_.instance(), 0); }
  int connect() const {
    sockaddr_un address{AF_UNIX, {}};
    path_.copy(address.sun_path, path_.size());
    const int client = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return client;
  }
  /// Everything that the transport sends until it closes the connection.
  static std::string read(int client) {
    std::string out;
    char piece[256];
    for (ssize_t size = 1; size > 0; out.append(piece, static_cast<std::size_t>(size))) {
      size = std::max<ssize_t>(::recv(client, piece, sizeof piece, 0), 0);
    }
    ::close(client);
    return out;
  }
  std::string ask(std::string_view line) const {
    const int client = connect();
    EXPECT_EQ(::send(client, line.data(), line.size(), MSG_NOSIGNAL), std::ssize(line));
    return read(client);
  }

  std::string directory_ = fs::temp_directory_path() / "@name@-XXXXXX";
  std::string path_ = std::string(::mkdtemp(directory_.data())) + "/socket";
  quarry::testing::RealThreads threads_;
  quarry::testing::FakeEngine engine_;
  quarry::testing::Component<quarry_transport_v1> transport_{
      quarry_plugin_entry_v1, QUARRY_TRANSPORT, "@name@",
      R"({"socket": )" + quarry::json::quoted(path_) + "}"};
};

TEST_F(@Name@Test, ALineIsACallOfTheEngine) {
  Reply reply;
  start(reply);
  EXPECT_EQ(reply.value(), R"({"listening": [)" + quarry::json::quoted(path_) + "]}");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(ask("health {}\n"), "ok {\"ok\": true}\n");
  EXPECT_EQ(ask("health\n"), "ok {\"ok\": true}\n");
  EXPECT_EQ(ask("other {\"a\": 1}\n"), "error there is no method other\n");
  EXPECT_EQ(engine_.calls().back().second, " {\"a\": 1}");
  stop();
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(@Name@Test, AStopAbortsACallAndASilentClient) {
  Reply reply;
  start(reply);
  const int busy = connect();
  EXPECT_EQ(::send(busy, "resources.sync {}\n", 18, 0), 18);
  while (engine_.calls().empty()) std::this_thread::yield();
  const int silent = connect();
  stop();
  EXPECT_EQ(read(busy), "");
  EXPECT_EQ(read(silent), "");
}

TEST_F(@Name@Test, ItServesAgainAfterAStop) {
  for (int i = 0; i < 2; ++i) {
    Reply reply;
    start(reply);
    EXPECT_EQ(reply.value(), R"({"listening": [)" + quarry::json::quoted(path_) + "]}");
    EXPECT_EQ(ask("health {}\n"), "ok {\"ok\": true}\n");
    stop();
  }
}

TEST_F(@Name@Test, ASocketThatIsThereIsNotReplaced) {
  std::ofstream(path_) << "mine";
  Reply reply;
  start(reply);
  EXPECT_NE(reply.failure().details.find(R"("field":"/socket")"), std::string::npos);
  EXPECT_TRUE(fs::exists(path_));
}

TEST_F(@Name@Test, WithoutThreadsItDoesNotStart) {
  transport_.host.offer(QUARRY_WORK, nullptr);
  Reply reply;
  start(reply);
  EXPECT_EQ(reply.failure().status, QUARRY_UNAVAILABLE);
  EXPECT_FALSE(fs::exists(path_));
}

}  // namespace
