#include "engine/preparations.h"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace quarry::engine {
namespace {

/// Outcomes so far. Thread-safe.
class Outcomes {
 public:
  Outcomes(std::size_t count, OnAllPrepared done)
      : missing_(count), outcomes_(count), done_(std::move(done)) {}

  void put(std::size_t at, Result<resources::Prepared> outcome) {
    {
      const std::lock_guard lock(mutex_);
      outcomes_[at] = std::move(outcome);
      if (--missing_ > 0) return;
    }
    std::vector<Result<resources::Prepared>> all;
    for (auto& one : outcomes_) all.push_back(std::move(*one));
    done_(std::move(all));
  }

 private:
  std::mutex mutex_;
  std::size_t missing_;
  std::vector<std::optional<Result<resources::Prepared>>> outcomes_;
  const OnAllPrepared done_;
};

}  // namespace

void prepare_all(resources::Library& library, const Clock& clock,
                 const std::vector<ask::WantedResource>& wanted, const services::SpanParent& trace,
                 const std::stop_token& stop, const ask::OnProgressEvent& progress,
                 OnAllPrepared done) {
  if (wanted.empty()) return done({});
  const auto outcomes = std::make_shared<Outcomes>(wanted.size(), std::move(done));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ask::prepare(library, clock, wanted[i], trace, stop, progress,
                 [outcomes, i](Result<resources::Prepared> outcome) {
                   outcomes->put(i, std::move(outcome));
                 });
  }
}

}  // namespace quarry::engine
