#include <quarry/testing.hpp>

namespace quarry::example {
namespace {

constexpr const char* kChat = R"({"model":"m","messages":[{"role":"user","text":"?"}]})";

struct Example : ::testing::Test {
  testing::Component<quarry_model_v1> model{quarry_plugin_entry_v1, QUARRY_MODEL, "example"};

  testing::Sink::Step read(std::string_view body) {
    return testing::exchange_cut_everywhere(model, kChat, body);
  }
};

TEST_F(Example, StreamsTextAndCountsAtTheEnd) {
  const auto step = read(
      "{\"text\":\"Good \"}\n{\"text\":\"morning.\"}\n{\"tokens\":{\"input\":3,\"output\":2}}\n");
  EXPECT_EQ(step.text, "Good morning.");
  EXPECT_EQ(step.input_tokens, 3);
  EXPECT_EQ(step.finishes, std::vector<quarry_finish>{QUARRY_FINISH_STOP});
}

TEST_F(Example, CallsTools) {
  const auto step =
      read("{\"call\":{\"name\":\"list\",\"arguments\":{\"path\":\"a\"}}}\n{\"tokens\":{}}\n");
  EXPECT_EQ(step.calls.at(0), (testing::Sink::ToolCall{"", "list", R"({"path":"a"})"}));
  EXPECT_EQ(step.finishes, std::vector<quarry_finish>{QUARRY_FINISH_TOOL_CALLS});
}

}  // namespace
}  // namespace quarry::example
