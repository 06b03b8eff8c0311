#include "ask/resource_failure.h"

#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

const Error kGone(Code::kNotFound, "resource \"a\": the branch is gone", "Set another branch.");
const Error kAway(Code::kUnavailable, "resource \"b\": no route to host", "Check the network.");

TEST(ResourceFailure, OfOneResourceIsItsCause) {
  const Error error = resource_failure({kGone});
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_EQ(error.tag, "CollectionError");
  EXPECT_EQ(error.message, kGone.message);
  EXPECT_EQ(error.hint, kGone.hint);
}

TEST(ResourceFailure, OfSeveralNamesEachWithItsCause) {
  const Error error = resource_failure({kGone, kAway});
  EXPECT_EQ(error.tag, "CollectionError");
  EXPECT_EQ(error.message,
            "2 resources are unavailable: resource \"a\": the branch is gone; "
            "resource \"b\": no route to host");
  EXPECT_EQ(error.hint, "Set another branch. Check the network.");
}

TEST(ResourceFailure, SaysTheSameAdviceOnce) {
  Error again = kAway;
  again.message = "resource \"c\": no route to host";
  EXPECT_EQ(resource_failure({kAway, again}).hint, "Check the network.");
}

TEST(ResourceFailure, HasTheCodeThatAllHave) {
  EXPECT_EQ(resource_failure({kGone, kGone}).code, Code::kNotFound);
  EXPECT_EQ(resource_failure({kGone, kAway}).code, Code::kUnavailable);
}

}  // namespace
}  // namespace quarry::ask
