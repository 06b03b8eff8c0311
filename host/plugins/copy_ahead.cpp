#include "plugins/copy_ahead.h"

#include "plugins/module.h"

#include <chrono>
#include <stop_token>

namespace quarry::plugins {

CopyAhead::CopyAhead(const std::vector<const Manifest*>& manifests)
    : manifests_(manifests),
      copies_(manifests.size()),
      thread_([this](const std::stop_token& stop) {
        while (!stop.stop_requested() && copy_one()) {
        }
      }) {}

Result<PrivateCopy> CopyAhead::next() {
  auto copy = copies_[given_++].get_future();
  while (copy.wait_for(std::chrono::seconds(0)) != std::future_status::ready && copy_one()) {
  }
  return copy.get();
}

bool CopyAhead::copy_one() {
  const std::size_t mine = taken_++;
  if (mine >= manifests_.size()) return false;
  copies_[mine].set_value(copy_module(*manifests_[mine]));
  return true;
}

}  // namespace quarry::plugins
