#include "resources/testing/setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

using ::testing::HasSubstr;

PrepareOptions locked(const std::string& id, std::string integrity = "") {
  PrepareOptions prepare_options;
  prepare_options.locked = version_of(id, false, "version " + id);
  prepare_options.locked->integrity = std::move(integrity);
  return prepare_options;
}

TEST(Locked, IsFetchedWithoutAskingWhatIsCurrent) {
  Setting setting;
  setting.fake->version = version_of("v2", true, "version 2");
  const auto prepared = setting.prepare(kFake, locked("v1"));
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ(prepared->version, "v1");
  EXPECT_EQ(setting.fake->resolved, 0);
}

TEST(Locked, IsFetchedOnceAndAnsweredWhateverIsCurrent) {
  Setting setting;
  ASSERT_TRUE(setting.sync());
  setting.fake->version = version_of("v2", true, "version 2");
  setting.fake->files = {{"a.txt", "beta\n"}};
  ASSERT_TRUE(setting.sync());
  setting.reopen();
  for (int i = 0; i < 2; ++i) {
    const auto prepared = setting.prepare(kFake, locked("v1"));
    EXPECT_EQ(text_of(*prepared, "a.txt"), "alpha\n");
    EXPECT_EQ(prepared->stale, "");
  }
  EXPECT_EQ(text_of(*setting.prepare(), "a.txt"), "beta\n") << "it is not the current one";
  EXPECT_EQ(setting.fake->fetched, 2);
}

TEST(Locked, IsNotTakenForTheCurrentVersion) {
  Setting setting;
  ASSERT_TRUE(setting.prepare(kFake, locked("v0")));
  EXPECT_EQ(setting.prepare()->version, "v1");
  setting.fake->resolve_error = Error{Code::kUnavailable, "offline"};
  ASSERT_TRUE(setting.prepare(kFake, locked("v0")));
  EXPECT_EQ(setting.sync()->version, "v1");
}

TEST(Locked, AnswersWhenTheSourceIsGone) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  setting.clock.advance(std::chrono::hours(1000));
  setting.fake->resolve_error = Error{Code::kUnavailable, "offline"};
  EXPECT_EQ(setting.prepare(kFake, locked("v1"))->stale, "");
}

TEST(Locked, SaysWhatMovedWhenItCannotBeHad) {
  Setting setting;
  setting.fake->version = version_of("v2", true, "version 2");
  setting.fake->refuse_version = [](const plugins::ResourceVersion& wanted) {
    return wanted.id == "v1" ? std::optional(Error{Code::kNotFound, "there is no v1"})
                             : std::nullopt;
  };
  ASSERT_TRUE(setting.prepare());
  const auto prepared = setting.prepare(kFake, locked("v1"));
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, Code::kInvalidArgument);
  EXPECT_EQ(prepared.error().tag, "CollectionError");
  EXPECT_EQ(
      prepared.error().message,
      "resource \"docs\": the locked version version v1 is not available: there is no v1; its "
      "source is at version 2 now");
  EXPECT_THAT(prepared.error().hint, HasSubstr("quarry lock"));
}

TEST(Locked, SaysThatTheIntegrityDiffers) {
  Setting setting;
  setting.fake->version.integrity = "sha512-new";
  ASSERT_TRUE(setting.prepare());
  setting.fake->refuse_version = [](const plugins::ResourceVersion& wanted) {
    return wanted.integrity == "sha512-new"
               ? std::nullopt
               : std::optional(Error{Code::kInvalidArgument, "the integrity differs"});
  };
  const auto prepared = setting.prepare(kFake, locked("v1", "sha512-old"));
  ASSERT_FALSE(prepared) << "the existing snapshot has another integrity";
  EXPECT_THAT(prepared.error().message, HasSubstr("sha512-old"));
  EXPECT_THAT(prepared.error().message, HasSubstr("sha512-new"));
  EXPECT_TRUE(setting.prepare(kFake, locked("v1", "sha512-new")));
}

TEST(Locked, DoesNotTakeALostConnectionForAMove) {
  Setting setting;
  setting.fake->fetch_error = Error{Code::kUnavailable, "connection lost", "Try again."};
  const auto prepared = setting.prepare(kFake, locked("v1"));
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, Code::kUnavailable);
  EXPECT_EQ(prepared.error().hint, "Try again.");
  EXPECT_EQ(setting.fake->resolved, 0);
}

TEST(Locked, IsFetchedOnceForAllWhoAsk) {
  Setting setting(4);
  std::vector<std::future<Result<Prepared>>> asked;
  for (int i = 0; i < 6; ++i) asked.push_back(setting.start(kFake, {}, nullptr, locked("v1")));
  for (auto& one : asked) EXPECT_TRUE(one.get());
  EXPECT_EQ(setting.fake->fetched, 1);
}

}  // namespace
}  // namespace quarry::resources
