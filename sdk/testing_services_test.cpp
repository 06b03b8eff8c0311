#include <quarry/secrets.hpp>
#include <quarry/testing_host.hpp>
#include <quarry/testing_services.hpp>

#include <fstream>

namespace {

using quarry::testing::FakeCall;
using quarry::testing::FakeClock;
using quarry::testing::FakeHost;
using quarry::testing::FakePaths;
using quarry::testing::FakeSecrets;

TEST(KitPaths, AreDirectoriesOfTheOwnerUntilTheEnd) {
  namespace fs = std::filesystem;
  fs::path cache;
  {
    FakePaths paths;
    cache = std::string(quarry::as_view(paths.get()->cache(paths.get())));
    EXPECT_EQ(cache, paths.cache());
    EXPECT_EQ(quarry::as_view(paths.get()->data(paths.get())), paths.data().string());
    EXPECT_NE(cache, paths.data());
    EXPECT_TRUE(cache.is_absolute());
    EXPECT_EQ(fs::status(cache).permissions(), fs::perms::owner_all);
    std::ofstream(cache / "file") << "text";
  }
  EXPECT_FALSE(fs::exists(cache.parent_path()));
}

TEST(KitPaths, MayBeUnavailable) {
  FakePaths paths;
  paths.unavailable = true;
  EXPECT_EQ(quarry::as_view(paths.get()->cache(paths.get())), "");
  EXPECT_EQ(quarry::as_view(paths.get()->data(paths.get())), "");
}

class KitSecrets : public ::testing::Test {
 protected:
  KitSecrets() {
    fake_.offer(QUARRY_SECRETS, secrets_.get());
    secrets_.values = {{"KEY", "a \"b\"\n"}, {"UNSET", std::nullopt}, {"EMPTY", ""}};
  }

  quarry::Outcome<std::string> find(const char* name) {
    return quarry::secret(host_, quarry::Call(call_.get()), name);
  }

  FakeHost fake_;
  quarry::Host host_{fake_.get()};
  FakeCall call_;
  FakeSecrets secrets_;
};

TEST_F(KitSecrets, HaveTheirValues) {
  ASSERT_TRUE(find("KEY"));
  EXPECT_EQ(*find("KEY"), "a \"b\"\n");
}

TEST_F(KitSecrets, AreRefusedAsTheHostRefusesThem) {
  EXPECT_EQ(find("OTHER").failure().status, QUARRY_PERMISSION_DENIED);
  EXPECT_EQ(find("OTHER").failure().message, "the manifest does not list the secret 'OTHER'");
  EXPECT_EQ(find("UNSET").failure().status, QUARRY_NOT_FOUND);
  EXPECT_EQ(find("UNSET").failure().message, "secret 'UNSET' is not configured");
  EXPECT_EQ(find("EMPTY").failure().message, "secret 'EMPTY' is empty");
}

TEST_F(KitSecrets, NeedACall) {
  const quarry::detail::Heard heard;
  secrets_.get()->get(secrets_.get(), nullptr, quarry::as_text("KEY"), heard.reply());
  EXPECT_EQ(heard.outcome().failure().status, QUARRY_INVALID_ARGUMENT);
}

TEST_F(KitSecrets, KeepTextsToHide) {
  quarry::hide(host_, "one");
  quarry::hide(host_, "two");
  EXPECT_EQ(secrets_.hidden(), (std::vector<std::string>{"one", "two"}));
}

class KitClock : public ::testing::Test {
 protected:
  quarry_status sleep(std::int64_t milliseconds) {
    return clock_.get()->sleep(clock_.get(), call_.get(), milliseconds);
  }
  std::int64_t wall() { return clock_.get()->wall_ms(clock_.get()); }
  std::int64_t steady() { return clock_.get()->steady_ns(clock_.get()); }

  FakeCall call_;
  FakeClock clock_{5000};
};

TEST_F(KitClock, StandsStillUntilItIsAdvanced) {
  EXPECT_EQ(wall(), 5000);
  EXPECT_EQ(wall(), 5000);
  const auto before = steady();
  clock_.advance(std::chrono::milliseconds(250));
  EXPECT_EQ(wall(), 5250);
  EXPECT_EQ(steady() - before, 250'000'000);
}

TEST_F(KitClock, SetsTheWallAlone) {
  const auto before = steady();
  clock_.set_wall(1000);
  EXPECT_EQ(wall(), 1000);
  EXPECT_EQ(steady(), before);
}

TEST_F(KitClock, ASleepAdvancesItAndEndsWithTheCall) {
  EXPECT_EQ(sleep(100), QUARRY_OK);
  EXPECT_EQ(wall(), 5100);
  call_.cancel_after(0);
  EXPECT_EQ(sleep(100), QUARRY_CANCELLED);
  EXPECT_EQ(wall(), 5100);
  EXPECT_EQ(clock_.sleeps(), (std::vector<std::int64_t>{100, 100}));
}

TEST_F(KitClock, ASleepEndsAtTheDeadline) {
  const FakeHost host;
  const quarry::OpenedCall part(quarry::Host(host.get()), nullptr, std::chrono::hours(1));
  const auto slept = clock_.get()->sleep(clock_.get(), part.call().get(), 7'200'000);
  EXPECT_EQ(slept, QUARRY_DEADLINE_EXCEEDED);
  EXPECT_LE(wall(), 5000 + 3'600'000);
  EXPECT_EQ(clock_.get()->sleep(clock_.get(), nullptr, 1), QUARRY_INVALID_ARGUMENT);
}

}  // namespace
