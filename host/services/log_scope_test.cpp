#include "services/log_scope.h"

#include "services/growing_pool.h"

#include <functional>
#include <future>
#include <thread>

#include <gtest/gtest.h>

namespace quarry::services {
namespace {

std::shared_ptr<const LogSubject> about(std::string question) {
  return std::make_shared<const LogSubject>(LogSubject{.question = std::move(question)});
}

std::string current_question() {
  const auto subject = LogScope::current();
  return subject ? subject->question : "";
}

TEST(LogScope, IsTheInnermostOfItsThread) {
  EXPECT_EQ(LogScope::current(), nullptr);
  {
    const LogScope outer(about("a"));
    EXPECT_EQ(current_question(), "a");
    {
      const LogScope inner(about("b"));
      EXPECT_EQ(current_question(), "b");
      const LogScope none(nullptr);
      EXPECT_EQ(current_question(), "");
    }
    EXPECT_EQ(current_question(), "a");
    std::string elsewhere = "?";
    std::thread([&] { elsewhere = current_question(); }).join();
    EXPECT_EQ(elsewhere, "");
  }
  EXPECT_EQ(LogScope::current(), nullptr);
}

TEST(LogScope, BorrowsASubject) {
  const auto subject = about("a");
  {
    const LogScope scope(std::cref(subject));
    EXPECT_EQ(LogScope::current(), subject);
    EXPECT_EQ(subject.use_count(), 1);
  }
  EXPECT_EQ(LogScope::current(), nullptr);
}

TEST(LogScope, GoesAlongWithAJob) {
  std::string seen;
  std::function<void()> job;
  {
    const LogScope scope(about("a"));
    job = with_current_subject([&] { seen = current_question(); });
  }
  const LogScope other(about("b"));
  job();
  EXPECT_EQ(seen, "a");
  EXPECT_EQ(current_question(), "b");
}

/// The thread of a job keeps nothing for the next one.
TEST(LogScope, IsThatOfTheSubmitterInAnExecutor) {
  GrowingPool pool("test", 1);
  LogScopeExecutor executor(pool);
  EXPECT_EQ(executor.concurrency(), 1u);
  const auto seen_by_job = [&] {
    auto seen = std::make_shared<std::promise<std::string>>();
    executor.submit([seen] { seen->set_value(current_question()); });
    return seen->get_future().get();
  };
  {
    const LogScope scope(about("a"));
    EXPECT_EQ(seen_by_job(), "a");
  }
  EXPECT_EQ(seen_by_job(), "");
  bool blocked = false;
  executor.block([&] { blocked = true; });
  EXPECT_TRUE(blocked);
}

}  // namespace
}  // namespace quarry::services
