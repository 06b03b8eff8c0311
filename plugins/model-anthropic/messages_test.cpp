#include "model-anthropic/messages.h"

#include <gtest/gtest.h>

namespace quarry::anthropic {
namespace {

using model_http::Json;

/// The turns for messages in the form of <quarry/model.h>.
Json turns(std::string_view messages) {
  const auto chat =
      model_http::ChatRequest::read(R"({"model":"m","messages":)" + std::string(messages) + "}");
  EXPECT_TRUE(chat) << chat.failure().message;
  return chat ? messages_of(chat->messages) : Json();
}

TEST(Messages, PutAllResultsOfATurnFirstIntoOneUserTurn) {
  EXPECT_EQ(turns(R"([
    {"role":"user","text":"How are dates parsed?"},
    {"role":"assistant","text":"I look.","toolCalls":[
      {"id":"t1","name":"grep","arguments":{"pattern":"date"}},
      {"id":"t2","name":"read","arguments":{}}]},
    {"role":"tool","toolCallId":"t1","name":"grep","text":"a.md:1","failed":false},
    {"role":"tool","toolCallId":"t2","name":"read","text":"no such file","failed":true},
    {"role":"user","text":"Answer now."}])"),
            Json::parse(R"([
    {"role":"user","content":[{"type":"text","text":"How are dates parsed?"}]},
    {"role":"assistant","content":[
      {"type":"text","text":"I look."},
      {"type":"tool_use","id":"t1","name":"grep","input":{"pattern":"date"}},
      {"type":"tool_use","id":"t2","name":"read","input":{}}]},
    {"role":"user","content":[
      {"type":"tool_result","tool_use_id":"t1","content":"a.md:1"},
      {"type":"tool_result","tool_use_id":"t2","content":"no such file","is_error":true},
      {"type":"text","text":"Answer now."}]}])"));
}

TEST(Messages, PutALateResultBeforeTheTextOfItsTurn) {
  EXPECT_EQ(turns(R"([{"role":"user","text":"a"},
                      {"role":"tool","toolCallId":"t","name":"x","text":"r"}])"),
            Json::parse(R"([{"role":"user","content":[
                              {"type":"tool_result","tool_use_id":"t","content":"r"},
                              {"type":"text","text":"a"}]}])"));
}

TEST(Messages, JoinTurnsOfTheSameRoleAndLeaveOutBlankOnes) {
  EXPECT_EQ(turns(R"([{"role":"user","text":"a"},{"role":"assistant","text":" \n"},
                      {"role":"user","text":"b"},{"role":"user","text":""},
                      {"role":"assistant","text":"c"},{"role":"assistant","text":"d"}])"),
            Json::parse(R"([
    {"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
    {"role":"assistant","content":[{"type":"text","text":"c"},{"type":"text","text":"d"}]}])"));
}

TEST(Messages, GiveThinkingBackUnchangedAtItsPlace) {
  EXPECT_EQ(turns(R"([{"role":"assistant","text":"Grüße.Now","reasoning":"hm",
     "toolCalls":[{"id":"t1","name":"x","arguments":{}},{"id":"t2","name":"y","arguments":{}}],
     "kept":[
       {"anthropic":{"type":"thinking","thinking":"hm","signature":"Eq/4+Ag=="},"text":0,"calls":0},
       {"anthropic":{"type":"redacted_thinking","data":"Em"},"text":8,"calls":1}]}])"),
            Json::parse(R"([{"role":"assistant","content":[
    {"type":"thinking","thinking":"hm","signature":"Eq/4+Ag=="},
    {"type":"text","text":"Grüße."},
    {"type":"tool_use","id":"t1","name":"x","input":{}},
    {"type":"redacted_thinking","data":"Em"},
    {"type":"text","text":"Now"},
    {"type":"tool_use","id":"t2","name":"y","input":{}}]}])"));
}

TEST(Messages, LeaveOutWhatOtherProvidersKept) {
  EXPECT_EQ(turns(R"([{"role":"assistant","text":"a","reasoning":"unsigned",
                       "kept":[{"gemini":[{}]},7,{"anthropic":null},{"text":9}]}])"),
            Json::parse(R"([{"role":"assistant","content":[{"type":"text","text":"a"}]}])"));
}

TEST(Messages, SurvivePlacesBeyondTheMessage) {
  EXPECT_EQ(turns(R"([{"role":"assistant","text":"ab","toolCalls":[
                         {"id":"t","name":"x","arguments":{}}],
                       "kept":[{"anthropic":{"n":1},"text":99,"calls":99},
                               {"anthropic":{"n":2},"text":1,"calls":0}]}])"),
            Json::parse(R"([{"role":"assistant","content":[
    {"type":"text","text":"ab"},{"type":"tool_use","id":"t","name":"x","input":{}},
    {"n":1},{"n":2}]}])"));
}

TEST(Messages, LeaveOutAThoughtWithoutWords) {
  EXPECT_EQ(turns(R"([{"role":"user","text":"a"},
                      {"role":"assistant","text":"","kept":[{"anthropic":{"n":1}}]}])"),
            Json::parse(R"([{"role":"user","content":[{"type":"text","text":"a"}]}])"));
}

TEST(Messages, MakeIdsOfOtherProvidersFit) {
  const Json out = turns(R"([
    {"role":"assistant","text":"","toolCalls":[
      {"id":"functions.grep:0","name":"x","arguments":{}}]},
    {"role":"tool","toolCallId":"functions.grep:0","name":"x","text":"r"}])");
  EXPECT_EQ(out[0]["content"][0]["id"], "functions_grep_0");
  EXPECT_EQ(out[1]["content"][0]["tool_use_id"], "functions_grep_0");
}

TEST(Messages, SayOfAFailureWithoutWordsThatItFailed) {
  const Json out = turns(R"([{"role":"tool","toolCallId":"t","name":"x","text":"","failed":true},
                             {"role":"tool","toolCallId":"u","name":"x","text":""}])");
  EXPECT_EQ(out[0]["content"][0]["content"], "The tool failed and did not say why.");
  EXPECT_FALSE(out[0]["content"][1].contains("content"));
}

TEST(Messages, AreMarkedAtTheEndOfTheLastTwoUserTurns) {
  Json out = turns(R"([{"role":"user","text":"1"},{"role":"assistant","text":"a"},
                       {"role":"user","text":"2"},{"role":"assistant","text":"b"},
                       {"role":"user","text":"3"},{"role":"user","text":"4"}])");
  mark_history(out);
  std::string marks;
  for (const Json& turn : out) {
    for (const Json& block : turn["content"]) {
      if (block.contains("cache_control")) marks += block["text"].get<std::string>();
    }
  }
  EXPECT_EQ(marks, "24");
  Json none = Json::array();
  mark_history(none);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace quarry::anthropic
