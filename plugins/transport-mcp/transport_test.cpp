#include "transport-mcp/transport.h"

#include "engine_client/testing/fake_engine.h"
#include "http_server/testing/client.h"
#include "http_server/testing/tls_client.h"
#include "testing/fake_host.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using engine_client::testing::FakeEngine;
using http_server::testing::Client;
using http_server::testing::wait_until;
using mcp::Json;
using testing::FakeHost;

/// The surface with a fake engine; every token is "tok_1" with all rights.
class TransportMcp : public ::testing::Test {
 protected:
  void SetUp() override {
    engine_.answer("access.admit", R"({"admitted":true,"token":"tok_1","project":"p",
                                       "rights":["add","ask","list"]})");
    engine_.answer("access.record", "{}");
    engine_.answer("question.stop", "{}");
    engine_.answer("schemas", R"({"question":{"required":["question"]}})");
    engine_.answer("resources.list", R"({"resources":[{"type":"npm","name":"zod"}]})");
    auto made = Transport::create(host_.host(), Call(nullptr),
                                  R"({"listen":"127.0.0.1:0","sessions":true})", "9");
    ASSERT_TRUE(made);
    transport_ = std::move(*made);
    const auto started = transport_->start(engine_.table());
    ASSERT_TRUE(started);
    const std::string url = Json::parse(*started)["listening"][0];
    port_ = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  }

  void TearDown() override {
    engine_.release();
    transport_->stop({});
    EXPECT_EQ(engine_.open_readers(), 0);
    EXPECT_EQ(host_.threads.running(), 0);
  }

  static std::string request(const std::string& body, std::string_view fields = {},
                             std::string_view path = "/api/mcp") {
    return http_server::testing::with_json(
        "POST", path, body, "Authorization: Bearer secret\r\n" + std::string(fields));
  }
  static std::string call(const std::string& tool, const std::string& arguments,
                          const std::string& more = {}) {
    return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + tool +
           R"(","arguments":)" + arguments + more + "}}";
  }
  Json result(const std::string& body, std::string_view fields = {},
              std::string_view path = "/api/mcp") {
    const auto answer = http_server::testing::fetch(port_, request(body, fields, path));
    const Json message = Json::parse(answer.body, nullptr, false);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return message.contains("result") ? message["result"] : message["error"];
  }
  /// The params of the last call of `method`.
  Json params_of(std::string_view method) {
    Json params;
    for (const auto& [name, text] : engine_.calls()) {
      if (name == method) params = Json::parse(text);
    }
    return params;
  }

  FakeHost host_;
  FakeEngine engine_;
  std::unique_ptr<Transport> transport_;
  std::uint16_t port_ = 0;
};

constexpr std::string_view kStream = "Accept: application/json, text/event-stream\r\n";

TEST_F(TransportMcp, ListsResourcesForTheBearer) {
  const Json listed = result(call("listResources", "{}"));
  EXPECT_EQ(listed["structuredContent"]["resources"][0]["name"], "zod");
  EXPECT_EQ(params_of("resources.list"), (Json{{"principal", {{"token", "tok_1"}}}}));
  EXPECT_EQ(params_of("access.admit"),
            (Json{{"authorization", "secret"}, {"count", true}, {"peer", "127.0.0.1"}}));
}

