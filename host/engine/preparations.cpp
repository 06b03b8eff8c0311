#include "engine/preparations.h"

#include "ask/gathering.h"

#include <memory>
#include <utility>

namespace quarry::engine {

void prepare_all(resources::Library& library, const Clock& clock,
                 const std::vector<ask::WantedResource>& wanted, const services::SpanParent& trace,
                 const std::stop_token& stop, const ask::OnProgressEvent& progress,
                 OnAllPrepared done) {
  if (wanted.empty()) return done({});
  const auto outcomes =
      std::make_shared<ask::Gathering<Result<resources::Prepared>>>(wanted.size(), std::move(done));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ask::prepare(library, clock, wanted[i], trace, stop, progress,
                 [outcomes, i](Result<resources::Prepared> outcome) {
                   outcomes->put(i, std::move(outcome));
                 });
  }
}

}  // namespace quarry::engine
