#include "services/redactor.h"

#include <thread>

#include <gtest/gtest.h>

namespace quarry::services {
namespace {

TEST(Redactor, LeavesTextAloneWithoutSecrets) {
  EXPECT_EQ(Redactor().redact("sk-123456"), "sk-123456");
}

TEST(Redactor, ReplacesEveryOccurrence) {
  Redactor redactor;
  redactor.add("KEY", "sk-123456");
  EXPECT_EQ(redactor.redact("a sk-123456 b sk-123456"), "a [secret KEY] b [secret KEY]");
}

TEST(Redactor, PrefersTheLongerOfTwoSecrets) {
  Redactor redactor;
  redactor.add("SHORT", "sk-1");
  redactor.add("LONG", "sk-1-and-more");
  EXPECT_EQ(redactor.redact("sk-1-and-more sk-1"), "[secret LONG] [secret SHORT]");
}

TEST(Redactor, IgnoresValuesThatStandInEveryText) {
  Redactor redactor;
  redactor.add("KEY", "");
  redactor.add("KEY", "a");
  EXPECT_EQ(redactor.redact("banana"), "banana");
}

TEST(Redactor, CleansEveryPartOfAnError) {
  Redactor redactor;
  redactor.add("KEY", "sk-123456");
  Error error{Code::kInternal, "bad sk-123456", "drop sk-123456"};
  error.details.push_back({"/key", "is sk-123456"});
  const Error clean = redactor.redact(error);
  EXPECT_EQ(clean.message, "bad [secret KEY]");
  EXPECT_EQ(clean.hint, "drop [secret KEY]");
  EXPECT_EQ(clean.details[0].message, "is [secret KEY]");
}

TEST(Redactor, LearnsWhileOthersAsk) {
  Redactor redactor;
  std::jthread writer([&] {
    for (int i = 0; i < 100; ++i) redactor.add("K", "value-" + std::to_string(i));
  });
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(redactor.redact("nothing here").empty());
}

}  // namespace
}  // namespace quarry::services
