#include "base/testing/waiting.h"
#include "engine/testing/engine_fixture.h"

#include <algorithm>
#include <quarry_test.h>

#include <gmock/gmock.h>

namespace quarry::engine {
namespace {

namespace fs = std::filesystem;
using ask::testing::Event;
using testing::Answer;
using testing::EngineTest;
using testing::StreamServer;

std::string body_of(const std::string& request) {
  return request.substr(request.find("\r\n\r\n") + 4);
}

std::size_t entries(const fs::path& directory) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

TEST_F(EngineTest, AnswersFromAFolderWithoutAModelAndEveryCitationHolds) {
  start();
  const auto all = ask({{"question", "How does the parser read tokens?"}});
  const Json& done = all.back().json;
  ASSERT_EQ(done["type"], "done") << done;
  EXPECT_NE(done["text"].get<std::string>().find("reads tokens one at a time"), std::string::npos);
  ASSERT_FALSE(done["citations"].empty()) << done;
  for (const auto& citation : done["citations"]) EXPECT_EQ(citation["verified"], true) << citation;
  EXPECT_FALSE(done.contains("usage"));
}

TEST_F(EngineTest, SaysWhatItIsAndHowItIsConfigured) {
  start();
  EXPECT_EQ(call("health")["ready"], true);
  EXPECT_EQ(call("config.show")["provider"], "extractive");
  EXPECT_EQ(call("config.show")["resourceCount"], 1);
  EXPECT_EQ(call("resources.list")["resources"][0]["name"], "docs");
  EXPECT_TRUE(call("schemas")["resource"].contains("oneOf"));
  EXPECT_NE(call("metrics")["text"].get<std::string>().find("quarry_resources 1"),
            std::string::npos);
  EXPECT_EQ(failure("no.such").tag, "NotFound");
}

TEST_F(EngineTest, DescribesEveryMethod) {
  start();
  const Json methods = call("methods")["methods"];
  EXPECT_GE(methods.size(), 51u);
  for (const auto& [name, row] : methods.items()) {
    EXPECT_FALSE(row["description"].get<std::string>().empty()) << name;
    EXPECT_GE(row["version"], 1) << name;
    EXPECT_TRUE(Schema::compile(row.value("params", Json::object()))) << name;
    EXPECT_TRUE(Schema::compile(row["result"])) << name;
  }
  EXPECT_EQ(methods["question.ask"]["params"], call("schemas")["question"]);
  EXPECT_EQ(methods["question.ask"]["principal"], "optional");
  EXPECT_EQ(methods["sessions.end"]["principal"], "required");
  EXPECT_FALSE(methods["tokens.create"].contains("principal"));
}

TEST_F(EngineTest, MethodsAreThoseThatTheSdkPublishes) {
  start();
  const fs::path file = fs::path(QUARRY_SOURCE_DIR) / "sdk/schema/engine/methods.json";
  const std::string now = call("methods")["methods"].dump(1) + "\n";
  if (std::getenv("QUARRY_WRITE_SCHEMAS") != nullptr) {
    ASSERT_TRUE(write_file_atomically(file, now));
  }
  const auto published = read_file(file);
  ASSERT_TRUE(published);
  EXPECT_EQ(*published, now) << "set QUARRY_WRITE_SCHEMAS=1 to write " << file;
}

/// Pointers to what a schema of a result must not have: a later host could not add to it.
void find_closed(const Json& schema, const std::string& place, std::vector<std::string>& found) {
  if (schema.is_object() && schema.contains("enum")) found.push_back(place + "/enum");
  if (schema.is_object() && schema.value("additionalProperties", Json()) == Json(false)) {
    found.push_back(place + "/additionalProperties");
  }
  if (!schema.is_structured()) return;
  for (const auto& [key, value] : schema.items()) find_closed(value, place + "/" + key, found);
}

TEST_F(EngineTest, ResultsCanGainMembersAndValues) {
  start();
  std::vector<std::string> closed;
  const Json methods = call("methods")["methods"];
  for (const auto& [name, method] : methods.items()) {
    find_closed(method.at("result"), name, closed);
  }
  EXPECT_THAT(closed, ::testing::IsEmpty());
  find_closed(methods.at("tokens.create").at("params"), "tokens.create", closed);
  EXPECT_THAT(closed, ::testing::Not(::testing::IsEmpty())) << "params keep their values";
}

TEST_F(EngineTest, AddsAndRemovesAResourceInTheFileAndKeepsItsComments) {
  start();
  const Json more = {{"type", "local"}, {"name", "more"}, {"path", (root / "more").string()}};
  EXPECT_EQ(call("resources.add", more)["name"], "more");
  EXPECT_EQ(failure("resources.add", more).tag, "ConfigError");
  EXPECT_EQ(call("config.reload")["resources"], Json({"docs", "more"}));
  EXPECT_EQ(call("resources.remove", {{"name", "@MORE"}})["name"], "more");
  EXPECT_EQ(failure("resources.remove", {{"name", "more"}}).tag, "ConfigError");
  EXPECT_TRUE(read_file(root / "quarry.toml")->starts_with("# kept\n"));
}

TEST_F(EngineTest, NamesEveryOffendingField) {
  start();
  EXPECT_EQ(failure("resources.add", {{"type", "local"}, {"name", "a b"}}).details[0].field,
            "/name");
  EXPECT_EQ(failure("resources.add", {{"type", "none"}, {"name", "a"}}).tag, "ConfigError");
  EXPECT_EQ(failure("question.ask", {{"question", "  "}}).tag, "RequestError");
  EXPECT_EQ(failure("question.ask", Json::object()).tag, "RequestError");
  EXPECT_EQ(failure("question.ask", {{"question", "a"}, {"resources", {"dcos"}}}).tag,
            "CollectionError");
  EXPECT_EQ(failure("question.stop", {{"id", "nobody"}}).tag, "NotFound");
  EXPECT_EQ(failure("resources.recognise", {{"reference", "nothing at all"}}).tag, "ConfigError");
  EXPECT_EQ(engine->open_reader("nobody", 0, [] {}), nullptr);
}

TEST_F(EngineTest, ABrokenReloadKeepsWhatIsInForce) {
  start();
  write("quarry.toml", "[[resource]]\ntype = \"local\"\nnam = \"docs\"\n");
  EXPECT_EQ(failure("config.reload").tag, "ConfigError");
  EXPECT_EQ(call("resources.list")["resources"].size(), 1u);
}

TEST_F(EngineTest, ClearsTheCache) {
  start();
  EXPECT_TRUE(call("cache.clear")["cleared"].is_number());
}

TEST_F(EngineTest, AsksAModelOverHttpWhoseAnswerIsCutAtOddBytes) {
  for (const std::size_t piece : {1u, 3u, 7u, 1000u}) {
    const StreamServer server([piece](std::size_t number, const std::string&) -> Answer {
      if (number == 0) {
        return {.body =
                    "{\"think\":\"h\xc3\xbcm\"}\n"
                    "{\"call\":0,\"name\":\"read\",\"arguments\":\"{\\\"path\\\":\"}\n"
                    "{\"call\":1,\"name\":\"list\"}\n"
                    "{\"call\":0,\"arguments\":\"\\\"docs/parser.md\\\"}\"}\n"
                    "{\"tokens\":[1000,10]}\n{\"end\":\"tools\"}\n",
                .piece = piece};
      }
      return {.body =
                  "{\"say\":\"Tokens, one at a time \"}\n{\"say\":\"[docs:parser.md#L3-L3].\"}\n"
                  "{\"tokens\":[2000,20]}\n{\"end\":\"stop\"}\n",
              .piece = piece};
    });
    use_fixture(server.url());
    start();
    const auto all = ask({{"question", "How?"}});
    const Json& done = all.back().json;
    ASSERT_EQ(done["type"], "done") << done;
    EXPECT_EQ(done["text"], "Tokens, one at a time [docs:parser.md#L3-L3].");
    EXPECT_EQ(done["reasoning"], "h\xc3\xbcm");
    EXPECT_EQ(done["tools"].size(), 2u);
    EXPECT_EQ(done["tools"][0]["state"]["status"], "completed") << done["tools"][0];
    EXPECT_EQ(done["citations"][0]["verified"], true);
    EXPECT_EQ(done["usage"]["totalTokens"], 3030);
    EXPECT_EQ(done["metrics"]["pricing"]["costUsd"]["total"], 0.00306) << done["metrics"];
    EXPECT_NE(server.requests()[0].find("Key " + test_key()), std::string::npos);
    EXPECT_NE(server.requests()[1].find("reads tokens one at a time"), std::string::npos);
    engine.reset();
  }
}

/// A step with a thought and a call, then the answer; each in pieces of a few bytes.
Answer say_in_two_steps(std::size_t number, std::string_view thought_and_call,
                        std::string_view answer) {
  return {.body = std::string(number == 0 ? thought_and_call : answer), .piece = 5};
}

TEST_F(EngineTest, GivesReasoningBackToAChatThatSentIt) {
  const StreamServer server([](std::size_t number, const std::string&) {
    return say_in_two_steps(
        number,
        R"(data: {"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"Where?"}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"read","arguments":"{\"path\":\"docs/parser.md\"}"}}]},"finish_reason":"tool_calls"}]}

