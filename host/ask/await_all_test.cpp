#include "ask/await_all.h"

#include <string>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

namespace asio = boost::asio;

/// A type without a default constructor.
struct Word {
  explicit Word(std::string said) : text(std::move(said)) {}
  std::string text;
};

/// Runs `task` on this thread, to its end or until no work is left.
void run(Task<void> task) {
  asio::io_context io{1};
  asio::co_spawn(io, std::move(task), asio::detached);
  io.run();
}

Task<void> one_of_another_thread(std::string& heard, std::thread::id& resumed) {
  const Word word = co_await await_one<Word>(
      [](auto done) { std::thread([done] { done(Word("hello")); }).join(); });
  heard = word.text;
  resumed = std::this_thread::get_id();
}

TEST(AwaitOne, HasTheValueOfAnotherThreadOnItsOwn) {
  std::string heard;
  std::thread::id resumed;
  run(one_of_another_thread(heard, resumed));
  EXPECT_EQ(heard, "hello");
  EXPECT_EQ(resumed, std::this_thread::get_id());
}

Task<void> nothing(std::string& order) {
  order += "a";
  co_await await_one<>([&](auto done) {
    done();
    order += "b";
  });
  order += "c";
}

TEST(AwaitOne, WaitsForAPlainEndThatComesAtOnce) {
  std::string order;
  run(nothing(order));
  EXPECT_EQ(order, "abc");
}

struct Leaving {
  explicit Leaving(bool& gone) : gone_(gone) {}
  ~Leaving() { gone_ = true; }
  Leaving(const Leaving&) = delete;
  Leaving& operator=(const Leaving&) = delete;

 private:
  bool& gone_;
};

Task<void> forgotten(bool& gone) {
  const Leaving leaving(gone);
  co_await await_one<>([](auto) {});
}

TEST(AwaitOne, UnwindsACoroutineThatNobodyWillResume) {
  bool gone = false;
  run(forgotten(gone));
  EXPECT_TRUE(gone);
}

Task<void> all(std::size_t count, std::vector<std::string>& heard) {
  std::vector<std::thread> threads;
  auto start = [&](std::size_t i, auto done) {
    threads.emplace_back([i, done] { done(Word(std::to_string(i))); });
  };
  for (Word& word : co_await await_all<Word>(count, start)) heard.push_back(std::move(word.text));
  for (std::thread& thread : threads) thread.join();
}

TEST(AwaitAll, HasTheValuesInTheOrderTheyWereStarted) {
  std::vector<std::string> heard;
  run(all(4, heard));
  EXPECT_EQ(heard, (std::vector<std::string>{"0", "1", "2", "3"}));
}

TEST(AwaitAll, OfNothingIsNothing) {
  std::vector<std::string> heard;
  run(all(0, heard));
  EXPECT_TRUE(heard.empty());
}

}  // namespace
}  // namespace quarry::ask
