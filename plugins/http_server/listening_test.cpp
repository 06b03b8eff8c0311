#include "http_server/testing/server_fixture.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <boost/system/error_code.hpp>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace quarry::http_server {
namespace {

using std::chrono::milliseconds;
using testing::Client;
using testing::get;
using Listening = testing::ServerFixture;

TEST_F(Listening, StopsWithConnectionsInEveryState) {
  options_.threads = 2;
  start();
  std::vector<std::unique_ptr<Client>> clients;
  const std::string post = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe";
  for (const std::string& bytes : {std::string(), std::string("GET /"), post, get("/never"),
                                   get("/flood"), get("/x"), get("/never"), get("/stream")}) {
    clients.push_back(std::make_unique<Client>(port()));
    clients.back()->send(bytes);
  }
  EXPECT_TRUE(clients.back()->receive().body.ends_with("two\r\n0\r\n\r\n"));
  ASSERT_TRUE(testing::wait_until([&] { return handler_.handled == 5; }));
  server_->stop(milliseconds(20));
  EXPECT_EQ(threads_.running(), 0);
  EXPECT_EQ(handler_.closed, 3);
  for (const auto& client : clients) {
    client->receive_all();
    EXPECT_TRUE(client->is_closed_by_server());
  }
}

TEST_F(Listening, StopLetsAnAnswerFinish) {
  start();
  Client client(port());
  client.send(get("/later"));
  ASSERT_TRUE(testing::wait_until([&] { return handler_.handled == 1; }));
  std::thread stopping([&] { server_->stop(std::chrono::hours(1)); });
  EXPECT_EQ(client.receive().body, "late");
  client.close();  // which the server would wait for
  stopping.join();
}

TEST_F(Listening, StopWaitsForTheFirstRequestOfAClient) {
  options_.limits.first_request_time = std::chrono::hours(1);
  start();
  Client served(port());
  served.send(get("/x"));
  EXPECT_EQ(served.receive().status, 200);
  Client connected(port());
  ASSERT_TRUE(testing::wait_until([&] { return server_->connections() == 2; }));
  const std::uint16_t last = port();
  std::thread stopping([&] { server_->stop(std::chrono::hours(1)); });
  served.receive_all();
  EXPECT_TRUE(served.is_closed_by_server());
  connected.send(get("/x"));
  const auto answer = connected.receive();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Connection"), "close");
  connected.close();
  stopping.join();
  EXPECT_THROW(Client{last}, std::runtime_error);
}

TEST_F(Listening, StopDoesNotWaitLongForAFirstRequest) {
  EXPECT_EQ(Limits().first_request_time, std::chrono::seconds(1));
  options_.limits.first_request_time = milliseconds(10);
  options_.limits.body_time = milliseconds(40);  // so that limits are checked every 10 ms
  start();
  Client silent(port());
  Client slow(port());
  slow.send("GET /");
  ASSERT_TRUE(testing::wait_until([&] { return server_->connections() == 2; }));
  std::thread stopping([&] { server_->stop(std::chrono::hours(1)); });
  EXPECT_TRUE(silent.is_closed_by_server());
  EXPECT_EQ(slow.receive().status, 408);
  slow.close();
  stopping.join();
}

TEST_F(Listening, StopAcceptsNobodyNew) {
  start();
  const std::uint16_t last = port();
  server_->stop(milliseconds(0));
  EXPECT_THROW(Client{last}, std::runtime_error);
}

TEST_F(Listening, SaysThatAnAddressIsTaken) {
  for (const unsigned threads : {1U, 2U}) {
    options_.threads = threads;
    start();
    ServerOptions same = options_;
    same.listen = server_->addresses();
    Server second(threads_.table(), nullptr, handler_, same);
    const std::string problem = second.start();
    EXPECT_NE(problem.find("127.0.0.1:" + std::to_string(port())), problem.npos) << problem;
    EXPECT_NE(problem.find("in use"), problem.npos) << problem;
    server_.reset();
  }
}

TEST_F(Listening, ListensOnBothAddressesOfLocalhost) {
  options_.listen = parse_listen("localhost:0");
  server_ = std::make_unique<Server>(threads_.table(), nullptr, handler_, options_);
  ASSERT_EQ(server_->start(), "");
  EXPECT_EQ(fetch(get("/x")).status, 200);
  for (const Address& address : server_->addresses()) EXPECT_EQ(address.port, port());
}

/// For its lifetime this process can open no descriptor.
class NoDescriptors {
 public:
  NoDescriptors() {
    // UBSan needs descriptors when the first error has its text taken.
    EXPECT_NE(boost::system::error_code(EMFILE, boost::system::system_category()).message(), "");
    getrlimit(RLIMIT_NOFILE, &before_);
    const int lowest = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(lowest);
    const rlimit none{static_cast<rlim_t>(lowest), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_F(Listening, EachListenerPausesWhenThereIsNoDescriptorForItsClient) {
  options_.listen = {{"127.0.0.1", 0}, {"127.0.0.1", 0}};
  options_.limits.accept_pause = std::chrono::hours(1);
  std::atomic<int> failures{0};
  const quarry_log_v1 log{sizeof(quarry_log_v1), &failures,
                          [](const quarry_log_v1* self, std::int32_t, quarry_text) {
                            ++*static_cast<std::atomic<int>*>(self->context);
                          },
                          nullptr};
  Server server(threads_.table(), &log, handler_, options_);
  ASSERT_EQ(server.start(), "");
  Client served(server.addresses()[0].port);
  served.send(get("/hold"));
  ASSERT_TRUE(testing::wait_until([&] { return handler_.handled == 1; }));
  const Client first(server.addresses()[0].port), second(server.addresses()[1].port);
  const NoDescriptors none;
  handler_.go_on = true;
  handler_.go_on.notify_all();
  EXPECT_EQ(served.receive().status, 200);
  EXPECT_TRUE(testing::wait_until([&] { return failures >= 2; }));
  for (int i = 0; i < 20; ++i) {
    served.send(get("/x"));
    EXPECT_EQ(served.receive().status, 200);
  }
  EXPECT_EQ(failures, 2) << "the pause of one ended that of the other";
}

/// A socket that listens on a free port for IPv6 and IPv4; -1 where there is no IPv6.
int socket_for_both() {
  const int socket = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int no = 0;
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  if (setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) == 0 &&
      bind(socket, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 &&
      listen(socket, 16) == 0) {
    return socket;
  }
  if (socket >= 0) ::close(socket);
  return -1;
}

// As of a unit of systemd with "ListenStream=8081".
TEST_F(Listening, NamesAPeerTheSameWhateverSocketItCameThrough) {
  const int passed = socket_for_both();
  if (passed < 0) GTEST_SKIP() << "this machine has no IPv6";
  sockaddr_in6 at{};
  socklen_t size = sizeof at;
  ASSERT_EQ(getsockname(passed, reinterpret_cast<sockaddr*>(&at), &size), 0);
  options_.listen = {{.ip = "::", .port = ntohs(at.sin6_port), .passed = passed}};
  options_.names_peers = true;
  start();
  ::close(passed);
  EXPECT_EQ(fetch(get("/peer")).body, "127.0.0.1");
}

}  // namespace
}  // namespace quarry::http_server
