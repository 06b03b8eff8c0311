#include "runner/strikes.h"

#include "base/file.h"
#include "base/testing/fake_clock.h"

#include <filesystem>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::runner {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(Strikes, DelayTheNextStartFromTheSecondCrash) {
  FakeClock clock;
  Strikes strikes(clock, "", "a");
  EXPECT_EQ(strikes.wait(), 0ms);
  EXPECT_THAT(strikes.add(), HasSubstr("if this repeats"));
  EXPECT_EQ(strikes.wait(), 0ms);
  strikes.add();
  EXPECT_EQ(strikes.wait(), 1000ms);
  clock.advance(400ms);
  EXPECT_EQ(strikes.wait(), 600ms);
  clock.advance(1h);
  EXPECT_EQ(strikes.wait(), 0ms);
}

TEST(Strikes, ThreeWithinTheWindowAreAQuarantine) {
  FakeClock clock;
  Strikes strikes(clock, "", "a");
  strikes.add();
  strikes.add();
  EXPECT_FALSE(strikes.quarantined());
  EXPECT_THAT(strikes.add(), HasSubstr("until its file changes"));
  EXPECT_TRUE(strikes.quarantined());
}

TEST(Strikes, HaveLimitsOfTheirOwner) {
  FakeClock clock;
  Strikes strikes(clock, "", "a", {.most = 5, .first_delay = 0s});
  for (int i = 0; i < 4; ++i) strikes.add();
  EXPECT_EQ(strikes.wait(), 0ms);
  EXPECT_FALSE(strikes.quarantined());
  strikes.add();
  EXPECT_TRUE(strikes.quarantined());
  EXPECT_THAT(quarantined("x", {.most = 5}).message, HasSubstr("crashed 5 times"));
}

TEST(Strikes, AreForgottenAfterTheWindow) {
  FakeClock clock;
  Strikes strikes(clock, "", "a");
  for (int i = 0; i < 10; ++i) {
    strikes.add();
    clock.advance(Strikes::kWindow / 2);
  }
  EXPECT_FALSE(strikes.quarantined());
}

TEST(Strikes, AQuarantineIsThatOfTheFileAndIsKept) {
  const auto root = *make_temp_directory(fs::temp_directory_path(), "quarry-strikes-");
  const auto list = root / "state" / "quarantined";
  FakeClock clock;
  for (const auto* digest : {"a", "b"}) {
    Strikes strikes(clock, list, digest);
    EXPECT_FALSE(strikes.quarantined());
    for (int i = 0; i < 3; ++i) strikes.add();
  }
  EXPECT_TRUE(Strikes(clock, list, "a").quarantined());
  EXPECT_TRUE(Strikes(clock, list, "b").quarantined());
  EXPECT_FALSE(Strikes(clock, list, "c").quarantined());
  fs::remove_all(root);
}

TEST(Strikes, AReleaseEndsAQuarantineInEveryProcess) {
  FakeClock clock;
  const auto root = *make_temp_directory(fs::temp_directory_path(), "quarry-strikes-");
  const fs::path list = root / "list";
  Strikes here(clock, list, "a");
  for (int i = 0; i < 3; ++i) here.add();
  Strikes other(clock, list, "b");
  for (int i = 0; i < 3; ++i) other.add();
  EXPECT_TRUE(release(list, "a").value_or(false));
  EXPECT_FALSE(release(list, "a").value_or(true)) << "it is not there any more";
  EXPECT_FALSE(here.quarantined());
  EXPECT_EQ(here.wait(), 0ms);
  EXPECT_FALSE(Strikes(clock, list, "a").quarantined());
  EXPECT_TRUE(other.quarantined());
  fs::remove_all(root);
}

TEST(Strikes, CountAgainstTheInputFirst) {
  FakeClock clock;
  Strikes strikes(clock, "", "a");
  for (int i = 0; i < 2; ++i) EXPECT_THAT(strikes.add("bad"), HasSubstr("if this repeats"));
  EXPECT_EQ(strikes.by("bad"), 2u);
  EXPECT_FALSE(strikes.refuses("bad"));
  EXPECT_THAT(strikes.add("bad"), HasSubstr("not given this again for 10 minutes"));
  EXPECT_TRUE(strikes.refuses("bad"));
  EXPECT_EQ(strikes.by("good"), 0u);
  EXPECT_EQ(strikes.wait(), 0ms);
  EXPECT_FALSE(strikes.none());
  clock.advance(Strikes::kWindow);
  EXPECT_FALSE(strikes.refuses("bad"));
  EXPECT_TRUE(strikes.none());
}

TEST(Strikes, OfManyInputsCountAgainstThePlugin) {
  FakeClock clock;
  Strikes strikes(clock, "", "a");
  const CrashLimits limits;
  for (std::size_t i = 0; i < limits.most_inputs + limits.most; ++i) {
    EXPECT_FALSE(strikes.quarantined()) << i;
    strikes.add(std::to_string(i));
  }
  EXPECT_TRUE(strikes.quarantined());
}

TEST(Strikes, EndWithTheWindowIfTheyDoNotLast) {
  FakeClock clock;
  Strikes strikes(clock, "", "a", {.lasts = false});
  for (int i = 0; i < 3; ++i) strikes.add();
  EXPECT_TRUE(strikes.quarantined());
  clock.advance(Strikes::kWindow);
  EXPECT_FALSE(strikes.quarantined());
}

TEST(Strikes, OfAnUnexplainedCrashWaitForItsCalls) {
  FakeClock clock;
  const auto strikes = std::make_shared<Strikes>(clock, "", "a");
  auto explained = std::make_shared<UnexplainedCrash>(strikes);
  auto unexplained = std::make_shared<UnexplainedCrash>(strikes);
  auto other_call = unexplained;
  explained->explain();
  explained.reset();
  unexplained.reset();
  EXPECT_TRUE(strikes->none());
  other_call.reset();
  EXPECT_FALSE(strikes->none());
}

TEST(Strikes, AQuarantineIsKnownWithoutARunner) {
  const auto root = *make_temp_directory(fs::temp_directory_path(), "quarry-strikes-");
  EXPECT_FALSE(is_quarantined(root / "none", "a"));
  EXPECT_FALSE(is_quarantined("", "a"));
  ASSERT_TRUE(write_file_atomically(root / "list", "a\nb\n"));
  EXPECT_TRUE(is_quarantined(root / "list", "b"));
  EXPECT_FALSE(is_quarantined(root / "list", "c"));
  fs::remove_all(root);
}

}  // namespace
}  // namespace quarry::runner
