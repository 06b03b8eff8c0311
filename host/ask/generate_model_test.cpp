#include "ask/model.h"
#include "ask/testing/test_services.h"
#include "base/testing/waiting.h"

#include <atomic>
#include <functional>
#include <memory>
#include <semaphore>
#include <stop_token>
#include <utility>

#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

/// Generates nothing until it is stopped.
class HangingProvider final : public plugins::ModelProvider {
 public:
  [[nodiscard]] const plugins::ModelDescription& describe() const override { return description_; }
  [[nodiscard]] Form form() const override { return Form::kGenerate; }
  void generate(const services::Call& call, std::string_view, plugins::ModelSink&) override {
    ++calls;
    begun.release();
    wait_until_stopped(call.stop);
  }
  Result<std::unique_ptr<plugins::ModelExchange>> begin(std::string_view,
                                                        const std::string&) override {
    return Error{Code::kUnsupported, "no exchange"};
  }
  Result<std::vector<plugins::ModelInfo>> models(const services::Call&) override {
    return Error{Code::kUnsupported, "no list"};
  }

  std::counting_semaphore<> begun{0};
  std::atomic<int> calls = 0;

 private:
  plugins::ModelDescription description_;
};

class GenerateModel : public ::testing::Test {
 protected:
  /// Begins the step; `ended` is called at its end.
  void step(const std::stop_token& stop, std::function<void()> ended) {
    model_->step({.chat = "{}"}, stop, sink_, std::move(ended));
  }

  services::WorkerPool workers_{2};
  const std::shared_ptr<HangingProvider> provider_ = std::make_shared<HangingProvider>();

 private:
  const std::shared_ptr<Model> model_ =
      make_generate_model(provider_, workers_, std::make_shared<services::JobLimit>(1));
  FakeClock clock_;
  const ToolNames no_tools_;
  Step step_;
  Answer answer_{testing::make_log(1u << 20)};
  StepSink sink_{step_, answer_, clock_, no_tools_, {}};
};

TEST_F(GenerateModel, EndsAStepThatIsStoppedBeforeItsTurn) {
  std::stop_source first;
  std::stop_source second;
  std::binary_semaphore first_ended(0);
  bool second_ended = false;
  step(first.get_token(), [&] { first_ended.release(); });
  provider_->begun.acquire();
  step(second.get_token(), [&] { second_ended = true; });
  EXPECT_FALSE(second_ended);
  second.request_stop();
  EXPECT_TRUE(second_ended);
  first.request_stop();
  first_ended.acquire();
  workers_.shutdown();
  EXPECT_EQ(provider_->calls, 1);
}

TEST_F(GenerateModel, EndsAStepThatIsStoppedFromTheBeginningAtOnce) {
  std::stop_source stop;
  stop.request_stop();
  int ended = 0;
  step(stop.get_token(), [&] { ++ended; });
  workers_.shutdown();
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(provider_->calls, 0);
}

}  // namespace
}  // namespace quarry::ask