TEST_F(TransportMcp, TheProjectIsNamedInAnyPlaceButOnlyOnce) {
  const auto project = [&] {
    return params_of("resources.list")["principal"].value("project", "");
  };
  result(call("listResources", "{}", R"(,"project":"a")"));
  EXPECT_EQ(project(), "a");
  result(call("listResources", R"({"project":"b"})"));
  EXPECT_EQ(project(), "b");
  result(call("listResources", "{}"), "X-Project: c\r\n");
  EXPECT_EQ(project(), "c");
  result(call("listResources", "{}"), {}, "/api/mcp?project=d%2De");
  EXPECT_EQ(project(), "d-e");
  result(call("listResources", R"({"project":"f"})", R"(,"project":"f")"), "X-Project: f\r\n",
         "/api/mcp?project=f");
  EXPECT_EQ(project(), "f");
  for (const std::string& body : {call("listResources", R"({"project":"g"})"),
                                  call("listResources", "{}", R"(,"project":"g")")}) {
    EXPECT_EQ(result(body, "X-Project: h\r\n")["code"], mcp::kInvalidParams);
  }
  EXPECT_EQ(
      result(call("ask", R"({"question":"q"})"), "X-Project: h\r\n", "/api/mcp?project=i")["code"],
      mcp::kInvalidParams);
  EXPECT_EQ(result(call("ask", R"({"question":"q"})"), "X-Project: h\r\nx-project: i\r\n")["code"],
            mcp::kInvalidParams);
  EXPECT_EQ(result(call("ask", R"({"question":"q"})", R"(,"project":7)"))["code"],
            mcp::kInvalidParams);
  EXPECT_EQ(project(), "f") << "the engine was not asked";
}

TEST_F(TransportMcp, AddsResourcesUnderEitherNameOfTheNotes) {
  engine_.answer("resources.add", R"({"type":"npm","name":"zod"})");
  const Json added = result(call(
      "addResource", R"({"type":"npm","name":"zod","package":"zod","notes":"n","project":"p"})"));
  EXPECT_EQ(added["structuredContent"]["name"], "zod");
  EXPECT_EQ(params_of("resources.add"),
            (Json{{"type", "npm"},
                  {"name", "zod"},
                  {"package", "zod"},
                  {"specialNotes", "n"},
                  {"principal", {{"token", "tok_1"}, {"project", "p"}}}}));
  result(call("addResource", R"({"type":"npm","name":"zod","notes":"n","specialNotes":"s"})"));
  EXPECT_EQ(params_of("resources.add")["specialNotes"], "s");
}

/// A type whose fields have the names of Quarry's own arguments.
TEST_F(TransportMcp, FieldsOfATypeWinOverItsOwnArguments) {
  engine_.answer("schemas", R"({"resource":{"oneOf":[{"properties":{
      "type":{"const":"diary"},"name":{},"notes":{},"project":{}}}]}})");
  engine_.answer("resources.add", R"({"type":"diary","name":"mine"})");
  result(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  result(call("addResource",
              R"({"type":"diary","name":"mine","notes":["n"],"project":"x","_project":"p"})"));
  EXPECT_EQ(params_of("resources.add"),
            (Json{{"type", "diary"},
                  {"name", "mine"},
                  {"notes", {"n"}},
                  {"project", "x"},
                  {"principal", {{"token", "tok_1"}, {"project", "p"}}}}));
  result(call("addResource", R"({"type":"npm","name":"zod","notes":"n","project":"p"})"));
  EXPECT_EQ(params_of("resources.add")["specialNotes"], "n");
  EXPECT_EQ(params_of("resources.add")["principal"]["project"], "p");
}

TEST_F(TransportMcp, FieldsOfATypeWinOverArgumentsThatClientsAdd) {
  engine_.answer("schemas", R"({"resource":{"oneOf":[{"properties":{
      "type":{"const":"diary"},"name":{},"tool":{},"action":{"forModels":false}}},
      {"properties":{"type":{"const":"npm"},"name":{}}}]}})");
  engine_.answer("resources.add", R"({"type":"diary","name":"mine"})");
  engine_.answer("access.admit", R"({"admitted":true,"token":"tok_1","project":"p",
                                     "rights":["add","list"]})");
  result(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  result(call("addResource",
              R"({"type":"diary","name":"mine","tool":"pen","action":"w","sessionId":"s"})"));
  const Json passed = params_of("resources.add");
  EXPECT_EQ(passed["tool"], "pen");
  EXPECT_EQ(passed["action"], "w");
  EXPECT_FALSE(passed.contains("sessionId"));
}

