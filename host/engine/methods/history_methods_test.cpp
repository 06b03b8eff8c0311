#include "ask/events.h"
#include "engine/testing/engine_fixture.h"

#include <quarry_test.h>

#include <gmock/gmock.h>

namespace quarry::engine {
namespace {

using testing::Answer;
using testing::EngineTest;
using testing::Event;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::StreamServer;

struct HistoryMethods : EngineTest {
  [[nodiscard]] std::filesystem::path file() const { return root / "state/history.db"; }
  /// A turn of the conversation in the form that a model is sent.
  static std::string turn(const std::string& role, const std::string& text) {
    return R"({"role":")" + role + R"(","text":)" + json_string(text) + "}";
  }
  static Answer says(const std::string& text, int input = 1000) {
    return {.body = "{\"say\":" + json_string(text) + "}\n{\"tokens\":[" + std::to_string(input) +
                    ",10]}\n{\"end\":\"stop\"}\n",
            .piece = 1000};
  }
  static Json meta(const std::vector<Event>& all) {
    const auto found = std::ranges::find(all, "meta", &Event::type);
    return found == all.end() ? Json() : found->json;
  }
  void add_other() {
    call("resources.add",
         {{"type", "local"}, {"name", "other"}, {"path", (root / "more").string()}});
  }
  static constexpr const char* kCost = "0.00102";  ///< of one answer
};

TEST_F(HistoryMethods, TheStartOpensNoFile) {
  start();
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(HistoryMethods, AThreadGoesOnWithWhatWasSaidBefore) {
  const StreamServer server([](std::size_t number, const std::string&) {
    return says("answer " + std::to_string(number));
  });
  use_fixture(server.url());
  start();
  const auto first = ask({{"question", "How?"}, {"thread", "parser"}});
  EXPECT_EQ(meta(first)["thread"], "parser");
  ask({{"question", "And why?"}, {"thread", "parser"}});
  EXPECT_THAT(server.requests()[0], Not(HasSubstr("And why?")));
  EXPECT_THAT(server.requests()[1],
              HasSubstr(turn("user", "How?") + "," + turn("assistant", "answer 0") + "," +
                        turn("user", "And why?")));

  const Json thread = call("threads.show", {{"id", "parser"}});
  EXPECT_EQ(thread["title"], "How?");
  ASSERT_EQ(thread["turns"].size(), 2u);
  EXPECT_EQ(thread["turns"][0]["answer"], "answer 0");
  EXPECT_EQ(thread["turns"][0]["questionId"], meta(first)["id"]);
  EXPECT_EQ(call("threads.list")["threads"][0]["turns"], 2);

  EXPECT_EQ(call("threads.remove", {{"id", "parser"}}),
            Json({{"success", true}, {"id", "parser"}}));
  EXPECT_EQ(failure("threads.show", {{"id", "parser"}}).tag, "NotFound");
  EXPECT_EQ(failure("threads.remove", {{"id", "parser"}}).tag, "NotFound");
  EXPECT_TRUE(call("threads.list")["threads"].empty());
}

TEST_F(HistoryMethods, AThreadIsAboutTheResourcesOfItsLastQuestion) {
  start();
  const auto about = [&](Json params) {
    params["thread"] = "t";
    return meta_of(params)["resources"];
  };
  add_other();
  EXPECT_EQ(about({{"question", "How?"}, {"resources", {"other"}}}), Json({"other"}));
  EXPECT_EQ(about({{"question", "And why?"}}), Json({"other"}));
  EXPECT_EQ(about({{"question", "And there?"}, {"resources", {"docs"}}}), Json({"docs"}));
  EXPECT_EQ(about({{"question", "And then?"}}), Json({"docs"}));
  const Json turns = call("threads.show", {{"id", "t"}})["turns"];
  EXPECT_EQ(turns[1]["resources"], Json({"other"}));
}

TEST_F(HistoryMethods, AThreadWhoseResourceIsGoneSaysSo) {
  start();
  add_other();
  ask({{"question", "How?"}, {"resources", {"other"}}, {"thread", "t"}});
  call("resources.remove", {{"name", "other"}});
  const Error refused = failure("question.ask", {{"question", "And?"}, {"thread", "t"}});
  EXPECT_EQ(refused.tag, "CollectionError");
  EXPECT_THAT(refused.message, HasSubstr("\"other\""));
  EXPECT_EQ(call("question.ask", {{"question", "And?"}, {"resources", {"docs"}}, {"thread", "t"}})
                .count("id"),
            1u);
}

TEST_F(HistoryMethods, ThreadsAreFoundByWordsAndGetAnotherTitle) {
  start();
  ask({{"question", "How does the parser read tokens?"}, {"thread", "t"}});
  ask({{"question", "Who buffers lines?"}, {"thread", "other"}});
  const Json found = call("threads.list", {{"q", "parser rea"}})["threads"];
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["id"], "t");
  EXPECT_EQ(found[0]["matches"][0]["turn"], 1);
  EXPECT_EQ(call("threads.rename", {{"id", "t"}, {"title", "Tokens"}})["title"], "Tokens");
  EXPECT_EQ(call("threads.show", {{"id", "t"}})["title"], "Tokens");
  EXPECT_EQ(failure("threads.rename", {{"id", "nobody"}, {"title", "x"}}).tag, "NotFound");
  for (const char* blank : {"", " ", "\x01\n"}) {
    EXPECT_EQ(failure("threads.rename", {{"id", "t"}, {"title", blank}}).details[0].field,
              "/title");
  }
}

TEST_F(HistoryMethods, AThreadOutlivesTheEngine) {
  start();
  ask({{"question", "How does the parser read tokens?"}, {"thread", "t"}});
  engine.reset();
  start();
  EXPECT_EQ(call("threads.show", {{"id", "t"}})["turns"].size(), 1u);
}

TEST_F(HistoryMethods, TurnsMayComeWithTheQuestion) {
  const StreamServer server([](std::size_t, const std::string&) { return says("so"); });
  use_fixture(server.url());
  start();
  const auto all = ask(
      {{"question", "And?"},
       {"history",
        {{{"role", "user"}, {"content", "Who?"}}, {{"role", "assistant"}, {"content", "You."}}}}});
  EXPECT_FALSE(meta(all).contains("thread"));
  EXPECT_THAT(server.requests()[0],
              HasSubstr(turn("user", "Who?") + "," + turn("assistant", "You.")));
  const Json threads = call("threads.list")["threads"];
  ASSERT_EQ(threads.size(), 1u) << "kept under its own id";
  EXPECT_EQ(threads[0]["id"], meta(all)["id"]);
  EXPECT_EQ(threads[0]["single"], true);
}

TEST_F(HistoryMethods, TheOldestTurnsAreLeftOutWhereTheyDoNotFit) {
  const StreamServer server([](std::size_t, const std::string&) { return says("so"); });
  use_fixture(server.url());
  start();
  Json history = Json::array();
  for (int i = 0; i < 4; ++i) {
    history.push_back({{"role", "user"}, {"content", "question " + std::to_string(i)}});
    history.push_back({{"role", "assistant"}, {"content", std::string(30'000, 'x')}});
  }
  const auto all = ask({{"question", "And?"}, {"history", history}});
  EXPECT_EQ(meta(all)["turnsLeftOut"], 2);
  EXPECT_THAT(server.requests()[0], Not(HasSubstr("question 1")));
  EXPECT_THAT(server.requests()[0], HasSubstr("question 2"));
}

TEST_F(HistoryMethods, AQuestionThatFailedIsKeptWithItsErrorAndNotReadByTheNext) {
  const StreamServer server([](std::size_t number, const std::string&) -> Answer {
    if (number == 0) return {.status = 401, .body = "{\"error\":\"invalid key\"}\n"};
    return says("so");
  });
  use_fixture(server.url());
  start();
  EXPECT_EQ(ask({{"question", "How?"}, {"thread", "t"}}).back().type, "error");
  const Json turn = call("threads.show", {{"id", "t"}})["turns"][0];
  EXPECT_EQ(turn["status"], "failed");
  EXPECT_EQ(turn["answer"], "");
  EXPECT_FALSE(turn.contains("finishReason"));
  EXPECT_EQ(turn["error"]["tag"], "ProviderNotAuthenticatedError");
  EXPECT_TRUE(turn["error"]["message"].is_string());
  EXPECT_EQ(turn["model"], Json({{"provider", "fixture"}, {"model", "m1"}}));
  EXPECT_EQ(turn["citations"], Json::array());
  EXPECT_EQ(call("usage.report")["total"]["questions"], 1);
  ask({{"question", "And why?"}, {"thread", "t"}});
  EXPECT_THAT(server.requests()[1], Not(HasSubstr("How?")));
}

TEST_F(HistoryMethods, ATurnShowsAfterARestartWhatItShowed) {
  const StreamServer server([](std::size_t number, const std::string&) -> Answer {
    if (number > 0) return says("It reads tokens [docs:parser.md#L1].");
    return {.body =
                "{\"think\":\"I look.\"}\n"
                "{\"call\":0,\"name\":\"list\",\"arguments\":\"{\\\"path\\\":\\\"docs\\\"}\"}\n"
                "{\"tokens\":[1000,10]}\n{\"end\":\"tools\"}\n",
            .piece = 1000};
  });
  use_fixture(server.url());
  start();
  const auto all = ask({{"question", "How does the parser read tokens?"}});
  const Json done = all.back().json;
  ASSERT_EQ(done["type"], "done");
  ASSERT_EQ(done["citations"].size(), 1u);
  const std::string id = meta(all)["id"];
  const Json source = call("question.source", {{"id", id}, {"number", 1}});
  ASSERT_FALSE(source["lines"].empty());

  engine.reset();
  std::filesystem::remove_all(root / "docs");
  start();
  const Json turn = call("threads.show", {{"id", id}})["turns"][0];
  for (const char* const member :
       {"tools", "reasoning", "usage", "metrics", "finishReason", "steps", "model"}) {
    EXPECT_EQ(turn[member], done[member]) << member;
  }
  EXPECT_EQ(turn["answer"], done["text"]);
  EXPECT_EQ(turn["snapshots"], meta(all)["snapshots"]);
  EXPECT_EQ(turn["status"], "answered");
  EXPECT_EQ(turn["costUsd"], done["metrics"]["pricing"]["costUsd"]["total"]);
  EXPECT_EQ(turn["citations"], Json::array({source}));
  EXPECT_EQ(call("question.source", {{"id", id}, {"number", 1}}), source);
  EXPECT_THAT(failure("question.source", {{"id", id}, {"number", 2}}).message,
              HasSubstr("the answer has 1"));
  call("threads.remove", {{"id", id}});
  EXPECT_EQ(failure("question.source", {{"id", id}, {"number", 1}}).tag, "NotFound");
}

TEST_F(HistoryMethods, AnAnswerThatWasCutIsKeptAsThat) {
  const StreamServer server([](std::size_t, const std::string&) -> Answer {
    return {.body =
                "{\"say\":\"so\"}\n"
                "{\"call\":0,\"name\":\"list\",\"arguments\":\"{\\\"path\\\":\\\"docs\\\"}\"}\n"
                "{\"tokens\":[10,10]}\n{\"end\":\"tools\"}\n",
            .piece = 1000};
  });
  use_fixture(server.url(), "max_steps = 1");
  start();
  ask({{"question", "How?"}, {"thread", "t"}});
  const Json turn = call("threads.show", {{"id", "t"}})["turns"][0];
  EXPECT_EQ(turn["status"], "cut");
  EXPECT_EQ(turn["finishReason"], "maxSteps");
  EXPECT_EQ(turn["answer"], "so");
}

TEST_F(HistoryMethods, TwoQuestionsOfOneThreadAtOnceAreStoredAsTheyEnd) {
  const StreamServer server([](std::size_t, const std::string&) { return says("so"); });
  use_fixture(server.url());
  start();
  std::vector<std::string> ids;
  for (int i = 0; i < 2; ++i) ids.push_back(begin({{"question", "How?"}, {"thread", "t"}}));
  for (const std::string& id : ids) events(id);
  EXPECT_EQ(call("threads.show", {{"id", "t"}})["turns"].size(), 2u);
}

TEST_F(HistoryMethods, UsageIsTheSumOfWhatTheQuestionsSaidTheyCost) {
  const StreamServer server([](std::size_t, const std::string&) { return says("so"); });
  use_fixture(server.url());
  start();
  for (int i = 0; i < 3; ++i) {
    const auto all = ask({{"question", "How?"}});
    EXPECT_EQ(all.back().json["metrics"]["pricing"]["costUsd"]["total"].dump(), kCost);
  }
  const auto text = engine->call_and_wait("usage.report", R"({"since":"24h"})");
  ASSERT_TRUE(text) << text.error().message;
  const Json report = *parse_json(*text);
  EXPECT_EQ(report["by"], "model");
  ASSERT_EQ(report["rows"].size(), 1u);
  EXPECT_EQ(report["rows"][0]["key"], "fixture/m1");
  EXPECT_EQ(report["total"]["questions"], 3);
  EXPECT_EQ(report["total"]["calls"], 3);
  EXPECT_EQ(report["total"]["inputTokens"], 3000);
  EXPECT_EQ(report["total"]["outputTokens"], 30);
  EXPECT_THAT(*text, HasSubstr("\"costUsd\":0.00306}"));
  EXPECT_EQ(report["unpricedCalls"], 0);
  EXPECT_EQ(call("usage.report", {{"by", "resource"}})["rows"][0]["key"], "docs");
  EXPECT_EQ(call("usage.report", {{"by", "day"}})["rows"].size(), 1u);
  EXPECT_EQ(failure("usage.report", {{"by", "hour"}}).details[0].field, "/by");
}

TEST_F(HistoryMethods, AMonthsBudgetRefusesWhatComesAfterIt) {
  const StreamServer server([](std::size_t, const std::string&) { return says("so", 1'000'000); });
  use_fixture(server.url(), "monthly_budget_usd = 0.5");
  start();
  ask({{"question", "How?"}});
  const Error refused = failure("question.ask", {{"question", "How?"}});
  EXPECT_EQ(refused.tag, "RateLimitError");
  EXPECT_EQ(refused.message, "this month's budget is used up: $1.00002 of $0.5");
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(HistoryMethods, AQuestionMayCostWhatIsLeftOfTheBudget) {
  const StreamServer server([](std::size_t, const std::string&) -> Answer {
    return {.body =
                "{\"call\":0,\"name\":\"list\",\"arguments\":\"{\\\"path\\\":\\\"docs\\\"}\"}\n"
                "{\"tokens\":[1000000,10]}\n{\"end\":\"tools\"}\n",
            .piece = 1000};
  });
  use_fixture(server.url(), "monthly_budget_usd = 0.5\nmax_cost_usd = 5");
  start();
  EXPECT_EQ(ask({{"question", "How?"}}).back().json["finishReason"], "maxCost");
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(HistoryMethods, AModelThatCostsNothingIsAskedWhateverTheBudget) {
  configure("[model]\nprovider = \"extractive\"\nmonthly_budget_usd = 0\n");
  start();
  EXPECT_EQ(ask({{"question", "How does the parser read tokens?"}}).back().type, "done");
}

TEST_F(HistoryMethods, ADamagedFileBreaksNoQuestion) {
  const StreamServer server([](std::size_t, const std::string&) { return says("so"); });
  use_fixture(server.url(), "monthly_budget_usd = 1");
  std::filesystem::create_directories(root / "state");
  write("state/history.db", std::string(8192, 'x'));
  start();
  const auto all = ask({{"question", "How does the parser read tokens?"}, {"thread", "t"}});
  EXPECT_EQ(all.back().type, "done");
  EXPECT_EQ(call("threads.list")["threads"].size(), 1u) << "a new one was created";
  EXPECT_EQ(call("health")["ready"], true);
}

TEST_F(HistoryMethods, ABudgetThatCannotBeCheckedRefusesModelsThatCost) {
  const StreamServer server([](std::size_t, const std::string&) { return says("so"); });
  use_fixture(server.url(), "monthly_budget_usd = 1");
  std::filesystem::create_directories(root / "state/history.db");
  start();
  const Error refused = failure("question.ask", {{"question", "How?"}});
  EXPECT_EQ(refused.tag, "HistoryError");
  EXPECT_THAT(refused.message, HasSubstr("the monthly budget cannot be checked"));
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(HistoryMethods, AKeyNeverStandsInTheFile) {
  const StreamServer server(
      [](std::size_t, const std::string&) { return says("the key is " + test_key()); });
  use_fixture(server.url());
  start();
  ask({{"question", "How?"}, {"thread", "t"}});
  ask({{"question", "Is it " + test_key() + "?"}, {"thread", "t"}});
  EXPECT_EQ(call("threads.show", {{"id", "t"}})["turns"].size(), 2u);
  for (const auto& entry : std::filesystem::directory_iterator(root / "state")) {
    EXPECT_THAT(read_file(entry.path()).value_or(""), Not(HasSubstr(test_key()))) << entry.path();
  }
}

}  // namespace
}  // namespace quarry::engine
