#include "engine/question_registry.h"

#include "ask/testing/test_services.h"

namespace quarry::engine {
namespace {

using namespace std::chrono_literals;
using ask::testing::say;

struct QuestionRegistryTest : ::testing::Test {
  ~QuestionRegistryTest() override { registry.close(0ms); }

  /// Asks one question and waits for its end.
  std::string ask(const std::string& answer, Retention keep = {}) {
    auto id = registry.start(services.request({say(answer)}), 8, keep, nullptr);
    EXPECT_TRUE(id) << id.error().message;
    wait_until_idle();
    return *id;
  }
  void wait_until_idle() const {
    while (registry.running() > 0) std::this_thread::yield();
  }

  ask::testing::TestServices services;
  QuestionRegistry registry{services.services()};
};

TEST_F(QuestionRegistryTest, KeepsTheEventsOfAQuestionThatHasEndedAndNothingElse) {
  const auto state = std::make_shared<int>(0);
  const auto id = registry.start(services.request({say("a")}), 8, {}, state);
  ASSERT_TRUE(id);
  wait_until_idle();
  while (state.use_count() > 1) std::this_thread::yield();
  ASSERT_NE(registry.log_of(*id), nullptr);
  EXPECT_TRUE(registry.log_of(*id)->finished());
  EXPECT_TRUE(registry.stop(*id)) << "it is known, and has nothing left to stop";
}

TEST_F(QuestionRegistryTest, ForgetsTheOldestQuestionsWhenTheirEventsNeedTooMuchSpace) {
  const std::string long_answer(100'000, 'x');
  const Retention keep{.time = 600s, .bytes = 250'000};
  const std::string first = ask(long_answer, keep);
  const auto reader = registry.log_of(first);
  const std::string second = ask("short", keep);
  const std::string third = ask(long_answer, keep);
  EXPECT_EQ(registry.log_of(first), nullptr);
  EXPECT_FALSE(registry.stop(first));
  EXPECT_NE(registry.log_of(second), nullptr);
  EXPECT_NE(registry.log_of(third), nullptr);
  EXPECT_EQ(reader->text_of(ask::EventType::kTextDelta), long_answer) << "readers can continue";
}

TEST_F(QuestionRegistryTest, KeepsTheLastQuestionHoweverLargeItIs) {
  const std::string id = ask(std::string(100'000, 'x'), {.time = 600s, .bytes = 1});
  EXPECT_NE(registry.log_of(id), nullptr);
}

TEST_F(QuestionRegistryTest, ForgetsAQuestionWhenItsTimeIsOver) {
  const std::string id = ask("a", {.time = 0s, .bytes = 1 << 20});
  while (registry.log_of(id)) std::this_thread::yield();
  EXPECT_FALSE(registry.stop(id));
}

TEST_F(QuestionRegistryTest, RefusesMoreQuestionsThanMayRun) {
  services.library.hang = true;
  const auto running = registry.start(services.request({say("a")}), 1, {}, nullptr);
  ASSERT_TRUE(running);
  const auto refused = registry.start(services.request({say("b")}), 1, {}, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().tag, "RateLimitError");
  EXPECT_TRUE(registry.stop(*running));
  wait_until_idle();
}

TEST_F(QuestionRegistryTest, RefusesEveryQuestionOnceItIsClosed) {
  registry.close(0ms);
  const auto refused = registry.start(services.request({say("a")}), 8, {}, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
}

}  // namespace
}  // namespace quarry::engine