TEST_F(TransportMcp, NobodySpeaksForTheOwnerThroughArguments) {
  result(call("addResource", R"({"type":"npm","name":"zod","principal":{"token":"tok_2"}})",
              R"(,"principal":{"token":"tok_2"})"));
  EXPECT_EQ(params_of("resources.add")["principal"]["token"], "tok_1");
}

TEST_F(TransportMcp, WrongArgumentsAreResultsThatSayWhich) {
  engine_.fail("question.ask", QUARRY_INVALID_ARGUMENT, "the question is not valid", {},
               R"({"tag":"RequestError",
                   "fields":[{"field":"/question","message":"must be a string"}]})");
  const Json wrong = result(call("ask", R"({"question":7,"project":"p"})"));
  EXPECT_EQ(wrong["isError"], true);
  EXPECT_NE(wrong["content"][0]["text"].get<std::string>().find("question must be a string"),
            std::string::npos);
  EXPECT_EQ(wrong["structuredContent"]["tag"], "RequestError");
  EXPECT_EQ(params_of("question.ask")["question"], 7) << "the engine validates";
  EXPECT_FALSE(params_of("question.ask").contains("project"));
}

TEST_F(TransportMcp, FailuresOfTheEngineAreResults) {
  engine_.fail("resources.list", QUARRY_NOT_FOUND, "there is no project \"x\"", "Ask its owner.",
               R"({"tag":"ProjectError"})");
  const Json failed = result(call("listResources", R"({"project":"x"})"));
  EXPECT_EQ(failed["isError"], true);
  EXPECT_EQ(failed["structuredContent"], (Json{{"tag", "ProjectError"},
                                               {"message", "there is no project \"x\""},
                                               {"hint", "Ask its owner."}}));
  EXPECT_EQ(result(R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})")["code"],
            mcp::kInvalidParams);
}

TEST_F(TransportMcp, AQuestionIsStreamedWithProgressToItsAnswer) {
  engine_.add_question("q1");
  Client client(port_);
  client.send(request(call("ask", R"({"question":"why?","resources":["zod"]})",
                           R"(,"_meta":{"progressToken":"t"})"),
                      kStream));
  EXPECT_NE(client.receive_until("is accepted\"}}").find("text/event-stream"), std::string::npos);
  Json params = params_of("question.ask");
  EXPECT_EQ(params.erase("request"), 1u);
  EXPECT_EQ(
      params,
      (Json{{"question", "why?"}, {"resources", {"zod"}}, {"principal", {{"token", "tok_1"}}}}));
  engine_.emit("q1", "resource.progress", R"({"message":"receiving objects"})");
  client.receive_until("receiving objects");
  engine_.emit("q1", "tool.updated",
               R"({"tool":"grep","state":{"status":"running","input":{"pattern":"foo"}}})");
  client.receive_until("grep foo");
  engine_.emit("q1", "model.waiting", R"({"reason":"HTTP 503","seconds":7})");
  client.receive_until("HTTP 503, asked again in 7 s");
  engine_.emit("q1", "text.delta", R"({"delta":"Be"})");
  client.receive_until("writing the answer");
  engine_.emit("q1", "done", R"({"type":"done","text":"Because.","citations":[]})");
  engine_.end("q1");
  const std::string last = client.receive_until("0\r\n\r\n");
  EXPECT_NE(last.find(R"("structuredContent":{"answer":"Because.","citations":[]})"),
            std::string::npos)
      << last;
  ASSERT_TRUE(wait_until([&] { return engine_.count("access.record") == 1; }));
  const Json record = params_of("access.record");
  EXPECT_EQ(record["questionId"], "q1");
  EXPECT_EQ(record["tool"], "ask");
  EXPECT_EQ(record.dump().find("why?"), std::string::npos);
}

