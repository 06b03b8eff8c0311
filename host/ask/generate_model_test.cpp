#include "ask/model.h"
#include "ask/testing/test_services.h"
#include "base/testing/waiting.h"

#include <atomic>
#include <semaphore>

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

TEST(GenerateModel, EndsAStepThatIsStoppedBeforeItsTurn) {
  services::WorkerPool workers(2);
  const auto provider = std::make_shared<HangingProvider>();
  const auto model =
      make_generate_model(provider, workers, std::make_shared<services::JobLimit>(1));
  FakeClock clock;
  const ToolNames no_tools;
  Step step;
  Answer answer(testing::make_log(1u << 20));
  StepSink sink(step, answer, clock, no_tools, {});
  std::stop_source first;
  std::stop_source second;
  std::binary_semaphore first_ended(0);
  bool second_ended = false;
  model->step({.chat = "{}"}, first.get_token(), sink, [&] { first_ended.release(); });
  provider->begun.acquire();
  model->step({.chat = "{}"}, second.get_token(), sink, [&] { second_ended = true; });
  EXPECT_FALSE(second_ended);
  second.request_stop();
  EXPECT_TRUE(second_ended);
  first.request_stop();
  first_ended.acquire();
  workers.shutdown();
  EXPECT_EQ(provider->calls, 1);
}

TEST(GenerateModel, EndsAStepThatIsStoppedFromTheBeginningAtOnce) {
  services::WorkerPool workers(1);
  const auto provider = std::make_shared<HangingProvider>();
  const auto model =
      make_generate_model(provider, workers, std::make_shared<services::JobLimit>(1));
  FakeClock clock;
  const ToolNames no_tools;
  Step step;
  Answer answer(testing::make_log(1u << 20));
  StepSink sink(step, answer, clock, no_tools, {});
  std::stop_source stop;
  stop.request_stop();
  int ended = 0;
  model->step({.chat = "{}"}, stop.get_token(), sink, [&] { ++ended; });
  workers.shutdown();
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(provider->calls, 0);
}

}  // namespace
}  // namespace quarry::ask