data: [DONE]

)",
        R"(data: {"choices":[{"index":0,"delta":{"content":"One at a time [docs:parser.md#L3]."},"finish_reason":"stop"}]}

data: {"choices":[],"usage":{"prompt_tokens":900,"completion_tokens":30,"prompt_cache_hit_tokens":600}}

data: [DONE]

)");
  });
  use("deepseek", server.url() + "/v1");
  start();
  const Json done = ask({{"question", "How?"}}).back().json;
  EXPECT_EQ(done["text"], "One at a time [docs:parser.md#L3].");
  EXPECT_EQ(done["reasoning"], "Where?");
  EXPECT_EQ(done["citations"][0]["verified"], true) << done;
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_TRUE(server.requests()[0].starts_with("POST /v1/chat/completions "));
  const Json said = *parse_json(body_of(server.requests()[1]));
  EXPECT_EQ(said["messages"][2]["reasoning_content"], "Where?");
  EXPECT_EQ(said["messages"][3]["tool_call_id"], "c1");
}

TEST_F(EngineTest, GivesEncryptedReasoningBackBeforeTheCallItLedTo) {
  const StreamServer server([](std::size_t number, const std::string&) {
    return say_in_two_steps(
        number,
        R"(data: {"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"c2VjcmV0"}}

data: {"type":"response.output_item.done","output_index":1,"item":{"id":"fc_1","type":"function_call","call_id":"c1","name":"read","arguments":"{\"path\":\"docs/parser.md\"}"}}

data: {"type":"response.completed","response":{"usage":{"input_tokens":10,"output_tokens":2}}}

)",
        R"(data: {"type":"response.output_text.delta","delta":"One at a time."}

data: {"type":"response.completed","response":{"usage":{"input_tokens":20,"output_tokens":3}}}

)");
  });
  use("openai", server.url() + "/v1", "api = \"responses\"\n");
  start();
  const Json done = ask({{"question", "How?"}}).back().json;
  EXPECT_EQ(done["text"], "One at a time.");
  EXPECT_EQ(done["usage"]["totalTokens"], 35);
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_TRUE(server.requests()[0].starts_with("POST /v1/responses "));
  const Json input = (*parse_json(body_of(server.requests()[1])))["input"];
  EXPECT_EQ(input[1]["encrypted_content"], "c2VjcmV0");
  EXPECT_EQ(input[2]["call_id"], "c1");
  EXPECT_NE(input[3]["output"].get<std::string>().find("one at a time"), std::string::npos);
}