TEST_F(TransportMcp, TheTraceOfACallIsThatOfItsMessageElseOfItsRequest) {
  engine_.add_question("q1");
  engine_.emit("q1", "done", R"({"type":"done","text":"Because.","citations":[]})");
  engine_.end("q1");
  const std::string_view header = "traceparent: 00-of-the-request\r\n";
  result(call("ask", R"({"question":"why?","traceparent":"00-of-an-argument"})"), header);
  EXPECT_EQ(params_of("question.ask")["traceparent"], "00-of-the-request");
  EXPECT_NE(params_of("question.ask")["request"], "");
  result(call("ask", R"({"question":"why?"})", R"(,"_meta":{"traceparent":"00-of-the-message"})"),
         header);
  EXPECT_EQ(params_of("question.ask")["traceparent"], "00-of-the-message");
  result(call("ask", R"({"question":"why?"})", R"(,"_meta":{"traceparent":5})"));
  EXPECT_FALSE(params_of("question.ask").contains("traceparent"));
}

TEST_F(TransportMcp, AnErrorEventIsAResultThatSaysSo) {
  engine_.add_question("q1");
  engine_.emit("q1", "error",
               R"({"type":"error","tag":"AuthenticationError","message":"the token was revoked"})");
  engine_.end("q1");
  const Json failed = result(call("ask", R"({"question":"q"})"));
  EXPECT_EQ(failed["isError"], true);
  EXPECT_EQ(failed["content"][0]["text"], "the token was revoked");
}

TEST_F(TransportMcp, TooManyQuestionsAre429AndASpentBudgetIsAResult) {
  engine_.fail("question.ask", QUARRY_RESOURCE_EXHAUSTED, "too many at once", {},
               R"({"tag":"RateLimitError"})");
  const auto refused =
      http_server::testing::fetch(port_, request(call("ask", R"({"question":"q"})"), kStream));
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.header("Retry-After"), "5");
  engine_.fail("question.ask", QUARRY_RESOURCE_EXHAUSTED, "the day's money is spent", {},
               R"({"tag":"BudgetError"})");
  EXPECT_EQ(result(call("ask", R"({"question":"q"})"))["structuredContent"]["tag"], "BudgetError");
}

TEST_F(TransportMcp, ACancelledQuestionIsStopped) {
  engine_.add_question("q1");
  Client client(port_);
  client.send(request(call("ask", R"({"question":"q"})"), kStream));
  client.receive_until("\r\n\r\n");
  ASSERT_TRUE(wait_until([&] { return engine_.open_readers() == 1; }));
  http_server::testing::fetch(port_, request(R"({"jsonrpc":"2.0","method":"notifications/cancelled",
                         "params":{"requestId":1}})",
                                             kStream));
  ASSERT_TRUE(wait_until([&] { return engine_.count("question.stop") == 1; }));
  EXPECT_EQ(params_of("question.stop"), (Json{{"id", "q1"}}));
  EXPECT_EQ(engine_.open_readers(), 0);
}

TEST_F(TransportMcp, ACancelReachesAQuestionThatIsNotAcceptedYet) {
  engine_.add_question("q1");
  engine_.hold("question.ask");
  Client client(port_);
  client.send(request(call("ask", R"({"question":"q"})"), kStream));
  ASSERT_TRUE(wait_until([&] { return engine_.count("question.ask") == 1; }));
  http_server::testing::fetch(port_, request(R"({"jsonrpc":"2.0","method":"notifications/cancelled",
                         "params":{"requestId":1}})",
                                             kStream));
  ASSERT_TRUE(wait_until([&] { return engine_.cancelled() == 1; }));
}

TEST_F(TransportMcp, ToolsAreSeenByRight) {
  const std::string list = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
  EXPECT_EQ(result(list)["tools"].size(), 3U);
  engine_.answer("access.admit", R"({"admitted":true,"token":"tok_2","project":"p",
                                     "rights":["ask","list"]})");
  const Json tools = result(list)["tools"];
  ASSERT_EQ(tools.size(), 2U);
  EXPECT_EQ(tools[1]["name"], "ask");
  EXPECT_EQ(tools[1]["inputSchema"]["required"], Json::array({"question"})) << "as the engine says";
  EXPECT_EQ(result(call("addResource", R"({"type":"npm","name":"n"})"))["code"],
            mcp::kInvalidParams);
  EXPECT_EQ(engine_.count("resources.add"), 0U);
}

