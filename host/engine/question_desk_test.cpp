#include "engine/question_desk.h"

#include "ask/testing.h"

namespace quarry::engine {
namespace {

using namespace std::chrono_literals;
using ask::testing::say;

struct Desk : ::testing::Test {
  ~Desk() override { desk.close(0ms); }

  /// Asks and waits for the end.
  std::string ask(const std::string& answer, Keep keep = {}) {
    auto id = desk.start(house.request({say(answer)}), 8, keep, nullptr);
    EXPECT_TRUE(id) << id.error().message;
    wait_until_idle();
    return *id;
  }
  void wait_until_idle() const {
    while (desk.running() > 0) std::this_thread::yield();
  }

  ask::testing::TestHouse house;
  QuestionDesk desk{house.house()};
};

TEST_F(Desk, KeepsTheEventsOfAQuestionThatHasEndedAndNothingElse) {
  const auto state = std::make_shared<int>(0);
  const auto id = desk.start(house.request({say("a")}), 8, {}, state);
  ASSERT_TRUE(id);
  wait_until_idle();
  while (state.use_count() > 1) std::this_thread::yield();
  ASSERT_NE(desk.log_of(*id), nullptr);
  EXPECT_TRUE(desk.log_of(*id)->finished());
  EXPECT_TRUE(desk.stop(*id)) << "it is known, and has nothing left to stop";
}

TEST_F(Desk, ForgetsTheOldestQuestionsWhenTheirEventsNeedTooMuchRoom) {
  const std::string long_answer(100'000, 'x');
  const Keep keep{.time = 600s, .bytes = 250'000};
  const std::string first = ask(long_answer, keep);
  const auto reader = desk.log_of(first);
  const std::string second = ask("short", keep);
  const std::string third = ask(long_answer, keep);
  EXPECT_EQ(desk.log_of(first), nullptr);
  EXPECT_FALSE(desk.stop(first));
  EXPECT_NE(desk.log_of(second), nullptr);
  EXPECT_NE(desk.log_of(third), nullptr);
  EXPECT_EQ(reader->text_of(ask::EventType::kTextDelta), long_answer) << "whoever reads it goes on";
}

TEST_F(Desk, KeepsTheLastQuestionHoweverLargeItIs) {
  const std::string id = ask(std::string(100'000, 'x'), {.time = 600s, .bytes = 1});
  EXPECT_NE(desk.log_of(id), nullptr);
}

TEST_F(Desk, ForgetsAQuestionWhenItsTimeIsOver) {
  const std::string id = ask("a", {.time = 0s, .bytes = 1 << 20});
  while (desk.log_of(id)) std::this_thread::yield();
  EXPECT_FALSE(desk.stop(id));
}

TEST_F(Desk, RefusesMoreQuestionsThanMayRun) {
  house.library.hang = true;
  const auto running = desk.start(house.request({say("a")}), 1, {}, nullptr);
  ASSERT_TRUE(running);
  const auto refused = desk.start(house.request({say("b")}), 1, {}, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().tag, "RateLimitError");
  EXPECT_TRUE(desk.stop(*running));
  wait_until_idle();
}

TEST_F(Desk, RefusesEveryQuestionOnceItIsClosed) {
  desk.close(0ms);
  const auto refused = desk.start(house.request({say("a")}), 8, {}, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
}

}  // namespace
}  // namespace quarry::engine