TEST_F(EngineTest, AModelsRefusalAndACutAreErrorsWithItsWords) {
  const StreamServer refuses([](std::size_t, const std::string&) -> Answer {
    return {.status = 401, .body = "{\"error\":\"invalid key\"}\n"};
  });
  use_fixture(refuses.url());
  start();
  Json last = ask({{"question", "How?"}}).back().json;
  EXPECT_EQ(last["tag"], "ProviderNotAuthenticatedError");
  EXPECT_EQ(last["message"], "fixture/m1: HTTP 401: invalid key");
  engine.reset();

  const StreamServer cuts([](std::size_t, const std::string&) -> Answer {
    return {.body = "{\"say\":\"half\"}\n", .promised = 1000};
  });
  use_fixture(cuts.url());
  start();
  const auto all = ask({{"question", "How?"}});
  EXPECT_EQ(all.back().json["tag"], "AgentError");
  EXPECT_EQ(cuts.requests().size(), 1u);
}

TEST_F(EngineTest, AStopReachesTheConnectionOfTheModel) {
  const StreamServer server([](std::size_t, const std::string&) -> Answer {
    return {.body = "{\"say\":\"half\"}\n", .hang = true};
  });
  use_fixture(server.url());
  start();
  const std::string id = begin({{"question", "How?"}});
  events(id, [](const Event& event) { return event.type == "text.delta"; });
  EXPECT_EQ(call("question.stop", {{"id", id}})["stopped"], true);
  const auto all = events(id);
  ask::testing::check_rules(all);
  EXPECT_EQ(all.back().json["finishReason"], "cancelled");
  EXPECT_EQ(all.back().json["text"], "half");
}