/// A host with the retrieval tool "look".
struct RetrievalOverMcp : TransportMcp {
  void SetUp() override {
    engine_.answer("tools", R"({"tools":[{"name":"look","method":"tools.look","right":"read",
        "title":"Look","description":"Looks.","params":{"type":"object"},
        "result":{"type":"object","required":["hits"],"properties":{"hits":{"type":"array"}}}}]})");
    engine_.answer("tools.look", R"({"text":"docs/a.md:3: noon","hits":[{"startLine":3}]})");
    TransportMcp::SetUp();
    engine_.answer("access.admit", R"({"admitted":true,"token":"tok_1","project":"p",
                                       "rights":["read"]})");
  }
  /// The form that the engine was asked for.
  std::string form() { return params_of("tools.look")["form"]; }
};

TEST_F(RetrievalOverMcp, GivesStructureToThoseThatAskForIt) {
  const std::string plain = call("look", R"({"form":"json"})");
  const std::string asking = call("look", "{}", R"(,"_meta":{"quarry/structured":true})");
  EXPECT_FALSE(result(plain, "MCP-Protocol-Version: 2025-06-18\r\n").contains("structuredContent"));
  EXPECT_EQ(form(), "text");
  EXPECT_TRUE(result(asking, "MCP-Protocol-Version: 2025-06-18\r\n").contains("structuredContent"));
  EXPECT_EQ(form(), "both");
  EXPECT_TRUE(result(plain).contains("structuredContent")) << "a bare call is a program's";
  EXPECT_TRUE(result(plain, "MCP-Protocol-Version: 2025-06-18\r\n", "/api/mcp?structured=true")
                  .contains("structuredContent"));
}

TEST_F(RetrievalOverMcp, ListsTheSchemaOfTheStructureForThem) {
  const std::string list = R"({"jsonrpc":"2.0","id":1,"method":"tools/list")";
  const std::string asking = list + R"(,"params":{"_meta":{"quarry/structured":true}}})";
  const auto has_schema = [&](const std::string& body, std::string_view fields) {
    return result(body, fields)["tools"][0].contains("outputSchema");
  };
  EXPECT_FALSE(has_schema(list + "}", "MCP-Protocol-Version: 2025-06-18\r\n"));
  EXPECT_TRUE(has_schema(asking, "MCP-Protocol-Version: 2025-06-18\r\n"));
  EXPECT_TRUE(has_schema(list + "}", ""));
}

// n8n-io/n8n and cline/cline, whose calls the retrieval tools refused
TEST_F(RetrievalOverMcp, PassesNoArgumentsThatClientsAdd) {
  const std::string added =
      R"("toolCallId":"c","sessionId":"s","action":"a","chatInput":"i","tool":"t")";
  result(call("look", "{" + added + R"(,"task_progress":"p","other":1})"));
  const Json passed = params_of("tools.look");
  EXPECT_EQ(passed["other"], 1) << "the engine refuses it";
  for (const char* name :
       {"toolCallId", "sessionId", "action", "chatInput", "tool", "task_progress"}) {
    EXPECT_FALSE(passed.contains(name)) << name;
  }
}

TEST_F(RetrievalOverMcp, SaysAnErrorOnceUnlessTheyAsk) {
  engine_.fail("tools.look", QUARRY_INVALID_ARGUMENT, "path: is wrong");
  const Json failed = result(call("look", "{}"), "MCP-Protocol-Version: 2025-06-18\r\n");
  EXPECT_EQ(failed["isError"], true);
  EXPECT_FALSE(failed.contains("structuredContent"));
  const Json asked = result(call("look", "{}"))["structuredContent"];
  EXPECT_EQ(asked["tag"], "RequestError");
  EXPECT_EQ(asked["message"], "path: is wrong");
}

