#include "testing/harness.h"

#include <algorithm>
#include <charconv>
#include <thread>

#include <nlohmann/json.hpp>

namespace quarry::rest::testing {
namespace {

using http_server::testing::get;
using http_server::testing::wait_until;
using http_server::testing::with_json;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::string_view kMeta =
    R"({"type":"meta","id":"q","model":{"provider":"p","model":"m"},"resources":[],)"
    R"("collection":{"key":"k","path":"/"}})";
constexpr std::string_view kDone =
    R"({"type":"done","text":"hi","reasoning":"","tools":[],"citations":[],"finishReason":"stop"})";

/// Decodes the chunked coding; fails the test if the end is missing.
std::string unchunked(std::string_view body) {
  std::string out;
  while (!body.empty()) {
    const std::size_t line = body.find("\r\n");
    std::size_t size = 0;
    std::from_chars(body.data(), body.data() + std::min(line, body.size()), size, 16);
    if (line == std::string_view::npos || body.size() < line + 2 + size + 2) {
      ADD_FAILURE() << "the answer ends within a chunk";
      break;
    }
    out += body.substr(line + 2, size);
    body.remove_prefix(line + 2 + size + 2);
  }
  return out;
}

class Stream : public SurfaceTest {
 protected:
  void SetUp() override {
    options_.stream.hold = {std::chrono::hours(1), std::chrono::hours(1)};
    SurfaceTest::SetUp();
    engine_.add_question("q");
  }

  void play_answer() {
    engine_.emit("q", "meta", std::string(kMeta));
    engine_.emit("q", "text.delta", R"({"type":"text.delta","delta":"hi"})");
    engine_.emit("q", "done", std::string(kDone));
    engine_.end("q");
  }

