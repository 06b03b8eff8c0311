#include "ask/model.h"
#include "services/log_scope.h"

namespace quarry::ask {
namespace {

class GenerateModel final : public Model {
 public:
  GenerateModel(std::shared_ptr<plugins::ModelProvider> provider, Executor& workers,
                std::shared_ptr<services::JobLimit> limit)
      : provider_(std::move(provider)), workers_(workers), limit_(std::move(limit)) {}

  void step(StepRequest request, std::stop_token stop, StepSink& sink,
            std::function<void()> done) override {
    auto job = [provider = provider_, chat = std::move(request.chat),
                project = std::move(request.project), stop, &sink, done = std::move(done)] {
      const services::Call call{.stop = stop, .project = project};
      if (!stop.stop_requested()) provider->generate(call, chat, sink);
      done();
    };
    limit_->submit(workers_, services::with_current_subject(std::move(job)));
  }

 private:
  std::shared_ptr<plugins::ModelProvider> provider_;
  Executor& workers_;
  std::shared_ptr<services::JobLimit> limit_;
};

}  // namespace

std::shared_ptr<Model> make_generate_model(std::shared_ptr<plugins::ModelProvider> provider,
                                           Executor& workers,
                                           std::shared_ptr<services::JobLimit> limit) {
  return std::make_shared<GenerateModel>(std::move(provider), workers, std::move(limit));
}

}  // namespace quarry::ask
