#include "model-openai/testing/steps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace quarry::openai {
namespace {

using testing::Words;
using Sink = quarry::testing::Sink;

/// The step of a stream with these values of "tool_calls", one in each chunk.
Sink::Step step_of_calls(const std::vector<std::string>& list) {
  std::string body;
  for (const std::string& calls : list) {
    body += R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[)" + calls + "]}}]}\n\n";
  }
  const testing::Component<quarry_model_v1> model(
      quarry_plugin_entry_v1, QUARRY_MODEL, "openai",
      R"({"base_url":"http://127.0.0.1:1/v1","api":"chat"})");
  body += "data: [DONE]\n\n";
  return exchange(model, testing::kAsked, {body});
}

TEST(ChatCalls, MayBeAsManyAsTheLimit) {
  constexpr std::uint32_t kMost = 128;
  std::vector<std::string> list;
  for (std::uint32_t i = 0; i < kMost; ++i) {
    const std::string index = "\"index\":" + std::to_string(i);
    list.push_back("{" + index + R"(,"function":{"name":"read","arguments":"{"}})");
    list.push_back("{" + index + R"(,"function":{"arguments":"}"}})");
  }
  const auto step = step_of_calls(list);
  EXPECT_EQ(step.errors, Words{});
  ASSERT_EQ(step.calls.size(), kMost);
  EXPECT_EQ(step.calls.at(kMost - 1).arguments, "{}");
}

// crmne/ruby_llm#591, JohnnyZ93/oai-compatible-copilot#49: Gemini refuses the result of a call
// whose signature is missing.
TEST(ChatCalls, KeepTheirSignatures) {
  const auto step =
      step_of_calls({R"({"index":0,"id":"a","function":{"name":"read","arguments":"{}"}})",
                     R"({"index":1,"id":"b","function":{"name":"list","arguments":"{}"},)"
                     R"("extra_content":{"google":{"thought_signature":"CvcBAR=="}}})"});
  ASSERT_EQ(step.kept.size(), 1u);
  const auto calls = testing::Json::parse(step.kept[0])["calls"];
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0], testing::Json::object());
  EXPECT_EQ(calls[1]["extra_content"]["google"]["thought_signature"], "CvcBAR==");
}

// To parse the arguments so far with each piece would take minutes.
TEST(ChatCalls, AreJoinedOfPiecesThatAllHaveTheName) {
  constexpr std::size_t kPieces = 50'000;
  std::vector<std::string> list;
  const auto add = [&](std::string_view arguments) {
    list.push_back(R"({"index":0,"function":{"name":"read","arguments":")" +
                   std::string(arguments) + R"("}})");
  };
  add(R"({\"path\":\"{)");
  for (std::size_t i = 0; i < kPieces; ++i) add("x");
  add(R"(\"})");
  add("{}");
  const auto step = step_of_calls(list);
  ASSERT_EQ(step.calls.size(), 2u);
  EXPECT_EQ(step.calls.at(0).arguments, R"({"path":"{)" + std::string(kPieces, 'x') + R"("})");
  EXPECT_EQ(step.calls.at(1).arguments, "{}");
}

TEST(ChatCalls, WithoutIdsAreToldApartByTheirNames) {
  for (const std::string index : {"", R"("index":0,)"}) {
    const auto begun = [&](const char* name) {
      return "{" + index + R"("function":{"name":")" + name + R"(","arguments":""}})";
    };
    const std::string more = "{" + index + R"("function":{"arguments":"{}"}})";
    const auto step =
        step_of_calls({begun("read"), more, begun("read"), begun("list"), more, begun("list")});
    ASSERT_EQ(step.calls.size(), 2u) << index;
    EXPECT_EQ(step.calls.at(0), (Sink::ToolCall{"", "read", "{}"})) << index;
    EXPECT_EQ(step.calls.at(1), (Sink::ToolCall{"", "list", "{}"})) << index;
  }
}

}  // namespace
}  // namespace quarry::openai
