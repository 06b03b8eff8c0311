#include "ask/testing.h"

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>

// Counts what the whole program holds, so it is a program of its own.

namespace {

std::atomic<std::int64_t> held = 0;
std::atomic<std::int64_t> most = 0;

void* take(std::size_t size) {
  void* const memory = std::malloc(size);
  if (!memory) throw std::bad_alloc();
  const std::int64_t now = held += static_cast<std::int64_t>(malloc_usable_size(memory));
  for (std::int64_t peak = most; peak < now && !most.compare_exchange_weak(peak, now);) continue;
  return memory;
}

void give(void* memory) {
  held -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  return take(size);
}
void operator delete(void* memory) noexcept {
  give(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  give(memory);
}

namespace quarry::ask {
namespace {

constexpr int kTokens = 20'000;

/// What a question held at most, and what its log goes on to hold, by bytes of its answer.
struct Growth {
  double peak;
  double rest;
};

Growth growth_of(testing::TestHouse& house, const std::string& token) {
  auto request = house.request({[&](const std::string&, std::stop_token, StepSink& sink) {
    for (int i = 0; i < kTokens; ++i) sink.text(token);
    sink.finish(plugins::Finish::kStop);
  }});
  const std::int64_t before = most = held.load();
  const auto question = house.start(std::move(request));
  house.wait_until_idle();
  while (question.use_count() > 1) std::this_thread::yield();
  const auto bytes = static_cast<double>(token.size() * kTokens);
  return {static_cast<double>(most - before) / bytes, static_cast<double>(held - before) / bytes};
}

TEST(AnswerMemory, GrowsByAtMostFourBytesForEachByteOfALongAnswer) {
  testing::TestHouse house;
  house.keeps_records = false;
  growth_of(house, "warm");
  for (const std::string token : {" tok", " token", "a = b;\n"}) {
    const Growth growth = growth_of(house, token);
    EXPECT_LE(growth.peak, 4.0) << token;
    EXPECT_LE(growth.rest, 4.0) << token;
  }
}

}  // namespace
}  // namespace quarry::ask
