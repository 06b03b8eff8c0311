#include "ask/conversation.h"

#include "base/schema.h"
#include "plugins/value_texts.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace {

constexpr std::string_view kNote =
    "[earlier result dropped to free space; call the tool again if needed]";

struct ConversationTest : ::testing::Test {
  /// Adds a step with one call for each result, and the results.
  void step(std::vector<std::string> results) {
    Step said;
    said.text = "I look.";
    for (std::size_t i = 0; i < results.size(); ++i) {
      said.calls.push_back({.id = "c" + std::to_string(++calls), .name = "read", .arguments = {}});
    }
    conversation.add_step(said, author);
    for (std::size_t i = 0; i < results.size(); ++i) {
      conversation.add_result(said.calls[i], results[i], false);
    }
  }
  Json messages(bool last = false) const {
    return Json::parse(conversation.request(author, 100, last))["messages"];
  }
  std::vector<std::string> results() const {
    std::vector<std::string> out;
    for (const Json& message : messages()) {
      if (message["role"] == "tool") out.push_back(message["text"]);
    }
    return out;
  }

  const Candidate author{.model = nullptr, .provider = "p", .name = "m", .rates = {}};
  Conversation conversation{"rules", "resources", "[]", {{"q1", "a1"}, {"q2", "a2"}}, "q3"};
  int calls = 0;
  const std::string large = std::string(1000, 'x');
};

TEST_F(ConversationTest, SaysEverythingInOrder) {
  step({"found"});
  EXPECT_EQ(messages(), Json::parse(R"([
      {"role":"user","text":"q1"}, {"role":"assistant","text":"a1"},
      {"role":"user","text":"q2"}, {"role":"assistant","text":"a2"},
      {"role":"user","text":"q3"},
      {"role":"assistant","text":"I look.","toolCalls":[{"id":"c1","name":"read","arguments":{}}]},
      {"role":"tool","text":"found","toolCallId":"c1","name":"read","failed":false}])"));
  EXPECT_EQ(messages(true).back()["role"], "user");
}

TEST_F(ConversationTest, KnowsItsSize) {
  step({large, large});
  const auto size = static_cast<double>(conversation.request(author, 8192, false).size());
  EXPECT_NEAR(static_cast<double>(conversation.size(author)), size, size / 10);
}

TEST_F(ConversationTest, DropsTheOldestResultsFirstAndNoMoreThanNeeded) {
  step({large, large});
  step({large});
  step({large});
  EXPECT_TRUE(conversation.free_space(1200));
  EXPECT_EQ(results(),
            (std::vector<std::string>{std::string(kNote), std::string(kNote), large, large}));
  EXPECT_EQ(messages().size(), 5u + 2 + 1 + 2 + 2);
}

TEST_F(ConversationTest, NeverDropsTheLatestResultsOrTheQuestion) {
  step({large});
  step({large, large});
  EXPECT_TRUE(conversation.free_space(1'000'000));
  EXPECT_EQ(results(), (std::vector<std::string>{std::string(kNote), large, large}));
  EXPECT_EQ(messages()[0]["text"], "q3");
  EXPECT_FALSE(conversation.free_space(1'000'000));
}

TEST_F(ConversationTest, LeavesOutTheOldestTurnsWhenNoResultCanGo) {
  EXPECT_TRUE(conversation.free_space(1));
  EXPECT_EQ(messages()[0]["text"], "q2");
}

TEST_F(ConversationTest, DropsTheOlderHalfButNeverTheOnlyResult) {
  step({"1", "2", "3"});
  step({"4"});
  EXPECT_TRUE(conversation.drop_older_half());
  const std::string note(kNote);
  EXPECT_EQ(results(), (std::vector<std::string>{note, note, "3", "4"}));
  EXPECT_TRUE(conversation.drop_older_half());
  EXPECT_FALSE(conversation.drop_older_half());
  EXPECT_EQ(results(), (std::vector<std::string>{note, note, note, "4"}));
}

TEST_F(ConversationTest, RequestsFollowThePublishedSchema) {
  Conversation asking("rules", "resources",
                      R"([{"name":"read","description":"Reads.","parameters":{"type":"object"}}])",
                      {{"q1", "a1"}}, "q2");
  Step said;
  said.reasoning = "hm";
  said.kept = {R"({"signature":"x"})"};
  said.calls.push_back({.id = "c1", .name = "read", .arguments = {}});
  asking.add_step(said, author);
  asking.add_result(said.calls[0], "no such file", true);
  const auto schema = compiled_schema(plugins::kModelChatRequest.schema);
  for (const bool last : {false, true}) {
    const Json request = Json::parse(asking.request(author, 100, last));
    EXPECT_EQ(request["messages"].size(), last ? 6u : 5u);
    for (const auto& [field, message] : schema.check(request, Schema::Unknown::kRefuse)) {
      ADD_FAILURE() << field << " " << message;
    }
  }
}

}  // namespace
}  // namespace quarry::ask