TEST_F(TransportMcp, ToolsHaveTypesThatWereLoadedLater) {
  const std::string list = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
  const Json before = result(list)["tools"];
  EXPECT_EQ(before.dump().find("book"), std::string::npos);
  engine_.answer("schemas", R"({"question":{"required":["question"]},"resource":{"oneOf":[
      {"properties":{"type":{"const":"book"},"name":{"type":"string"},"isbn":{"type":"string"}},
       "required":["type","name","isbn"]}]}})");
  const Json after = result(list)["tools"];
  EXPECT_EQ(after.size(), before.size());
  EXPECT_NE(after.dump().find("isbn"), std::string::npos) << after;
  engine_.fail("schemas", QUARRY_UNAVAILABLE, "ends");
  EXPECT_EQ(result(list)["tools"], after) << "the last ones known";
}

TEST_F(TransportMcp, WrongTokensAnUnreachableStoreAndFullMinutes) {
  const auto status = [&] {
    return http_server::testing::fetch(port_, request(call("listResources", "{}"))).status;
  };
  engine_.fail("access.admit", QUARRY_UNAUTHENTICATED, "no", {},
               R"({"tag":"AuthenticationError"})");
  EXPECT_EQ(status(), 401);
  engine_.fail("access.admit", QUARRY_INVALID_ARGUMENT, "too long");
  EXPECT_EQ(status(), 401);
  engine_.fail("access.admit", QUARRY_UNAVAILABLE, "the store is away");
  EXPECT_EQ(status(), 503);
  engine_.fail("access.admit", QUARRY_RESOURCE_EXHAUSTED, "too many wrong tokens", {},
               R"({"tag":"RateLimitError"})");
  EXPECT_EQ(status(), 429);
  engine_.answer("access.admit", R"({"admitted":false,"token":"tok_1","rights":[],
      "requests":{"limit":60,"remaining":0,"resetMs":4000},"retryAfterMs":3500})");
  EXPECT_EQ(status(), 429);
  engine_.answer("access.admit", "{}");
  EXPECT_EQ(status(), 503) << "nobody without a principal may act as the owner";
  EXPECT_EQ(engine_.count("resources.list"), 0U);
}

TEST_F(TransportMcp, SessionsAreTheEngines) {
  engine_.answer("sessions.open", R"({"session":"signed"})");
  engine_.answer("sessions.check", R"({"live":false})");
  const std::string hello =
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})";
  EXPECT_EQ(http_server::testing::fetch(port_, request(hello)).header("Mcp-Session-Id"), "signed");
  const std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  EXPECT_EQ(http_server::testing::fetch(port_, request(ping, "Mcp-Session-Id: other\r\n")).status,
            404);
  EXPECT_EQ(params_of("sessions.check"),
            (Json{{"principal", {{"token", "tok_1"}}}, {"session", "other"}}));
  engine_.fail("sessions.open", QUARRY_UNAVAILABLE, "away");
  const auto without = http_server::testing::fetch(port_, request(hello));
  EXPECT_EQ(without.status, 200);
  EXPECT_EQ(without.header("Mcp-Session-Id"), "");
}

TEST_F(TransportMcp, ResourcesAreResourcesOfTheProtocol) {
  const Json read = result(R"({"jsonrpc":"2.0","id":1,"method":"resources/read",
                               "params":{"uri":"quarry://resources/zod"}})");
  EXPECT_EQ(read["contents"][0]["mimeType"], "application/json");
  const Json listed = result(R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})");
  EXPECT_EQ(listed["resources"][0]["uri"], "quarry://resources/zod");
}

