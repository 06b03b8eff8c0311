// A crash of a runner costs its call and its input, and neither other calls nor other projects.
#include "base/testing/waiting.h"
#include "runner/runner.h"
#include "runner/testing/isolated_fixture.h"
#include "services/call_table.h"

#include <atomic>
#include <latch>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace quarry::runner {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// Files of a fetch that waits until it is told to go on, or is made again.
class WaitingFiles final : public KeptFiles {
 public:
  explicit WaitingFiles(std::latch& waiting) : waiting_(waiting) {}
  Result<bool> keep_file(std::string_view) override {
    if (!std::exchange(waits_, true)) waiting_.count_down();
    return restarts > 0 || goes_on;
  }
  std::atomic<bool> goes_on = false;

 private:
  std::latch& waiting_;
  bool waits_ = false;
};

const plugins::ResourceVersion kVersion{.id = "1", .display = "1"};

class CrashesOf : public Isolated {
 protected:
  void SetUp() override {
    Isolated::SetUp();
    runners_.crashed = [this](const std::string&) { crashes_ += 1; };
    const auto made = make();
    ASSERT_TRUE(made) << made.error().message;
    type_ = *made;
  }
  /// The resource number `number` of those that crash the plugin in `function`.
  static Json crashing(const std::string& function, int number) {
    Json out = resource(function + ":illegal");
    out["files"] = number;
    return out;
  }

  std::atomic<int> crashes_ = 0;
  std::shared_ptr<plugins::ResourceType> type_;
};

TEST_F(CrashesOf, OneCallOfSixCostTheOthersNothing) {
  std::latch waiting(5);
  std::vector<std::unique_ptr<WaitingFiles>> files;
  std::vector<std::jthread> fetches;
  for (int i = 0; i < 5; ++i) {
    files.push_back(std::make_unique<WaitingFiles>(waiting));
    fetches.emplace_back([this, &tree = *files.back()] {
      const auto fetched = type_->fetch({}, resource("waits"), kVersion, {}, tree);
      EXPECT_TRUE(fetched) << fetched.error().message;
    });
  }
  waiting.wait();
  KeptFiles none;
  const auto crashed = type_->fetch({}, crashing("fetch", 1), kVersion, {}, none);
  ASSERT_FALSE(crashed);
  EXPECT_THAT(crashed.error().message, HasSubstr("was killed by signal 4"));
  fetches.clear();
  for (const auto& tree : files) {
    EXPECT_EQ(tree->restarts, 1);
    EXPECT_EQ(tree->files.size(), 1u);
  }
  EXPECT_EQ(crashes_, 2) << "with the others, and alone";
  EXPECT_TRUE(type_->resolve({}, resource("nothing"), {})) << "the plugin itself has no strike";
}

TEST_F(CrashesOf, ACancelledCallThatIgnoresItCostTheOthersNothing) {
  std::latch waiting(1);
  WaitingFiles files(waiting);
  std::jthread fetch([&] {
    const auto fetched = type_->fetch({}, resource("waits"), kVersion, {}, files);
    EXPECT_TRUE(fetched) << fetched.error().message;
  });
  waiting.wait();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(type_->resolve({.stop = stop.get_token()}, resource("resolve:hang"), {}));
  fetch.join();
  EXPECT_EQ(files.restarts, 1);
}

TEST_F(CrashesOf, OneInputCountAgainstItFirst) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(type_->resolve({}, crashing("resolve", 1), {}).error().message,
                HasSubstr("was killed by signal 4"));
  }
  const auto refused = type_->resolve({}, crashing("resolve", 1), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("it crashed 3 times by it within 10 minutes"));
  EXPECT_EQ(crashes_, 3);
  EXPECT_TRUE(type_->resolve({}, resource("nothing"), {})) << "without a delay";
  clock_.advance(Strikes::kWindow);
  EXPECT_THAT(type_->resolve({}, crashing("resolve", 1), {}).error().message,
              HasSubstr("was killed by signal 4"));
}

TEST_F(CrashesOf, AnInputThatIsSuspectedDisturbNobody) {
  ASSERT_FALSE(type_->resolve({}, crashing("resolve", 1), {}));
  std::latch waiting(1);
  WaitingFiles files(waiting);
  std::jthread fetch(
      [&] { EXPECT_TRUE(type_->fetch({}, resource("waits"), kVersion, {}, files)); });
  waiting.wait();
  EXPECT_FALSE(type_->resolve({}, crashing("resolve", 1), {}));
  files.goes_on = true;
  fetch.join();
  EXPECT_EQ(files.restarts, 0);
}

