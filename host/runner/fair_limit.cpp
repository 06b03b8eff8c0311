#include "runner/fair_limit.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace quarry::runner {

using std::chrono::nanoseconds;

FairLimit::FairLimit(std::chrono::milliseconds limit, Conditions conditions)
    : limit_(limit), conditions_(std::move(conditions)) {}

void FairLimit::begin(Steady::time_point now) {
  begun_ = now;
  at_begin_ = times();
  seen_ = now;
  unseen_ = {};
  waited_ = at_begin_.waited;
  extension_ = {};
}

bool FairLimit::has_passed(Steady::time_point now) {
  if (!begun_) return begin(now), false;
  // Twice the interval is no delay: timers and other calls take their time.
  const auto pause = now - std::exchange(seen_, now);
  if (pause > 2 * conditions_.interval) unseen_ += pause - conditions_.interval;
  if (now < *begun_ + limit_ + extension_) return false;
  extend(now);
  return now >= *begun_ + limit_ + extension_;
}

ProcessorTimes FairLimit::times() const {
  return conditions_.times ? conditions_.times() : ProcessorTimes();
}

/// By the waits since the last time, of which threads that wait at once have several. A runner
/// whose own threads fill the machine waits for itself: its share of the processors extends
/// nothing.
void FairLimit::extend(Steady::time_point now) {
  const auto present = times();
  const auto waited = present.waited - std::exchange(waited_, present.waited);
  const auto processors = conditions_.processors != 0
                              ? conditions_.processors
                              : std::max(1u, std::thread::hardware_concurrency());
  const auto own = (present.ran - at_begin_.ran) / processors;
  const auto most = std::min<nanoseconds>(now - *begun_ - own, kMost) - extension_;
  extension_ += std::clamp(waited + std::exchange(unseen_, {}), nanoseconds(0),
                           std::max(most, nanoseconds(0)));
}

}  // namespace quarry::runner
