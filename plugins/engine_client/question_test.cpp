#include "question.h"

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

}  // namespace
}  // namespace quarry::engine_client
