#include "resources/indexing_leases.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace quarry::resources {

std::shared_ptr<IndexingLease> IndexingLeases::take(Leased leased) {
  return std::make_shared<IndexingLease>(*this, std::move(leased));
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

IndexingLease::IndexingLease(IndexingLeases& owner, Leased leased)
    : owner_(owner), leased_(std::move(leased)) {
  const std::lock_guard lock(owner_.mutex_);
  owner_.indexing_leases_.insert(this);
}

IndexingLease::~IndexingLease() {
  end();
  const std::lock_guard lock(owner_.mutex_);
  owner_.indexing_leases_.erase(this);
}

bool IndexingLease::begin() {
  const std::lock_guard lock(owner_.mutex_);
  working_ = leased_.stored != nullptr;
  return working_;
}

void IndexingLease::end() {
  const std::lock_guard lock(owner_.mutex_);
  leased_ = {};
  working_ = false;
  owner_.ended_.notify_all();
}

}  // namespace quarry::resources
