#include "engine/tool_share.h"

#include <algorithm>

namespace quarry::engine {

class ToolShare::AllCallers final : public Executor {
 public:
  explicit AllCallers(Executor& workers)
      : workers_(workers),
        limit_(std::make_shared<services::JobLimit>(
            std::max<std::size_t>(workers.concurrency(), 2) - 1)) {}

  void submit(std::function<void()> job) override { limit_->submit(workers_, std::move(job)); }
  [[nodiscard]] std::size_t concurrency() const override { return workers_.concurrency(); }

 private:
  Executor& workers_;
  const std::shared_ptr<services::JobLimit> limit_;
};

ToolShare::ToolShare(Executor& workers)
    : all_(std::make_shared<AllCallers>(workers)),
      most_of_caller_(std::max<std::size_t>(workers.concurrency() / 2, 1)) {}

std::shared_ptr<services::JobLimit> ToolShare::limit_of(const std::string& caller) {
  const std::lock_guard lock(mutex_);
  std::erase_if(callers_, [](const auto& known) { return known.second.expired(); });
  auto& known = callers_[caller];
  auto limit = known.lock();
  if (!limit) {
    limit = std::make_shared<services::JobLimit>(most_of_caller_);
    known = limit;
  }
  return limit;
}

void ToolShare::submit(const std::string& caller, std::function<void()> job) {
  const auto limit = limit_of(caller);
  // The job keeps its caller's limit, which others find while it runs.
  limit->submit(*all_, [limit, job = std::move(job)] { job(); });
}

}  // namespace quarry::engine
