#include "ask/model.h"

namespace quarry::ask {
namespace {

class GenerateModel final : public Model {
 public:
  GenerateModel(std::shared_ptr<plugins::ModelProvider> provider, Executor& workers)
      : provider_(std::move(provider)), workers_(workers) {}

  void step(std::string chat_request, std::stop_token stop, StepSink& sink,
            std::function<void()> done) override {
    workers_.submit([provider = provider_, request = std::move(chat_request), stop, &sink,
                     done = std::move(done)] {
      services::Call call;
      call.stop = stop;
      if (!stop.stop_requested()) provider->generate(call, request, sink);
      done();
    });
  }

 private:
  std::shared_ptr<plugins::ModelProvider> provider_;
  Executor& workers_;
};

}  // namespace

std::shared_ptr<Model> make_generate_model(std::shared_ptr<plugins::ModelProvider> provider,
                                           Executor& workers) {
  return std::make_shared<GenerateModel>(std::move(provider), workers);
}

}  // namespace quarry::ask
