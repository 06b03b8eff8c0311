#include "services/span_queue.h"

#include <utility>

namespace quarry::services {

SpanQueue::Added SpanQueue::add(std::string span) {
  const std::lock_guard lock(mutex_);
  if (spans_.size() >= limits_.spans || span.size() > limits_.bytes - bytes_)
    return Added::kDropped;
  const bool was_full = fills_batch();
  bytes_ += span.size();
  spans_.push_back(std::move(span));
  if (!was_full && fills_batch()) return Added::kFillsBatch;
  return spans_.size() == 1 ? Added::kFirst : Added::kQueued;
}

SpanQueue::Batch SpanQueue::take() {
  const std::lock_guard lock(mutex_);
  Batch out;
  while (!spans_.empty() && out.count < limits_.batch) {
    const std::string& next = spans_.front();
    if (out.count > 0 && out.spans.size() + 1 + next.size() > limits_.batch_bytes) break;
    if (out.count > 0) out.spans += ',';
    out.spans += next;
    ++out.count;
    bytes_ -= next.size();
    spans_.pop_front();
  }
  return out;
}

std::size_t SpanQueue::size() const {
  const std::lock_guard lock(mutex_);
  return spans_.size();
}

bool SpanQueue::has_full_batch() const {
  const std::lock_guard lock(mutex_);
  return fills_batch();
}

bool SpanQueue::fills_batch() const {
  return spans_.size() >= limits_.batch || bytes_ >= limits_.batch_bytes;
}

}  // namespace quarry::services
