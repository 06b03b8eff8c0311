#include "held_head.h"

#include <algorithm>

namespace quarry::rest {

void HeldHead::on_event(std::optional<EventType> type, Time now) {
  if (type == EventType::kResourceProgress) return;
  // The metadata is sent before the model is asked, which may still fail.
  until_ = std::min(until_, type == EventType::kMeta ? now + grace_ : now);
}

std::chrono::milliseconds HeldHead::left(Time now) const {
  return std::max(std::chrono::milliseconds(0),
                  std::chrono::ceil<std::chrono::milliseconds>(until_ - now));
}

}  // namespace quarry::rest
