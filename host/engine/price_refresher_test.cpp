#include "engine/price_refresher.h"

#include "services/workers.h"

#include <functional>
#include <future>
#include <thread>

#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

using plugins::Refreshed;
using std::chrono::milliseconds;

class Scripted final : public plugins::PricingCatalogue {
 public:
  using Answer = std::function<Result<Refreshed>(int number, const services::Call&)>;
  explicit Scripted(Answer answer) : answer_(std::move(answer)) {}

  Result<std::optional<plugins::ModelRates>> rates(std::string_view, std::string_view) override {
    return std::optional<plugins::ModelRates>();
  }
  Result<Refreshed> refresh(const services::Call& call) override {
    int number = 0;
    {
      const std::lock_guard lock(mutex_);
      number = ++calls_;
      called_.notify_all();
    }
    return answer_(number, call);
  }
  void wait_for(int calls) {
    std::unique_lock lock(mutex_);
    called_.wait(lock, [&] { return calls_ >= calls; });
  }
  int calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

 private:
  Answer answer_;
  std::mutex mutex_;
  std::condition_variable called_;
  int calls_ = 0;
};

struct Refresher : ::testing::Test {
  std::shared_ptr<Scripted> add(Scripted::Answer answer) {
    auto made = std::make_shared<Scripted>(std::move(answer));
    const std::lock_guard lock(mutex);
    catalogues.push_back(made);
    return made;
  }
  PriceRefresher::Parts parts(milliseconds retry = milliseconds(1)) {
    return {.catalogues =
                [this] {
                  const std::lock_guard lock(mutex);
                  return catalogues;
                },
            .warn =
                [this](std::string_view problem) {
                  const std::lock_guard lock(mutex);
                  problems.emplace_back(problem);
                },
            .retry = retry};
  }
  std::vector<std::string> told() {
    const std::lock_guard lock(mutex);
    return problems;
  }

  std::mutex mutex;
  plugins::PricingCatalogues catalogues;
  std::vector<std::string> problems;
};

Result<Refreshed> again(milliseconds next) {
  return Refreshed{.changed = true, .next = next};
}
Result<Refreshed> never(int, const services::Call&) {
  return Refreshed{};
}

TEST_F(Refresher, DoesNothingBeforePricesAreWanted) {
  const auto catalogue = add(never);
  { PriceRefresher refresher(parts()); }
  EXPECT_EQ(catalogue->calls(), 0);
}

TEST_F(Refresher, ComesAgainWhenTheCatalogueSaysSo) {
  const auto often = add([](int, const auto&) { return again(milliseconds(1)); });
  const auto once = add(never);
  PriceRefresher refresher(parts());
  refresher.wake();
  often->wait_for(5);
  refresher.stop();
  EXPECT_EQ(once->calls(), 1);
}

TEST_F(Refresher, RefreshesNewCataloguesWhenWokenAndLeavesThoseThatAreNotDue) {
  const auto old = add([](int, const auto&) { return again(std::chrono::hours(24)); });
  PriceRefresher refresher(parts());
  refresher.wake();
  old->wait_for(1);
  const auto added = add(never);
  refresher.wake();
  added->wait_for(1);
  refresher.stop();
  EXPECT_EQ(old->calls(), 1);
}

TEST_F(Refresher, TellsAFailureOnceUntilItIsOverAndTriesAgain) {
  const auto catalogue = add([](int number, const auto&) -> Result<Refreshed> {
    if (number == 4) return again(milliseconds(1));
    return Error{Code::kUnavailable, "offline", "Look at the cable."};
  });
  PriceRefresher refresher(parts());
  refresher.wake();
  catalogue->wait_for(8);
  refresher.stop();
  EXPECT_EQ(told(), std::vector<std::string>(2, "offline (Look at the cable.)"));
}

TEST_F(Refresher, StoppingEndsARefreshAtOnceAndIsNoFailure) {
  const auto catalogue = add([](int, const services::Call& call) -> Result<Refreshed> {
    EXPECT_TRUE(call.deadline);
    std::mutex own;
    std::condition_variable_any never_notified;
    std::unique_lock lock(own);
    never_notified.wait(lock, call.stop, [] { return false; });
    return Error{Code::kCancelled, "cancelled"};
  });
  PriceRefresher refresher(parts());
  refresher.wake();
  catalogue->wait_for(1);
  refresher.stop();
  refresher.wake();
  EXPECT_EQ(catalogue->calls(), 1) << "nothing starts again";
  EXPECT_TRUE(told().empty());
}

TEST_F(Refresher, WhoWaitsGoesOnOnceWhatIsDueWasTried) {
  const auto fine =
      add([](int, const services::Call&) -> Result<Refreshed> { return Refreshed{}; });
  const auto failing = add([](int, const services::Call&) -> Result<Refreshed> {
    return Error{Code::kUnavailable, "away"};
  });
  PriceRefresher refresher(parts(std::chrono::hours(1)));
  EXPECT_TRUE(refresher.wait({}, std::chrono::hours(1)));
  EXPECT_EQ(fine->calls(), 1);
  EXPECT_EQ(failing->calls(), 1);
  EXPECT_TRUE(refresher.wait({}, std::chrono::hours(1))) << "nothing is due";
  EXPECT_EQ(failing->calls(), 1);
}

Result<Refreshed> until_stopped(int, const services::Call& call) {
  std::promise<void> stopped;
  const std::stop_callback heard(call.stop, [&] { stopped.set_value(); });
  stopped.get_future().wait();
  return Error{Code::kCancelled, "stopped"};
}

TEST_F(Refresher, WaitingEndsWithItsLimitAndWithTheRefresher) {
  const auto hanging = add(until_stopped);
  PriceRefresher refresher(parts());
  EXPECT_FALSE(refresher.wait({}, milliseconds(1)));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(refresher.wait(stop.get_token(), std::chrono::hours(1)));
  std::thread waiting([&] { EXPECT_FALSE(refresher.wait({}, std::chrono::hours(1))); });
  hanging->wait_for(1);
  refresher.stop();
  waiting.join();
}

TEST_F(Refresher, ACancelledRefreshDoesNotCount) {
  const auto hanging = add(until_stopped);
  PriceRefresher refresher(parts());
  refresher.wake();
  hanging->wait_for(1);
  refresher.stop();
  EXPECT_FALSE(refresher.wait({}, std::chrono::hours(1)));
}

TEST_F(Refresher, WaitingFailsAfterStop) {
  add([](int, const services::Call&) -> Result<Refreshed> { return Refreshed{}; });
  PriceRefresher refresher(parts());
  EXPECT_TRUE(refresher.wait({}, std::chrono::hours(1)));
  refresher.stop();
  EXPECT_FALSE(refresher.wait({}, std::chrono::hours(1)));
}

/// The first fetch of prices may take long, and the tools of questions run on the same workers.
TEST_F(Refresher, LeavesTheWorkersPlaceOfOneThatWaits) {
  std::promise<void> other_ran;
  std::promise<bool> refreshed;
  add([&](int, const services::Call&) {
    other_ran.get_future().wait();
    return Refreshed{};
  });
  PriceRefresher refresher(parts());
  services::WorkerPool workers(1);
  workers.submit([&] { refreshed.set_value(refresher.wait({}, std::chrono::hours(1))); });
  workers.submit([&] { other_ran.set_value(); });
  EXPECT_TRUE(refreshed.get_future().get());
}

}  // namespace
}  // namespace quarry::engine
