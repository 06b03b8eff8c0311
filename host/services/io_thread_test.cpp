#include "services/io_thread.h"

#include "base/file.h"

#include <atomic>
#include <future>
#include <thread>
#include <unistd.h>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace quarry::services {
namespace {

using namespace std::chrono_literals;

class IoThreadTest : public ::testing::Test {
 protected:
  IoThreadTest() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    mine_ = Fd(ends[0]);
    theirs_ = Fd(ends[1]);
  }
  ~IoThreadTest() override {
    work_.reset();
    thread_.join();
  }
  /// Runs `function` on the thread.
  void on_thread(const std::function<void()>& function) {
    std::promise<void> done;
    io_thread_.post([&] {
      function();
      done.set_value();
    });
    done.get_future().wait();
  }
  void send() const { ASSERT_EQ(::send(theirs_.get(), "x", 1, 0), 1); }
  [[nodiscard]] std::size_t read() const {
    char bytes[16];
    const auto count = ::recv(mine_.get(), bytes, sizeof bytes, 0);
    return count < 0 ? 0 : static_cast<std::size_t>(count);
  }

  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  IoThread io_thread_{io_};
  Fd mine_;
  Fd theirs_;
  std::thread thread_{[this] { io_.run(); }};
};

TEST_F(IoThreadTest, RunsJobsAfterTheRunningOne) {
  std::vector<int> order;
  std::promise<void> done;
  io_thread_.post([&] {
    EXPECT_EQ(std::this_thread::get_id(), thread_.get_id());
    io_thread_.post([&] { order.push_back(2); });
    io_thread_.post([&] {
      order.push_back(3);
      done.set_value();
    });
    order.push_back(1);
  });
  done.get_future().wait();
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST_F(IoThreadTest, RunsAJobAfterADelay) {
  std::promise<std::chrono::steady_clock::time_point> ran;
  const auto begun = std::chrono::steady_clock::now();
  io_thread_.after(5ms, [&] { ran.set_value(std::chrono::steady_clock::now()); });
  EXPECT_GE(ran.get_future().get() - begun, 5ms);
}

TEST_F(IoThreadTest, TellsEachTimeThatADescriptorIsReadable) {
  std::promise<void> first;
  std::promise<void> third;
  std::size_t got = 0;
  auto watch = io_thread_.watch(mine_.get(), [&]() -> IoThread::Again {
    EXPECT_EQ(std::this_thread::get_id(), thread_.get_id());
    const auto count = read();
    if (got == 0 && count > 0) first.set_value();
    got += count;
    if (got == 3) third.set_value();
    return 0ms;
  });
  ASSERT_TRUE(watch);
  send();
  first.get_future().wait();
  send();
  send();
  third.get_future().wait();
  watch->reset();
}

TEST_F(IoThreadTest, LooksAgainAtBytesThatWereLeft) {
  std::promise<void> done;
  int looked = 0;
  auto watch = io_thread_.watch(mine_.get(), [&]() -> IoThread::Again {
    if (++looked < 3) return looked == 1 ? 0ms : 1ms;
    EXPECT_EQ(read(), 1u);
    done.set_value();
    return std::nullopt;
  });
  send();
  done.get_future().wait();
  watch->reset();
}

TEST_F(IoThreadTest, TellsThatThePeerHasClosed) {
  std::promise<void> closed;
  auto watch = io_thread_.watch(mine_.get(), [&]() -> IoThread::Again {
    EXPECT_EQ(read(), 0u);
    closed.set_value();
    return std::nullopt;
  });
  theirs_ = Fd();
  closed.get_future().wait();
  watch->reset();
}

TEST_F(IoThreadTest, TellsNothingAfterTheWatchHasEnded) {
  std::atomic<int> looked = 0;
  on_thread([&] {
    auto watch = io_thread_.watch(mine_.get(), [&]() -> IoThread::Again {
      ++looked;
      return 0ms;
    });
    ASSERT_TRUE(watch);
    watch->reset();
  });
  send();
  auto again = io_thread_.watch(mine_.get(), [&]() -> IoThread::Again {
    looked += 10;
    return std::nullopt;
  });
  while (looked < 10) on_thread([] {});
  EXPECT_EQ(looked, 10);
  again->reset();
}

TEST_F(IoThreadTest, CannotWatchWithoutADescriptor) {
  EXPECT_FALSE(io_thread_.watch(-1, [] { return IoThread::Again(); }));
}

}  // namespace
}  // namespace quarry::services
