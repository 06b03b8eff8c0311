#include "http_server/server.h"

#include "http_server/testing/client.h"
#include "http_server/testing/limits.h"
#include "http_server/testing/threads.h"

#include <atomic>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace quarry::http_server {
namespace {

using std::chrono::milliseconds;
using testing::Client;
using testing::get;
using testing::with_json;

/// Echoes; /later responds from another thread, /stream and /flood stream, /never does not respond,
/// /throw responds after a job that throws, /peer names the peer, and /hold holds the loop until
/// `go_on`.
class EchoHandler final : public Handler {
 public:
  ~EchoHandler() override {
    for (std::thread& thread : threads_) thread.join();
  }

  void handle(const Request& request, Responder responder) override {
    ++handled;
    if (request.path == "/later") return later(responder);
    if (request.path == "/stream") return stream(responder);
    if (request.path == "/flood") return flood(responder);
    if (request.path == "/throw") return throw_and_answer(responder);
    if (request.path == "/peer") return responder.send(Response::json(std::string(request.peer)));
    if (request.path == "/hold") go_on.wait(false);
    if (request.path == "/never") return responder.on_closed([this] { ++closed; });
    responder.send(Response::json(std::string(request.method) + " " + std::string(request.target) +
                                  " " + std::string(request.body)));
  }

  std::optional<Response> refuse_early(const Request& head) override {
    if (head.path != "/early") return std::nullopt;
    Response response = Response::json("early");
    response.status = 415;
    return response;
  }

  Response describe(const Refusal& refusal) override {
    Response response = Response::json(std::string(refusal.message));
    response.status = refusal.status;
    return response;
  }

  std::atomic<int> handled{0};
  std::atomic<int> closed{0};
  std::atomic<bool> go_on{false};
  std::atomic<std::size_t> flooded{0};

 private:
  void later(const Responder& responder) {
    const std::lock_guard lock(mutex_);
    threads_.emplace_back([responder] { responder.send(Response::json("late")); });
  }

  static void throw_and_answer(const Responder& responder) {
    responder.post([] { throw std::runtime_error("this job has failed"); });
    responder.post([responder] { responder.send(Response::json("still here")); });
  }

  void stream(const Responder& responder) {
    Response head;
    head.content_type = "text/event-stream";
    responder.start_stream(head);
    responder.write("one");
    responder.on_closed([this] { ++closed; });
    responder.after(milliseconds(1), [responder] {
      responder.write("two");
      responder.end_stream();
    });
  }

  /// Writes again whenever all written bytes were sent, without end.
  void flood(const Responder& responder) {
    responder.start_stream({});
    responder.on_closed([this] { ++closed; });
    const auto more = [this, responder] {
      while (!responder.over() && responder.unsent() == 0) {
        responder.write(std::string(16 * 1024, 'x'));
        flooded += 16 * 1024;
      }
    };
    responder.on_drained(more);
    more();
  }

  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

class ServerTest : public ::testing::Test {
 protected:
  void start() {
    server_ = std::make_unique<Server>(threads_.table(), nullptr, handler_, options_);
    ASSERT_EQ(server_->start(), "");
  }

  void TearDown() override {
    server_.reset();
    EXPECT_EQ(threads_.running(), 0);
  }

  [[nodiscard]] std::uint16_t port() const { return server_->addresses().front().port; }
  Client::Answer fetch(std::string_view request) const { return testing::fetch(port(), request); }