  static std::string ask(std::string_view path = "/question/stream") {
    return with_json("POST", path, R"({"question":"why?"})");
  }
};

TEST_F(Stream, HasEveryEventInOrderWithItsNumber) {
  play_answer();
  const auto answer = fetch(ask());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Content-Type"), "text/event-stream");
  EXPECT_EQ(answer.header("Cache-Control"), "no-cache");
  EXPECT_EQ(answer.header("X-Accel-Buffering"), "no");
  EXPECT_EQ(unchunked(answer.body),
            "retry: 3000\n\nevent: meta\ndata: " + std::string(kMeta) +
                "\nid: 1\n\nevent: text.delta\ndata: {\"type\":\"text.delta\",\"delta\":\"hi\"}\n"
                "id: 2\n\nevent: done\ndata: " +
                std::string(kDone) + "\nid: 3\n\n");
  EXPECT_TRUE(engine_.calls()[0].second.starts_with(R"({"question":"why?","request":")"));
}

TEST_F(Stream, SendsEachEventWhenItHappens) {
  Client client(port());
  client.send(ask());
  engine_.emit("q", "meta", std::string(kMeta));
  for (int i = 0; i < 50; ++i) {
    engine_.emit("q", "text.delta", json{{"delta", i}}.dump());
    const std::string end = "id: " + std::to_string(i + 2) + "\n\n";
    EXPECT_TRUE(client.receive_until(end).ends_with(end));
  }
  engine_.end("q");
  EXPECT_TRUE(client.receive_until("0\r\n\r\n").ends_with("0\r\n\r\n"));
}

TEST_F(Stream, AFailureWithinTheGraceIsAnHttpError) {
  engine_.emit("q", "meta", std::string(kMeta));
  Client client(port());
  client.send(ask());
  ASSERT_TRUE(wait_until([&] { return engine_.open_readers() == 1; }));
  engine_.emit("q", "resource.progress", "{}");
  engine_.emit("q", "error",
               R"({"type":"error","tag":"AgentError","message":"401 no","hint":"set the key"})");
  engine_.end("q");
  const auto answer = client.receive();
  EXPECT_EQ(answer.status, 502);
  EXPECT_EQ(answer.body, R"({"error":"401 no","hint":"set the key","tag":"AgentError"})");
  EXPECT_TRUE(wait_until([&] { return engine_.open_readers() == 0; }));
}

TEST_F(Stream, AFailureWhileResourcesArePreparedIsAnHttpErrorWhenTheGraceIsLongOver) {
  options_.stream.hold.grace = {};
  start();
  Client client(port());
  client.send(ask());
  ASSERT_TRUE(wait_until([&] { return engine_.open_readers() == 1; }));
  for (int i = 0; i < 20; ++i) engine_.emit("q", "resource.progress", "{}");
  engine_.emit("q", "error",
               R"({"type":"error","tag":"CollectionError","message":"no route to host"})");
  engine_.end("q");
  EXPECT_EQ(client.receive().status, 400);
}

TEST_F(Stream, WithProgressAsEventsOpensAfterTheGrace) {
  options_.stream.hold.grace = {};
  start();
  Client client(port());
  client.send(ask("/question/stream?events=extended"));
  EXPECT_TRUE(client.receive_until("retry: 3000\n\n").starts_with("HTTP/1.1 200"));
  engine_.emit("q", "resource.progress", "{}");
  client.receive_until("event: resource.progress\n");
}

TEST_F(Stream, OpensAGraceAfterTheMetadata) {
  options_.stream.hold.grace = milliseconds(1);
  start();
  Client client(port());
  client.send(ask());
  engine_.emit("q", "meta", std::string(kMeta));
  EXPECT_TRUE(client.receive_until("event: meta\n").starts_with("HTTP/1.1 200"));
}

TEST_F(Stream, AFailureToAskIsAnHttpError) {
  engine_.fail("question.ask", QUARRY_INVALID_ARGUMENT, "question is missing", {},
               R"({"tag":"RequestError","fields":[{"field":"/question","message":"missing"}]})");
  for (const char* path : {"/question/stream", "/question"}) {
    const auto answer = fetch(ask(path));
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(json::parse(answer.body)["details"][0]["field"], "/question");
  }
}

TEST_F(Stream, OpensWithWhatThereIsBeforeItsClientGivesUp) {
  options_.stream.hold.preparing = milliseconds(10);
  start();
  Client client(port());
  client.send(ask());
  EXPECT_TRUE(client.receive_until("retry: 3000\n\n").starts_with("HTTP/1.1 200"));
  engine_.emit("q", "error", R"({"type":"error","tag":"AgentError","message":"late"})");
  engine_.end("q");
  EXPECT_NE(client.receive_until("0\r\n\r\n").find("event: error\n"), std::string::npos);
}

TEST_F(Stream, ProgressIsACommentUnlessAskedFor) {
  engine_.emit("q", "resource.progress", R"({"done":1})");
  engine_.emit("q", "citation", R"({"path":"a"})");
  engine_.emit("q", "something.new", R"({})");
  play_answer();
  const std::string plain = unchunked(fetch(ask()).body);
  EXPECT_NE(plain.find("\n: {\"done\":1}\n\n"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("event: resource.progress"), std::string::npos);
  EXPECT_EQ(plain.find("event: citation"), std::string::npos);
  EXPECT_EQ(plain.find("event: something.new"), std::string::npos);
  const std::string extended = unchunked(fetch(ask("/question/stream?events=extended")).body);
  EXPECT_NE(extended.find("event: resource.progress\ndata: {\"done\":1}\nid: 1\n"),
            std::string::npos);
  EXPECT_NE(extended.find("event: citation\n"), std::string::npos);
}

TEST_F(Stream, SilenceIsBrokenByComments) {
  options_.stream.hold.preparing = milliseconds(1);
  options_.stream.heartbeat = milliseconds(5);
  start();
  Client client(port());
  client.send(ask());
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(client.receive_until(": still here\n\n").ends_with("\n\n"));
}

TEST_F(Stream, SilenceWhileAResourceIsPreparedIsBrokenByItsProgress) {
  options_.stream.hold.preparing = milliseconds(1);
  options_.stream.heartbeat = milliseconds(5);
  start();
  Client client(port());
  client.send(ask());
  engine_.emit("q", "resource.progress", R"({"done":7})");
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(client.receive_until(": {\"done\":7}\n\n").ends_with("\n\n"));
  }
  engine_.emit("q", "meta", std::string(kMeta));
  EXPECT_TRUE(client.receive_until(": still here\n\n").ends_with("\n\n"));
}

TEST_F(Stream, ASecondReaderSeesTheSameBytes) {
  play_answer();
  const std::string first = unchunked(fetch(ask()).body);
  EXPECT_EQ(unchunked(fetch(get("/question/q/events")).body), first);
}

TEST_F(Stream, TwoLiveReadersSeeTheSameBytes) {
  Client asker(port());
  asker.send(ask());
  ASSERT_TRUE(wait_until([&] { return engine_.open_readers() == 1; }));
  Client other(port());
  other.send(get("/question/q/events"));
  ASSERT_TRUE(wait_until([&] { return engine_.open_readers() == 2; }));
  std::thread player([&] {
    engine_.emit("q", "meta", std::string(kMeta));
    for (int i = 0; i < 500; ++i) engine_.emit("q", "text.delta", json{{"delta", i}}.dump());
    engine_.emit("q", "done", std::string(kDone));
    engine_.end("q");
  });
  const std::string first = unchunked(asker.receive().body);
  const std::string second = unchunked(other.receive().body);
  player.join();
  EXPECT_EQ(first, second);
  EXPECT_NE(first.find("id: 502\n\n"), std::string::npos);
}

TEST_F(Stream, AReaderComesBackBehindTheLastEventItSaw) {
  play_answer();
  for (const std::string& request :
       {get("/question/q/events", "Last-Event-ID: 2\r\n"), get("/question/q/events?after=2")}) {
    EXPECT_EQ(unchunked(fetch(request).body),
              "retry: 3000\n\nevent: done\ndata: " + std::string(kDone) + "\nid: 3\n\n");
  }
  EXPECT_EQ(fetch(get("/question/q/events", "Last-Event-ID: x\r\n")).status, 400);
  EXPECT_EQ(fetch(get("/question/q/events?after=-1")).status, 400);
}

TEST_F(Stream, AReaderWhoHasSeenEverythingNeedNotComeBack) {
  engine_.emit("q", "meta", std::string(kMeta));
  Client live(port());
  live.send(get("/question/q/events?after=1"));
  EXPECT_TRUE(live.receive_until("retry: 3000\n\n").starts_with("HTTP/1.1 200"));
  engine_.emit("q", "error", R"({"type":"error","tag":"AgentError","message":"cut"})");
  engine_.end("q");
  EXPECT_NE(live.receive_until("0\r\n\r\n").find("event: error\n"), std::string::npos);
  EXPECT_EQ(fetch(get("/question/q/events?after=1")).status, 200);
  for (const char* after : {"2", "3", "18446744073709551615"}) {
    const auto answer =
        fetch(get("/question/q/events", std::string("Last-Event-ID: ") + after + "\r\n"));
    EXPECT_EQ(answer.status, 204) << after;
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(answer.header("Content-Type"), "");
  }
}

TEST_F(Stream, AnUnknownQuestionIsNotFound) {
  const auto answer = fetch(get("/question/nope/events"));
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(json::parse(answer.body)["tag"], "NotFound");
}

TEST_F(Stream, TheReaderIsClosedWhenTheClientGoes) {
  for (const char* path : {"/question/stream", "/question"}) {
    Client client(port());
    client.send(ask(path));
    ASSERT_TRUE(wait_until([&] { return engine_.open_readers() == 1; }));
    client.close();
    EXPECT_TRUE(wait_until([&] { return engine_.open_readers() == 0; }));
  }
}

TEST_F(Stream, AQuestionNobodyWaitedForIsStopped) {
  engine_.answer("question.stop", "{}");
  engine_.hold("question.ask");
  Client client(port());
  client.send(ask());
  ASSERT_TRUE(wait_until([&] { return engine_.count("question.ask") == 1; }));
  client.close();
  EXPECT_TRUE(wait_until([&] { return engine_.cancelled() == 1; }));
}

TEST_F(Stream, ASlowReaderMissesNothing) {
  Client client(port());
  client.send(ask());
  engine_.emit("q", "meta", std::string(kMeta));
  const std::string filler(1000, 'x');
  for (int i = 0; i < 20'000; ++i) engine_.emit("q", "text.delta", json{{"delta", filler}}.dump());
  engine_.end("q");
  const std::string all = unchunked(client.receive().body);
  std::size_t at = 0;
  for (int i = 1; i <= 20'001; ++i) {
    at = all.find("\nid: " + std::to_string(i) + "\n\n", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST_F(Stream, EndsWhenTheTransportStops) {
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<Client>(port()));
    clients.back()->send(ask(i % 2 == 0 ? "/question/stream" : "/question"));
  }
  ASSERT_TRUE(wait_until([&] { return engine_.open_readers() == 20; }));
  engine_.emit("q", "meta", std::string(kMeta));
  engine_.emit("q", "text.delta", "{}");
  std::atomic<bool> done{false};
  std::thread player([&] {
    while (!done) engine_.emit("q", "text.delta", "{}");
  });
  stop(milliseconds(20));
  done = true;
  player.join();
  EXPECT_EQ(engine_.open_readers(), 0);
  EXPECT_EQ(threads_.running(), 0);
}

TEST_F(Stream, TheWholeAnswerIsTheEventsInOneObject) {
  play_answer();
  const auto answer = fetch(ask("/question"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(json::parse(answer.body),
            json::parse(R"({"answer":"hi","id":"q","model":{"provider":"p","model":"m"},
              "resources":[],"collection":{"key":"k","path":"/"},"citations":[],
              "finishReason":"stop"})"));
}

TEST_F(Stream, TheWholeAnswerNamesTheModelThatAnswered) {
  engine_.emit("q", "meta", std::string(kMeta));
  engine_.emit(
      "q", "done",
      R"({"text":"hi","model":{"provider":"b","model":"m2"},"fallbacks":[{"provider":"p"}]})");
  engine_.end("q");
  const auto answer = json::parse(fetch(ask("/question")).body);
  EXPECT_EQ(answer["model"]["provider"], "b");
  EXPECT_EQ(answer["fallbacks"][0]["provider"], "p");
}

TEST_F(Stream, TheWholeAnswerOfAFailedQuestionIsItsError) {
  engine_.emit("q", "meta", std::string(kMeta));
  engine_.emit("q", "error", R"({"type":"error","tag":"TimeoutError","message":"too long"})");
  engine_.end("q");
  const auto answer = fetch(ask("/question"));
  EXPECT_EQ(answer.status, 504);
  EXPECT_EQ(answer.body, R"({"error":"too long","tag":"TimeoutError"})");
}

TEST_F(Stream, AQuestionThatEndsWithoutAnAnswerIsAnInternalError) {
  engine_.end("q");
  EXPECT_EQ(fetch(ask("/question")).status, 500);
}

TEST_F(Stream, AStoppedQuestionEndsTheStream) {
  engine_.answer("question.stop", R"({"id":"q","stopped":true})");
  Client client(port());
  client.send(ask());
  engine_.emit("q", "meta", std::string(kMeta));
  EXPECT_EQ(fetch(with_json("POST", "/question/q/stop", "{}")).status, 200);
  engine_.emit("q", "done", R"({"finishReason":"cancelled"})");
  engine_.end("q");
  EXPECT_NE(client.receive().body.find("cancelled"), std::string::npos);
}

}  // namespace
}  // namespace quarry::rest::testing
