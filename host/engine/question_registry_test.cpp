#include "engine/question_registry.h"

#include "ask/testing/test_services.h"
#include "base/testing/waiting.h"

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
    wait_until([this] { return registry.running() == 0; });
  }

  ask::testing::TestServices services;
  QuestionRegistry registry{services.services()};
};

TEST_F(QuestionRegistryTest, KeepsTheEventsOfAQuestionThatHasEndedAndNothingElse) {
  const auto state = std::make_shared<int>(0);
  const auto id = registry.start(services.request({say("a")}), 8, {}, state);
  ASSERT_TRUE(id);
  wait_until_idle();
  wait_until([&] { return state.use_count() == 1; });
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
  EXPECT_EQ(reader->text_of(EventType::kTextDelta), long_answer) << "readers can continue";
}

TEST_F(QuestionRegistryTest, KeepsTheLastQuestionHoweverLargeItIs) {
  const std::string id = ask(std::string(100'000, 'x'), {.time = 600s, .bytes = 1});
  EXPECT_NE(registry.log_of(id), nullptr);
}

TEST_F(QuestionRegistryTest, ForgetsAQuestionWhenItsTimeIsOver) {
  const std::string id = ask("a", {.time = 0s, .bytes = 1 << 20});
  wait_until([&] { return registry.log_of(id) == nullptr; });
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

struct ReplicaTest : QuestionRegistryTest {
  /// A replica of the question "q".
  bool add(std::chrono::milliseconds keep = 1min) {
    return registry.add_replica({"q", "token", log, cited, keep},
                                [this](ask::StopReason reason) { reasons.push_back(reason); });
  }
  std::shared_ptr<ask::EventLog> log = ask::testing::make_log(1000);
  std::shared_ptr<ask::CitedSources> cited = std::make_shared<ask::CitedSources>();
  std::vector<ask::StopReason> reasons;
};

TEST_F(ReplicaTest, IsAQuestionThatDoesNotCount) {
  ASSERT_TRUE(add());
  EXPECT_FALSE(add()) << "the id is known";
  EXPECT_EQ(registry.log_of("q"), log);
  EXPECT_EQ(registry.cited_by("q"), cited);
  EXPECT_EQ(registry.bearer_of("q"), "token");
  EXPECT_TRUE(registry.is_running("q"));
  EXPECT_EQ(registry.running(), 0);
  registry.replica_ended("q");
  EXPECT_FALSE(registry.is_running("q"));
  EXPECT_EQ(registry.log_of("q"), log) << "it can be read";
}

TEST_F(ReplicaTest, IsStoppedByTheProcessThatAnswers) {
  ASSERT_TRUE(add());
  EXPECT_TRUE(registry.stop("q"));
  registry.stop_all_of("another");
  registry.stop_all_of("token");
  EXPECT_EQ(reasons, (std::vector{ask::StopReason::kAsked, ask::StopReason::kWithdrawn}));
  registry.close(0ms);  // does not wait for it
  EXPECT_EQ(reasons.back(), ask::StopReason::kShutdown);
  registry.replica_ended("q");
  EXPECT_TRUE(registry.stop("q"));
  EXPECT_EQ(reasons.size(), 3) << "it has ended";
}

TEST_F(ReplicaTest, IsWaitedFor) {
  ASSERT_TRUE(add());
  registry.wait_until_idle(1ms);
  EXPECT_TRUE(registry.is_running("q"));
  std::thread ends([this] { registry.replica_ended("q"); });
  registry.wait_until_idle(1h);
  ends.join();
  EXPECT_FALSE(registry.is_running("q"));
}

TEST_F(ReplicaTest, IsNotWaitedForWhileTheRegistryCloses) {
  ASSERT_TRUE(add());
  std::thread closes([this] { registry.close(0ms); });
  registry.wait_until_idle(1h);
  closes.join();
  registry.replica_ended("q");
}

TEST_F(ReplicaTest, IsForgottenWhenItsTimeIsOver) {
  ASSERT_TRUE(add(0ms));
  registry.replica_ended("q");
  wait_until([this] { return registry.log_of("q") == nullptr; });
}

TEST_F(ReplicaTest, EveryQuestionIsToldToAFollower) {
  const std::string over = ask("a", {.time = 100h});
  ASSERT_TRUE(add(3s));
  std::map<std::string, KnownQuestion> told;
  registry.follow([&](const KnownQuestion& question) { told[question.id] = question; });
  EXPECT_EQ(told.size(), 2);
  EXPECT_LE(told[over].keep, 100h);
  EXPECT_GT(told[over].keep, 99h);
  EXPECT_EQ(told["q"].keep, 3s);
  EXPECT_EQ(told["q"].bearer, "token");
  EXPECT_EQ(told["q"].log, log);
  EXPECT_EQ(told["q"].cited, cited);
  const std::string next = ask("b");
  EXPECT_TRUE(told.contains(next));
  registry.follow(nullptr);
  const std::string untold = ask("c");
  EXPECT_FALSE(told.contains(untold));
  registry.replica_ended("q");
}

TEST_F(QuestionRegistryTest, RefusesEveryQuestionOnceItIsClosed) {
  registry.close(0ms);
  const auto refused = registry.start(services.request({say("a")}), 8, {}, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
}

}  // namespace
}  // namespace quarry::engine
