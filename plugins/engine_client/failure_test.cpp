#include "engine_client/failure.h"

#include "engine_client/component.h"

#include <gtest/gtest.h>

namespace quarry::engine_client {
namespace {

TEST(Failure, IsCopiedWithItsDetails) {
  const quarry_failure given{
      sizeof(quarry_failure), QUARRY_NOT_FOUND, as_text("none"), as_text("look"),
      as_text(R"({"tag":"ConfigError","fields":[{"field":"/name","message":"is missing"}]})")};
  const Failure copy = Failure::copy(given);
  EXPECT_EQ(copy.status, QUARRY_NOT_FOUND);
  EXPECT_EQ(copy.tag, "ConfigError");
  EXPECT_EQ(copy.message, "none");
  EXPECT_EQ(copy.hint, "look");
  EXPECT_EQ(copy.fields, R"([{"field":"/name","message":"is missing"}])");
}

TEST(Failure, OfAnEventHasItsCode) {
  const Failure failure = Failure::of_event(
      R"({"type":"error","tag":"CollectionError","code":"unavailable","message":"m","hint":"h"})");
  EXPECT_EQ(failure.status, QUARRY_UNAVAILABLE);
  EXPECT_EQ(failure.tag, "CollectionError");
  EXPECT_EQ(failure.message, "m");
  EXPECT_EQ(failure.hint, "h");
  EXPECT_EQ(Failure::of_event(R"({"message":"m"})").status, QUARRY_INTERNAL);
  EXPECT_EQ(Failure::of_event("nonsense").message, "the question failed");
}

TEST(Failure, IsToldToTheHostWithTagAndFields) {
  const auto all = to_sdk_failure({QUARRY_NOT_FOUND, "ConfigError", "m", "h", "[1]"});
  EXPECT_EQ(all.status, QUARRY_NOT_FOUND);
  EXPECT_EQ(all.message + all.hint, "mh");
  EXPECT_EQ(all.details, R"({"tag":"ConfigError","fields":[1]})");
  EXPECT_EQ(to_sdk_failure({QUARRY_NOT_FOUND, "ConfigError", "m", {}, {}}).details,
            R"({"tag":"ConfigError"})");
  EXPECT_EQ(to_sdk_failure({QUARRY_INTERNAL, {}, "m", {}, {}}).details, "");
}

TEST(Failure, NamesStatusesAsTheWireDoes) {
  EXPECT_EQ(name_of(QUARRY_INVALID_ARGUMENT), "invalid_argument");
  EXPECT_EQ(name_of(QUARRY_INTERNAL), "internal");
  EXPECT_EQ(name_of(QUARRY_DATA_LOSS), "data_loss");
  EXPECT_EQ(name_of(999), "internal");
  EXPECT_EQ(Failure::of_event(R"({"message":"m","code":"data_loss"})").status, QUARRY_DATA_LOSS);
}

}  // namespace
}  // namespace quarry::engine_client
