#include "question.h"

#include <utility>

#include <gtest/gtest.h>

namespace quarry::engine_client {
namespace {

/// An engine with one question, which wakes its reader while that is closed, as another thread may.
class WakingEngine {
 public:
  [[nodiscard]] const quarry_engine& table() const { return table_; }
  [[nodiscard]] int wakes() const { return wakes_; }

 private:
  static WakingEngine& of(quarry_reader* reader) {
    return *reinterpret_cast<WakingEngine*>(reader);
  }
  static quarry_reader* open(const quarry_engine* engine, quarry_text, std::uint64_t,
                             void (*wake)(void*), void* context) {
    auto* const self = static_cast<WakingEngine*>(engine->context);
    self->wake_ = wake;
    self->context_ = context;
    return reinterpret_cast<quarry_reader*>(self);
  }
  static quarry_read read(quarry_reader*, std::size_t, void (*)(void*, const quarry_event*),
                          void*) {
    return QUARRY_READ_EMPTY;
  }
  static void close(quarry_reader* reader) {
    WakingEngine& self = of(reader);
    ++self.wakes_;
    self.wake_(self.context_);
  }

  quarry_engine table_{sizeof(quarry_engine), this, nullptr, nullptr, &open, &read, &close};
  void (*wake_)(void*) = nullptr;
  void* context_ = nullptr;
  int wakes_ = 0;
};

class SilentQuestion final : public Question {
 public:
  using Question::Question;

 private:
  void post(std::function<void()>) override { FAIL() << "nothing is left to be done"; }
  void failed(const Failure&) override {}
  void accepted(const std::string&) override {}
  void visit(const quarry_event&) override {}
  void caught_up(bool) override {}
};

TEST(Question, MayBeWokenWhileItIsDestroyed) {
  WakingEngine engine;
  EngineCalls calls(engine.table());
  auto question = std::make_shared<SilentQuestion>(calls);
  question->follow("q", 0);
  question.reset();
  EXPECT_EQ(engine.wakes(), 1);
}

/// An engine with one question, which has ended when its reader is woken.
class EndedEngine {
 public:
  [[nodiscard]] const quarry_engine& table() const { return table_; }
  void wake() const { wake_(context_); }

 private:
  static quarry_reader* open(const quarry_engine* engine, quarry_text, std::uint64_t,
                             void (*wake)(void*), void* context) {
    auto* const self = static_cast<EndedEngine*>(engine->context);
    self->wake_ = wake;
    self->context_ = context;
    return reinterpret_cast<quarry_reader*>(self);
  }
  static quarry_read read(quarry_reader* reader, std::size_t, void (*)(void*, const quarry_event*),
                          void*) {
    EndedEngine& self = *reinterpret_cast<EndedEngine*>(reader);
    return std::exchange(self.ended_, true) ? QUARRY_READ_END : QUARRY_READ_EMPTY;
  }
  static void close(quarry_reader*) {}

  quarry_engine table_{sizeof(quarry_engine), this, nullptr, nullptr, &open, &read, &close};
  void (*wake_)(void*) = nullptr;
  void* context_ = nullptr;
  bool ended_ = false;
};

/// Runs jobs on the thread that wakes it, and releases itself at the end.
class EndingQuestion final : public Question {
 public:
  EndingQuestion(EngineCalls& calls, bool& gone) : Question(calls), gone_(gone) {}
  ~EndingQuestion() override { gone_ = true; }

  static std::shared_ptr<EndingQuestion> owner;
  static bool gone_with_the_job;

 private:
  void post(std::function<void()>) override { FAIL() << "nothing is left to be done"; }
  void dispatch(std::function<void()> job) override {
    const bool& gone = gone_;
    job();
    job = nullptr;
    gone_with_the_job = gone;
  }
  void failed(const Failure&) override {}
  void accepted(const std::string&) override {}
  void visit(const quarry_event&) override {}
  void caught_up(bool ended) override {
    if (ended) owner.reset();
  }

  bool& gone_;
};

std::shared_ptr<EndingQuestion> EndingQuestion::owner;
bool EndingQuestion::gone_with_the_job = false;

// A thread that stops the transport waits for the job, but not for the rest of wake once the job
// has closed the reader.
TEST(Question, IsDestroyedBeforeTheJobOfItsLastWakeEnds) {
  EndedEngine engine;
  EngineCalls calls(engine.table());
  bool gone = false;
  EndingQuestion::owner = std::make_shared<EndingQuestion>(calls, gone);
  EndingQuestion::owner->follow("q", 0);
  engine.wake();
  EXPECT_TRUE(EndingQuestion::gone_with_the_job);
}

}  // namespace
}  // namespace quarry::engine_client
