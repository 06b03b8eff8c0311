#include "http_server/testing/server_fixture.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::http_server {
namespace {

using testing::Client;
using testing::get;
using testing::with_json;
using ServerTest = testing::ServerFixture;

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

}  // namespace
}  // namespace quarry::http_server
