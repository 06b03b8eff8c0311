#include "ask/testing/test_services.h"
#include "base/testing/waiting.h"

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>

// Counts the allocations of the whole program, so it is a separate program.

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

/// Waits until `question` is its last owner.
void wait_until_gone(const std::shared_ptr<Question>& question) {
  wait_until([&] { return question.use_count() == 1; });
}

/// Most memory of a question, and the memory of its log afterwards, per byte of its answer.
struct Growth {
  double peak;
  double rest;
};

Growth growth_of(testing::TestServices& services, const std::string& token) {
  auto request = services.request({[&](const std::string&, std::stop_token, StepSink& sink) {
    for (int i = 0; i < kTokens; ++i) sink.text(token);
    sink.finish(plugins::Finish::kStop);
  }});
  const std::int64_t before = most = held.load();
  const auto question = services.start(std::move(request));
  services.wait_until_idle();
  wait_until_gone(question);
  const auto bytes = static_cast<double>(token.size() * kTokens);
  return {static_cast<double>(most - before) / bytes, static_cast<double>(held - before) / bytes};
}

TEST(AnswerMemory, GrowsByAtMostFourBytesForEachByteOfALongAnswer) {
  testing::TestServices services;
  services.keeps_records = false;
  growth_of(services, "warm");
  for (const std::string token : {" tok", " token", "a = b;\n"}) {
    const Growth growth = growth_of(services, token);
    EXPECT_LE(growth.peak, 4.0) << token;
    EXPECT_LE(growth.rest, 4.0) << token;
  }
}

/// Never ends a step by itself.
class WaitingModel final : public Model {
 public:
  void step(StepRequest, std::stop_token, StepSink& sink, std::function<void()> done) override {
    const std::lock_guard lock(mutex_);
    steps_.emplace_back(&sink, std::move(done));
    begun_.notify_one();
  }
  void wait_for(std::size_t steps) {
    std::unique_lock lock(mutex_);
    begun_.wait(lock, [&] { return steps_.size() == steps; });
  }
  void end() {
    for (auto& [sink, done] : std::exchange(steps_, {})) {
      sink->text("well");
      sink->finish(plugins::Finish::kStop);
      done();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable begun_;
  std::vector<std::pair<StepSink*, std::function<void()>>> steps_;
};

/// Memory of one of many questions while its model is silent. Coroutine frames come from
/// aligned_alloc, so malloc's own statistics are used.
std::size_t held_by_a_question(testing::TestServices& services) {
  constexpr std::size_t kQuestions = 500;
  const auto model = std::make_shared<WaitingModel>();
  const auto ask = [&] {
    Request request = services.request({testing::say("")});
    request.models.front().model = model;
    return services.start(std::move(request));
  };
  std::vector<std::shared_ptr<Question>> questions;
  questions.reserve(kQuestions);
  const std::size_t before = ::mallinfo2().uordblks;
  for (std::size_t i = 0; i < kQuestions; ++i) questions.push_back(ask());
  model->wait_for(kQuestions);
  const std::size_t after = ::mallinfo2().uordblks;
  model->end();
  for (const auto& question : questions) wait_until_gone(question);
  return (after - before) / kQuestions;
}

TEST(QuestionMemory, IsAtMostSixAndAHalfKibibytesBeforeTheAnswer) {
  testing::TestServices services;
  services.keeps_records = false;
  held_by_a_question(services);  // fills the allocator's caches
  EXPECT_LE(held_by_a_question(services), 6912u);
}

}  // namespace
}  // namespace quarry::ask