TEST_F(CrashesOf, AHundredByAProjectDisturbNoOtherAndNotTheOwner) {
  std::latch waiting(2);
  WaitingFiles others(waiting);
  WaitingFiles owners(waiting);
  std::jthread other([&] {
    EXPECT_TRUE(type_->fetch({.project = "other"}, resource("waits"), kVersion, {}, others));
  });
  std::jthread owner(
      [&] { EXPECT_TRUE(type_->fetch({}, resource("waits"), kVersion, {}, owners)); });
  waiting.wait();
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(type_->resolve({.project = "one"}, crashing("resolve", i), {}));
    ASSERT_TRUE(type_->resolve({.project = "other"}, resource("nothing"), {}));
    ASSERT_TRUE(type_->resolve({}, resource("nothing"), {}));
    clock_.advance(1s);
  }
  EXPECT_GE(crashes_, 10);
  others.goes_on = owners.goes_on = true;
  other.join();
  owner.join();
  EXPECT_EQ(others.restarts + owners.restarts, 0);
  EXPECT_FALSE(
      is_quarantined(runners_.quarantined_list,
                     plugins::read_manifest(root_ / "plugins/faulty/plugin.toml")->sha256));
  clock_.advance(Strikes::kWindow);
  EXPECT_TRUE(type_->resolve({.project = "one"}, resource("nothing"), {}));
}

/// Runners of the plugin, without the rest of the host.
class RunnersOf : public Isolated {
 protected:
  std::unique_ptr<Runner> make_runner() {
    auto made = std::make_unique<Runner>(
        plugins::read_manifest(root_ / "plugins/faulty/plugin.toml").value(), runners_);
    made->offer(kHostWithoutServices);
    return made;
  }
};

TEST_F(RunnersOf, AProjectAreItsOwn) {
  const auto runner = make_runner();
  const auto owner = *runner->shared();
  const auto one = *runner->shared("one");
  EXPECT_NE(one, owner);
  EXPECT_NE(*runner->shared("other"), one);
  EXPECT_EQ(*runner->shared("one"), one);
  EXPECT_EQ(*runner->shared(), owner);
}

TEST_F(RunnersOf, ProjectsEndWhenTheyAreNotUsed) {
  runners_.idle = 1ms;
  const auto runner = make_runner();
  auto used = *runner->shared("one");
  const std::weak_ptr<RunningPlugin> one = used;
  const std::weak_ptr<RunningPlugin> owner = *runner->shared();
  used.reset();
  wait_until([&] { return one.expired(); });
  EXPECT_FALSE(owner.expired());
  EXPECT_TRUE(runner->shared("one"));
}

TEST_F(RunnersOf, ProjectsAreBounded) {
  runners_.most_projects = 2;
  const auto runner = make_runner();
  const auto one = *runner->shared("one");
  auto two = *runner->shared("two");
  const services::Call over{.state = [] { return Code::kCancelled; }, .project = "three"};
  const services::CallRights none;
  const services::CallTable table(over, none);
  const auto refused = runner->shared("three", table.get());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kCancelled);
  const std::weak_ptr<RunningPlugin> unused = std::exchange(two, nullptr);
  EXPECT_TRUE(runner->shared("three")) << "in place of one that is not used";
  EXPECT_TRUE(unused.expired());
  EXPECT_TRUE(one->connection().alive());
}

TEST_F(RunnersOf, AProjectThatWaitHoldNoCallThatIsOver) {
  runners_.most_projects = 1;
  const auto runner = make_runner();
  const auto one = *runner->shared("one");
  std::latch waits(1);
  std::atomic<bool> is_over = false;
  const services::Call waiting{.state = [&, told = false]() mutable {
    if (!std::exchange(told, true)) waits.count_down();
    return is_over ? Code::kCancelled : Code::kOk;
  }};
  const services::Call over{.state = [] { return Code::kCancelled; }};
  const services::CallRights none;
  const services::CallTable waiting_table(waiting, none);
  const services::CallTable over_table(over, none);
  std::jthread other([&] { EXPECT_FALSE(runner->shared("two", waiting_table.get())); });
  waits.wait();
  const auto refused = runner->shared("two", over_table.get());
  is_over = true;
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kCancelled);
  EXPECT_THAT(refused.error().message, HasSubstr("is being started"));
}

}  // namespace
}  // namespace quarry::runner
