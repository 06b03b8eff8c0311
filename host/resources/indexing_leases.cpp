#include "resources/indexing_leases.h"

#include <algorithm>
#include <utility>

namespace quarry::resources {

bool replace_each_other(const Stored& left, const Stored& right) {
  return !left.metadata.immutable && !right.metadata.immutable && left.name != right.name &&
         left.metadata.source == right.metadata.source;
}

std::shared_ptr<IndexingLease> IndexingLeases::take(Leased leased) {
  auto taken = std::make_shared<IndexingLease>(*this, std::move(leased));
  std::vector<std::shared_ptr<IndexingLease>> kept;  // destroyed after the mutex is free
  const std::lock_guard lock(mutex_);
  // Under the same lock as the rest, since a registered lease can be released.
  indexing_leases_.insert(taken.get());
  for (IndexingLease* const other : indexing_leases_) {
    auto pointer = other->weak_from_this().lock();
    if (!pointer) continue;
    kept.push_back(pointer);
    if (other->is_superseded_ || !other->leased_.stored ||
        !replace_each_other(*other->leased_.stored, *taken->leased_.stored)) {
      continue;
    }
    other->is_superseded_ = true;
    taken->superseded_ = std::move(pointer);
  }
  return taken;
}

void IndexingLeases::release(std::string_view prefix) {
  std::vector<Leased> gone;  // closed after the mutex is free
  std::unique_lock lock(mutex_);
  const auto is_meant = [&](const IndexingLease* lease) {
    return lease->leased_.stored && lease->leased_.stored->name.starts_with(prefix);
  };
  for (IndexingLease* const lease : indexing_leases_) {
    if (!is_meant(lease)) continue;
    lease->stop_.request_stop();
    if (!lease->working_) gone.push_back(std::exchange(lease->leased_, {}));
  }
  ended_.wait(lock, [&] { return std::ranges::none_of(indexing_leases_, is_meant); });
}

void IndexingLeases::when_idle(std::function<void()> act) {
  {
    const std::lock_guard lock(mutex_);
    if (!indexing_leases_.empty()) return when_idle_.push_back(std::move(act));
  }
  act();
}

void IndexingLeases::remove(IndexingLease* lease) {
  std::vector<std::function<void()>> acts;
  {
    const std::lock_guard lock(mutex_);
    indexing_leases_.erase(lease);
    if (indexing_leases_.empty()) acts.swap(when_idle_);
  }
  for (const auto& act : acts) act();
}

IndexingLease::IndexingLease(IndexingLeases& owner, Leased leased)
    : owner_(owner), leased_(std::move(leased)) {}

IndexingLease::~IndexingLease() {
  end();
  owner_.remove(this);
}

bool IndexingLease::begin() {
  const std::lock_guard lock(owner_.mutex_);
  if (working_ || !leased_.stored) return false;
  working_ = true;
  return true;
}

void IndexingLease::pause() {
  const std::lock_guard lock(owner_.mutex_);
  working_ = false;
  if (!stop_.stop_requested()) return;
  leased_ = {};
  owner_.ended_.notify_all();
}

void IndexingLease::end() {
  stop_.request_stop();
  pause();
}

bool IndexingLease::is_superseded() const {
  const std::lock_guard lock(owner_.mutex_);
  return is_superseded_;
}

std::shared_ptr<IndexingLease> IndexingLease::take_superseded() {
  const std::lock_guard lock(owner_.mutex_);
  return std::exchange(superseded_, nullptr);
}

}  // namespace quarry::resources
