#include "ask/wake_queue.h"

#include <string>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

namespace asio = boost::asio;

struct Fixture {
  asio::io_context io{1};
  WakeQueue wakes{io};
  std::string told;

  std::shared_ptr<Waiter> waiter(std::string name) {
    return std::make_shared<Waiter>([this, name] { told += name; });
  }
  void wake(Waiters waiters) {
    for (const auto& waiter : wakes.defer(waiters)) waiter->call();
    EXPECT_TRUE(waiters.empty());
  }
};

TEST(WakeQueue, WakesBehindWhatTheTurnOfTheIoThreadStillDoes) {
  Fixture fixture;
  asio::post(fixture.io, [&] {
    fixture.wake({fixture.waiter("a")});
    fixture.told += "1";
    fixture.wake({fixture.waiter("b"), fixture.waiter("c")});
    fixture.told += "2";
  });
  fixture.io.run();
  EXPECT_EQ(fixture.told, "12abc");
}

TEST(WakeQueue, WakesAgainWhatComesWhileItWakes) {
  Fixture fixture;
  const auto again = std::make_shared<Waiter>([&] {
    fixture.told += "x";
    fixture.wake({fixture.waiter("y")});
  });
  asio::post(fixture.io, [&] { fixture.wake({again, fixture.waiter("z")}); });
  fixture.io.run();
  EXPECT_EQ(fixture.told, "xzy");
}

TEST(WakeQueue, PutsNothingOffForAnotherThread) {
  Fixture fixture;
  fixture.wake({fixture.waiter("a"), fixture.waiter("b")});
  EXPECT_EQ(fixture.told, "ab");
}

TEST(WakeQueue, DoesNotCallWhoHasGoneMeanwhile) {
  Fixture fixture;
  asio::post(fixture.io, [&] {
    const auto gone = fixture.waiter("gone");
    fixture.wake({gone, fixture.waiter("here")});
    gone->silence();
  });
  fixture.io.run();
  EXPECT_EQ(fixture.told, "here");
}

TEST(WakeQueue, AWaiterMaySilenceItselfWhileCalled) {
  Fixture fixture;
  std::shared_ptr<Waiter> once;
  once = std::make_shared<Waiter>([&] {
    fixture.told += "once";
    once->silence();
  });
  once->call();
  once->call();
  EXPECT_EQ(fixture.told, "once");
}

TEST(WakeQueue, LetsNobodyBeCalledOnceSilenceHasReturned) {
  Fixture fixture;
  const auto work = asio::make_work_guard(fixture.io);
  std::thread io([&] { fixture.io.run(); });
  for (int i = 0; i < 1000; ++i) {
    auto alive = std::make_unique<int>(i);
    const auto waiter = std::make_shared<Waiter>([&alive] { ++*alive; });
    asio::post(fixture.io, [&fixture, waiter] { fixture.wake({waiter}); });
    waiter->silence();
    alive.reset();
  }
  fixture.io.stop();
  io.join();
}

}  // namespace
}  // namespace quarry::ask