  testing::Threads threads_;
  EchoHandler handler_;
  ServerOptions options_{.listen = {{"127.0.0.1", 0}}, .limits = testing::patient_limits()};
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, AnswersManyRequestsOnOneConnection) {
  start();
  Client client(port());
  for (int i = 0; i < 100; ++i) {
    const std::string path = "/" + std::to_string(i);
    client.send(get(path));
    EXPECT_EQ(client.receive().body, "GET " + path + " ");
  }
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  start();
  Client client(port());
  client.send(get("/a") + get("/later") + with_json("POST", "/b", "body") + get("/stream") +
              get("/c"));
  EXPECT_EQ(client.receive().body, "GET /a ");
  EXPECT_EQ(client.receive().body, "late");
  EXPECT_EQ(client.receive().body, "POST /b body");
  EXPECT_EQ(client.receive().body, "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive().body, "GET /c ");
}

TEST_F(ServerTest, SendsResponsesToPipelinedRequestsTogether) {
  start();
  Client client(port());
  std::string requests;
  for (int i = 0; i < 40; ++i) requests += get("/x");
  client.send(requests);
  for (int i = 0; i < 40; ++i) ASSERT_EQ(client.receive().body, "GET /x ");
  EXPECT_LE(client.received_segments(), 8);
}

TEST_F(ServerTest, SendsAResponseBeforeALaterRequestIsComplete) {
  start();
  for (const std::string& next : {get("/never"), std::string("GET /half HT"), get("/stream"),
                                  with_json("POST", "/early", "body")}) {
    Client client(port());
    client.send(get("/a") + get("/b") + next);
    EXPECT_EQ(client.receive().body, "GET /a ") << next;
    EXPECT_EQ(client.receive().body, "GET /b ") << next;
  }
}

TEST_F(ServerTest, AClientThatIsGoneBeforeItsResponsesAreSentIsClosedOnce) {
  start();
  Client holding(port()), gone(port());
  gone.send(get("/first"));
  EXPECT_EQ(gone.receive().status, 200);
  holding.send(get("/hold"));
  ASSERT_TRUE(testing::wait_until([&] { return handler_.handled == 2; }));
  gone.send(get("/a") + get("/b") + "GET /half HT");
  gone.reset();
  handler_.go_on = true;
  handler_.go_on.notify_all();
  EXPECT_EQ(holding.receive().status, 200);
  EXPECT_TRUE(testing::wait_until([&] { return server_->connections() == 1; }));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(fetch(get("/x")).status, 200);
  EXPECT_TRUE(testing::wait_until([&] { return server_->connections() == 1; }));
  EXPECT_EQ(handler_.handled, 24);
}

TEST_F(ServerTest, AcceptsMorePipelinedBytesThanItBuffers) {
  start();
  Client client(port());
  std::string requests = get("/stream");
  for (int i = 0; i < 2000; ++i) requests += get("/x");
  std::thread sender([&] { client.send(requests); });
  EXPECT_EQ(client.receive().status, 200);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(client.receive().body, "GET /x ");
  sender.join();
}

TEST_F(ServerTest, ServesOverSeveralLoops) {
  options_.threads = 3;
  start();
  EXPECT_EQ(threads_.running(), 3);
  std::vector<std::thread> clients;
  std::atomic<int> right{0};
  for (int i = 0; i < 16; ++i) {
    clients.emplace_back([&] {
      for (int j = 0; j < 20; ++j) {
        right += fetch(get(j % 2 == 0 ? "/later" : "/x")).status == 200 ? 1 : 0;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(right, 320);
}

TEST_F(ServerTest, AnswersHeadWithoutBody) {
  start();
  Client client(port());
  client.send("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.receive(true).header("Content-Length"), "8");
  client.send(get("/y"));
  EXPECT_EQ(client.receive().body, "GET /y ");
}

TEST_F(ServerTest, GivesBackTheRequestIdOrMakesOne) {
  start();
  EXPECT_EQ(fetch(get("/x", "X-Request-Id: mine\r\n")).header("X-Request-Id"), "mine");
  const auto made = fetch(get("/x")).header("X-Request-Id");
  EXPECT_FALSE(made.empty());
  EXPECT_NE(made, fetch(get("/x")).header("X-Request-Id"));
  EXPECT_NE(fetch(get("/x", "X-Request-Id: a b\r\n")).header("X-Request-Id"), "a b");
}

TEST_F(ServerTest, ClosesWhenTheClientAsksForIt) {
  start();
  Client client(port());
  client.send(get("/x", "Connection: close\r\n"));
  EXPECT_EQ(client.receive().header("Connection"), "close");
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(ServerTest, SpeaksHttp10) {
  start();
  Client client(port());
  client.send("GET /stream HTTP/1.0\r\n\r\n");
  bool closed = false;
  const std::string all = client.receive_all(&closed);
  EXPECT_TRUE(all.ends_with("\r\n\r\nonetwo")) << all;
  EXPECT_EQ(all.find("chunked"), all.npos);
  EXPECT_TRUE(closed);
}

TEST_F(ServerTest, AnswersAClientThatHasShutItsSendingSide) {
  start();
  for (const char* path : {"/x", "/later"}) {
    Client client(port());
    client.send(get(path));
    client.finish_sending();
    EXPECT_EQ(client.receive().status, 200) << path;
    EXPECT_TRUE(client.is_closed_by_server());
  }
}

TEST_F(ServerTest, InvitesABodyThatWaitsForIt) {
  start();
  Client client(port());
  const std::string request = with_json("POST", "/x", "body", "Expect: 100-continue\r\n");
  client.send(request.substr(0, request.size() - 4));
  EXPECT_EQ(client.receive().status, 100);
  client.send("body");
  EXPECT_EQ(client.receive().body, "POST /x body");
}

TEST_F(ServerTest, RefusesABodyBeforeItIsSent) {
  start();
  Client client(port());
  client.send(
      "POST /early HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive().status, 415);
  client.close();
  EXPECT_EQ(handler_.handled, 0);
}

TEST_F(ServerTest, LetsAClientFinishSendingWhatItRefused) {
  options_.limits.body_bytes = 1000;
  options_.limits.linger_time = std::chrono::hours(1);
  start();
  Client client(port());
  const std::string body(8 << 20, 'x');
  EXPECT_TRUE(client.send(with_json("POST", "/x", body)));
  EXPECT_EQ(client.receive().status, 413);
  EXPECT_EQ(handler_.handled, 0);
}

TEST_F(ServerTest, RefusesMalformedRequestsAndCloses) {
  start();
  for (const char* request :
       {"GET / HTTP/1.1\nHost: h\n\n", "GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
        "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"}) {
    Client client(port());
    client.send(request);
    const auto answer = client.receive();
    EXPECT_EQ(answer.status, 400) << request;
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_FALSE(answer.header("X-Request-Id").empty());
    EXPECT_TRUE(client.is_closed_by_server());
  }
  EXPECT_EQ(handler_.handled, 0);
}

TEST_F(ServerTest, RefusesAHeaderThatDoesNotEnd) {
  start();
  Client client(port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(20'000, 'x'));
  EXPECT_EQ(client.receive().status, 431);
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(ServerTest, GivesUpOnASlowHeader) {
  options_.limits.header_time = milliseconds(200);
  start();
  Client client(port());
  client.send("GET / HT");
  EXPECT_EQ(client.receive().status, 408);
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(ServerTest, GivesUpOnAHeaderThatTrickles) {
  options_.limits.header_time = milliseconds(100);
  options_.limits.header_count = options_.limits.header_bytes = std::size_t{1} << 30U;
  start();
  Client client(port());
  std::atomic<bool> stop{false};
  std::thread sender([&] {
    client.send("GET / HTTP/1.1\r\n");
    while (!stop && client.send("X: y\r\n")) std::this_thread::sleep_for(milliseconds(1));
  });
  EXPECT_EQ(client.receive().status, 408);
  stop = true;
  sender.join();
}

TEST_F(ServerTest, GivesUpOnASlowBody) {
  options_.limits.body_time = milliseconds(50);
  start();
  Client client(port());
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe");
  EXPECT_EQ(client.receive().status, 408);
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(ServerTest, ClosesIdleConnections) {
  options_.limits.idle_time = milliseconds(200);
  start();
  Client fresh(port());
  EXPECT_TRUE(fresh.is_closed_by_server());
  std::optional<Client> used;
  // Again when it was idle for too long before its request.
  ASSERT_TRUE(testing::wait_until([&] {
    used.emplace(port());
    used->send(get("/x"));
    return used->receive().status == 200;
  }));
  EXPECT_TRUE(used->is_closed_by_server());
  EXPECT_TRUE(testing::wait_until([&] { return server_->connections() == 0; }));
}

TEST_F(ServerTest, CutsAClientThatTakesNothing) {
  options_.limits.write_time = milliseconds(50);
  start();
  Client client(port());
  client.send(get("/flood"));
  EXPECT_TRUE(testing::wait_until([&] { return handler_.closed == 1; }));
}

TEST_F(ServerTest, RefusesConnectionsBeyondTheLimit) {
  options_.limits.connections = 2;
  start();
  Client first(port());
  auto second = std::make_unique<Client>(port());
  first.send(get("/never"));
  second->send(get("/never"));
  ASSERT_TRUE(testing::wait_until([&] { return handler_.handled == 2; }));
  const auto refused = fetch(get("/x"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("Retry-After"), "1");
  second.reset();
  EXPECT_TRUE(testing::wait_until([&] { return fetch(get("/x")).status == 200; }));
  EXPECT_EQ(handler_.closed, 1) << "a connection at work was dropped";
}

TEST_F(ServerTest, DropsTheOldestIdleConnectionForANewOne) {
  options_.limits.connections = 3;
  start();
  Client busy(port()), oldest(port()), used(port());
  busy.send(get("/never"));
  ASSERT_TRUE(testing::wait_until([&] { return handler_.handled == 1; }));
  used.send(get("/x"));
  EXPECT_EQ(used.receive().status, 200);
  EXPECT_EQ(fetch(get("/x")).status, 200);
  EXPECT_TRUE(oldest.is_closed_by_server());
  used.send(get("/x"));
  EXPECT_EQ(used.receive().status, 200);
  EXPECT_EQ(handler_.closed, 0);
}

TEST_F(ServerTest, OnePeerHasAQuarterOfTheConnections) {
  options_.limits.connections = 40;
  options_.counts_loopback = true;
  start();
  std::vector<std::unique_ptr<Client>> greedy;
  for (int i = 0; i < 10; ++i) {
    greedy.push_back(std::make_unique<Client>(port()));
    greedy.back()->send(get("/x"));
    EXPECT_EQ(greedy.back()->receive().status, 200);
  }
  EXPECT_EQ(fetch(get("/x")).status, 503);
  Client other(port(), "127.0.0.2");
  other.send(get("/x"));
  EXPECT_EQ(other.receive().status, 200);
  greedy.pop_back();
  EXPECT_TRUE(testing::wait_until([&] { return fetch(get("/x")).status == 200; }));
}

TEST_F(ServerTest, WhoHasTheMostConnectionsLosesOneFirst) {
  options_.limits.connections = 8;
  options_.counts_loopback = true;
  start();
  Client modest(port(), "127.0.0.2");
  modest.send(get("/x"));
  EXPECT_EQ(modest.receive().status, 200);
  Client greedy(port(), "127.0.0.3"), second(port(), "127.0.0.3");
  std::vector<std::unique_ptr<Client>> busy;
  for (int i = 0; i < 5; ++i) {
    busy.push_back(std::make_unique<Client>(port(), "127.0.1." + std::to_string(i + 1)));
    busy.back()->send(get("/never"));
  }
  ASSERT_TRUE(testing::wait_until([&] { return handler_.handled == 6; }));
  EXPECT_EQ(fetch(get("/x")).status, 200);
  EXPECT_TRUE(greedy.is_closed_by_server());
  modest.send(get("/x"));
  EXPECT_EQ(modest.receive().status, 200);
}

TEST_F(ServerTest, ASlowReaderDoesNotBlockOthers) {
  start();
  Client slow(port());
  slow.shrink_receive_buffer();
  slow.send(get("/flood"));
  EXPECT_TRUE(testing::wait_until([&] {
    const std::size_t before = handler_.flooded;
    for (int i = 0; i < 100; ++i) EXPECT_EQ(fetch(get("/x")).status, 200);
    return before > 0 && handler_.flooded == before;
  })) << "written on though the client takes nothing";
}

TEST_F(ServerTest, AJobThatThrowsTakesNoOtherWithIt) {
  start();
  EXPECT_EQ(fetch(get("/throw")).body, "still here");
}

TEST_F(ServerTest, TellsTheHandlerWhenTheClientIsGone) {
  start();
  for (const bool hard : {false, true}) {
    for (const char* path : {"/never", "/flood"}) {
      const int before = handler_.closed;
      const int handled = handler_.handled;
      Client client(port());
      client.send(get(path));
      ASSERT_TRUE(testing::wait_until([&] { return handler_.handled == handled + 1; }));
      if (hard) {
        client.reset();
      } else {
        client.close();
      }
      EXPECT_TRUE(testing::wait_until([&] { return handler_.closed == before + 1; })) << path;
    }
  }
}

TEST_F(ServerTest, StopsWithConnectionsInEveryState) {
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

TEST_F(ServerTest, AStreamFollowsAnAnswerThatIsStillBeingSent) {
  options_.limits.body_bytes = 32u << 20;
  start();
  Client client(port());
  const std::string large(24u << 20, 'x');  // more than the kernel takes on both sides
  client.send(with_json("POST", "/echo", large) + get("/stream"));
  // The second request waits until little of the first response is unsent.
  while (handler_.handled < 2) ASSERT_TRUE(client.receive_some());
  EXPECT_TRUE(client.receive().body == "POST /echo " + large);
  EXPECT_EQ(client.receive().status, 200);
}

TEST_F(ServerTest, StopLetsAnAnswerFinish) {
  start();
  Client client(port());
  client.send(get("/later"));
  ASSERT_TRUE(testing::wait_until([&] { return handler_.handled == 1; }));
  std::thread stopping([&] { server_->stop(std::chrono::hours(1)); });
  EXPECT_EQ(client.receive().body, "late");
  client.close();  // which the server would wait for
  stopping.join();
}

TEST_F(ServerTest, StopWaitsForTheFirstRequestOfAClient) {
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

TEST_F(ServerTest, StopDoesNotWaitLongForAFirstRequest) {
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

TEST_F(ServerTest, StopAcceptsNobodyNew) {
  start();
  const std::uint16_t last = port();
  server_->stop(milliseconds(0));
  EXPECT_THROW(Client{last}, std::runtime_error);
}

TEST_F(ServerTest, SaysThatAnAddressIsTaken) {
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

TEST_F(ServerTest, ListensOnBothAddressesOfLocalhost) {
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

TEST_F(ServerTest, EachListenerPausesWhenThereIsNoDescriptorForItsClient) {
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
TEST_F(ServerTest, NamesAPeerTheSameWhateverSocketItCameThrough) {
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
