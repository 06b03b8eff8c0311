#include "engine/testing/engine_fixture.h"

#include <quarry/base64.hpp>

#include <gmock/gmock.h>

namespace quarry::engine {
namespace {

using testing::Answer;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::StreamServer;

/// An engine whose model server repeats the key that it gets, as `repeats` writes it.
struct RepeatedKeyTest : testing::EngineTest {
  using Form = std::function<std::string(const std::string& key)>;

  /// The last line of the answer of a server for the fixture's provider.
  static Answer refusal(const Form& form, int status) {
    return {.status = status,
            .body = to_text({{"error", "invalid key " + form(test_key())}}) + "\n"};
  }
  static std::string text_of(const std::vector<ask::testing::Event>& events) {
    std::string out;
    for (const auto& event : events) out += event.json.dump() + "\n";
    return out;
  }
};

const std::pair<const char*, RepeatedKeyTest::Form> kForms[] = {
    {"as it is", [](const std::string& key) { return key; }},
    {"in base64", [](const std::string& key) { return to_base64("user:" + key); }},
    {"percent-encoded",
     [](const std::string& key) {
       std::string out;
       for (const char c : key) out += c == '-' ? "%2D" : std::string(1, c);
       return out;
     }},
    {"as JSON in JSON",
     [](const std::string& key) { return R"({"authorization": "Bearer )" + key + "\"}"; }},
    {"cut", [](const std::string& key) { return key.substr(0, key.size() - 3) + "…"; }},
};

/// What none of the forms may leave behind.
std::vector<std::string> traces_of(const std::string& key) {
  return {key.substr(0, 20), to_base64("user:" + key).substr(8, 20), "canary%2D"};
}

void expect_no_trace(const std::string& text, const char* how) {
  EXPECT_THAT(text, HasSubstr("[secret ")) << how;
  for (const std::string& trace : traces_of(test_key())) {
    EXPECT_EQ(text.find(trace), std::string::npos) << how << ": " << trace;
  }
}

TEST_F(RepeatedKeyTest, IsInNoEventOfAQuestionThatFails) {
  for (const auto& [how, form] : kForms) {
    const StreamServer server(
        [&form](std::size_t, const std::string&) { return refusal(form, 401); });
    use_fixture(server.url());
    start();
    const auto all = ask({{"question", "How?"}});
    EXPECT_EQ(all.back().type, "error");
    expect_no_trace(text_of(all), how);
    engine.reset();
  }
}

TEST_F(RepeatedKeyTest, IsInNoAnswerOfAFallback) {
  for (const auto& [how, form] : kForms) {
    const StreamServer server(
        [&form](std::size_t, const std::string&) { return refusal(form, 402); });
    use_fixture(server.url(), "fallback = [\"extractive\"]\n");
    start();
    const auto all = ask({{"question", "How does the parser read tokens?"}});
    EXPECT_EQ(all.back().type, "done");
    expect_no_trace(text_of(all), how);
    engine.reset();
  }
}

TEST_F(RepeatedKeyTest, IsInNoFailureOfAMethod) {
  for (const auto& [how, form] : kForms) {
    const StreamServer server([&form](std::size_t, const std::string&) -> Answer {
      return {.status = 401, .body = form(test_key())};
    });
    configure("[model]\nprovider = \"fixture\"\nlists = true\nbase_url = \"" + server.url() +
              "\"\n");
    start();
    expect_no_trace(failure("question.ask", {{"question", "How?"}}).message, how);
    engine.reset();
  }
}

}  // namespace
}  // namespace quarry::engine