TEST_F(TransportMcp, AnswersProbes) {
  const auto probe = [&](std::string_view path) {
    return http_server::testing::fetch(
        port_, http_server::testing::get(path, "Authorization: Bearer secret\r\n"));
  };
  engine_.answer("health", R"({"ok":true,"ready":true})");
  engine_.answer("metrics", R"({"text":"quarry_questions 1\n"})");
  EXPECT_EQ(probe("/livez").status, 200);
  EXPECT_EQ(probe("/readyz").status, 200);
  EXPECT_EQ(probe("/metrics").status, 403);
  engine_.answer("access.admit", R"({"admitted":true,"token":"tok_2","project":"p",
                                     "rights":["metrics"]})");
  EXPECT_EQ(probe("/metrics").body, "quarry_questions 1\n");
  engine_.answer("health", R"({"ok":true,"ready":false})");
  EXPECT_EQ(probe("/readyz").status, 503);
}

TEST_F(TransportMcp, QuestionsOfClientsThatWentEndWithTheServer) {
  engine_.add_question("q1");
  {
    Client client(port_);
    client.send(request(call("ask", R"({"question":"q"})"), kStream));
    client.receive_until("\r\n\r\n");
    ASSERT_TRUE(wait_until([&] { return engine_.open_readers() == 1; }));
  }
  transport_->stop({});
  EXPECT_EQ(engine_.open_readers(), 0);
}

TEST(TransportMcpStart, APortThatIsTakenIsToldWithWhatToDo) {
  FakeHost host;
  FakeEngine engine;
  auto first = Transport::create(host.host(), Call(nullptr), R"({"listen":"127.0.0.1:0"})", "9");
  const auto started = (*first)->start(engine.table());
  const std::string url = Json::parse(*started)["listening"][0];
  auto second =
      Transport::create(host.host(), Call(nullptr),
                        R"({"listen":"127.0.0.1)" + url.substr(url.rfind(':')) + "\"}", "9");
  const auto refused = (*second)->start(engine.table());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("[transport.mcp]"), std::string::npos);
  (*first)->stop({});
}

TEST(TransportMcpStart, SpeaksTlsWithTheFilesOfItsConfiguration) {
  http_server::testing::TemporaryIdentity identity;
  FakeHost host;
  FakeEngine engine;
  const Json configuration{
      {"listen", "127.0.0.1:0"},
      {"tls", {{"certificate", identity.files().certificate}, {"key", identity.files().key}}}};
  auto transport = Transport::create(host.host(), Call(nullptr), configuration.dump(), "9");
  ASSERT_TRUE(transport) << transport.error().message;
  const auto started = (*transport)->start(engine.table());
  const std::string url = Json::parse(*started)["listening"][0];
  EXPECT_TRUE(url.starts_with("https://"));
  http_server::testing::TlsClient client(
      static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
  client.send(http_server::testing::get("/livez"));
  EXPECT_NE(client.receive_until("true}").find("200 OK"), std::string::npos);
  (*transport)->stop({});
}

TEST(TransportMcpStart, TlsFilesThatCannotBeReadAreNamed) {
  FakeHost host;
  const auto refused = Transport::create(
      host.host(), Call(nullptr), R"({"tls":{"certificate":"/nowhere.pem","key":"/k.pem"}})", "9");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("/nowhere.pem"), std::string::npos);
  EXPECT_NE(refused.error().fields.find("/tls"), std::string::npos);
}

TEST(TransportMcpStart, ListeningWideWithoutTlsIsWarnedOf) {
  FakeHost host;
  EXPECT_FALSE(Transport::create(host.host(), Call(nullptr), R"({"listen":"0.0.0.0:0"})", "9"));
  EXPECT_TRUE(Transport::create(host.host(), Call(nullptr),
                                R"({"listen":"0.0.0.0:0","insecure":true})", "9"));
  ASSERT_EQ(host.lines.size(), 1U);
  EXPECT_NE(host.lines[0].find("INSECURE"), std::string::npos);
}

}  // namespace
}  // namespace quarry::transport_mcp
