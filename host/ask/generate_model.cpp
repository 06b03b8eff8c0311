#include "ask/model.h"
#include "services/log_scope.h"

#include <atomic>
#include <utility>

namespace quarry::ask {
namespace {

/// A step that ends without its turn if it is stopped while it waits for that.
class QueuedStep {
 public:
  QueuedStep(std::stop_token stop, std::function<void()> done)
      : done_(std::move(done)), on_stop_(std::move(stop), [this] {
          if (take_turn()) done_();
        }) {}
  QueuedStep(const QueuedStep&) = delete;
  QueuedStep& operator=(const QueuedStep&) = delete;

  /// False if it has ended.
  bool take_turn() { return !taken_.exchange(true); }
  void end() const { done_(); }

 private:
  std::atomic<bool> taken_ = false;
  const std::function<void()> done_;
  const std::stop_callback<std::function<void()>> on_stop_;  // last: it may run at once
};

class GenerateModel final : public Model {
 public:
  GenerateModel(std::shared_ptr<plugins::ModelProvider> provider, Executor& workers,
                std::shared_ptr<services::JobLimit> limit)
      : provider_(std::move(provider)), workers_(workers), limit_(std::move(limit)) {}

  void step(StepRequest request, std::stop_token stop, StepSink& sink,
            std::function<void()> done) override {
    auto queued = std::make_shared<QueuedStep>(stop, std::move(done));
    auto job = [provider = provider_, chat = std::move(request.chat),
                project = std::move(request.project), stop, &sink, queued = std::move(queued)] {
      if (!queued->take_turn()) return;
      const services::Call call{.stop = stop, .project = project};
      provider->generate(call, chat, sink);
      queued->end();
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