TEST_F(EngineTest, RefusesMoreQuestionsThanItMayRun) {
  const StreamServer server(
      [](std::size_t, const std::string&) -> Answer { return {.body = "", .hang = true}; });
  use_fixture(server.url(), "\n[server]\nmax_questions = 1\n");
  start();
  const std::string id = begin({{"question", "How?"}});
  EXPECT_EQ(failure("question.ask", {{"question", "And?"}}).tag, "RateLimitError");
  call("question.stop", {{"id", id}});
  events(id);
}

TEST_F(EngineTest, AnswersSixtyFourQuestionsAtOnce) {
  start();
  std::vector<std::string> ids;
  for (int i = 0; i < 64; ++i) {
    ids.push_back(
        begin({{"question", i % 2 ? "What does the writer buffer?" : "What of the parser?"}}));
  }
  for (const auto& id : ids) {
    const auto all = events(id);
    ask::testing::check_rules(all);
    EXPECT_EQ(all.back().type, "done");
  }
}

TEST_F(EngineTest, AnEndInMidQuestionLeavesNoThreadDescriptorOrTemporaryFile) {
  const auto live_once = [&] {
    const StreamServer server([](std::size_t, const std::string&) -> Answer {
      return {.body = "{\"say\":\"half\"}\n", .hang = true};
    });
    use_fixture(server.url());
    start();
    const std::string id = begin({{"question", "How?"}});
    events(id, [](const Event& event) { return event.type == "text.delta"; });
    engine.reset();
  };
  const std::size_t threads = entries("/proc/self/task");
  live_once();  // libraries open files once and keep them
  const std::size_t descriptors = entries("/proc/self/fd");
  live_once();
  // Threads of calls into plugins end by themselves once they are idle.
  wait_until([&] { return entries("/proc/self/task") <= threads; });
  EXPECT_EQ(entries("/proc/self/fd"), descriptors);
  for (const auto& entry : fs::recursive_directory_iterator(root / "cache")) {
    EXPECT_NE(entry.path().parent_path().filename(), "building") << entry.path();
  }
}

}  // namespace
}  // namespace quarry::engine
