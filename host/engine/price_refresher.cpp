#include "engine/price_refresher.h"

#include "services/workers.h"

#include <algorithm>
#include <utility>

namespace quarry::engine {

using std::chrono::steady_clock;

PriceRefresher::PriceRefresher(Parts parts) : parts_(std::move(parts)) {}

PriceRefresher::~PriceRefresher() {
  stop();
}

void PriceRefresher::wake() {
  const std::lock_guard lock(mutex_);
  if (stop_.stop_requested()) return;
  woken_ = true;
  ++wakes_;
  changed_.notify_all();
  if (loop_) return;
  loop_ =
      std::make_unique<services::NamedLoop>("quarry-prices", [this] { run(stop_.get_token()); });
}

bool PriceRefresher::wait(const std::stop_token& stop, std::chrono::milliseconds limit) {
  wake();
  const services::BlockedWorker waits;
  const auto until = steady_clock::now() + limit;
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = wakes_;
  const auto over = [&] { return served_ >= mine || stop_.stop_requested(); };
  return changed_.wait_until(lock, stop, until, over) && !stop_.stop_requested();
}

void PriceRefresher::stop() {
  std::unique_ptr<services::NamedLoop> loop;
  {
    const std::lock_guard lock(mutex_);
    stop_.request_stop();
    changed_.notify_all();
    loop = std::move(loop_);
  }
}

std::uint64_t PriceRefresher::wakes_so_far() {
  const std::lock_guard lock(mutex_);
  return wakes_;
}

void PriceRefresher::run(const std::stop_token& stopping) {
  while (!stopping.stop_requested()) {
    const std::uint64_t wakes = wakes_so_far();
    const Steady next = refresh_due(stopping);
    std::unique_lock lock(mutex_);
    if (stopping.stop_requested()) return;
    served_ = wakes;
    changed_.notify_all();
    if (next == Steady::max()) {
      changed_.wait(lock, stopping, [&] { return woken_; });
    } else {
      changed_.wait_until(lock, stopping, next, [&] { return woken_; });
    }
    woken_ = false;
  }
}

PriceRefresher::Steady PriceRefresher::refresh_due(const std::stop_token& stopping) {
  auto next = Steady::max();
  auto before = std::exchange(due_, {});
  for (const auto& catalogue : parts_.catalogues()) {
    const auto known = before.find(catalogue);
    const bool waits = known != before.end() && known->second > steady_clock::now();
    if (!waits && stopping.stop_requested()) break;
    const Steady due = waits ? known->second : refresh(*catalogue, stopping);
    due_.emplace(catalogue, due);
    next = std::min(next, due);
  }
  return next;
}

PriceRefresher::Steady PriceRefresher::refresh(plugins::PricingCatalogue& catalogue,
                                               const std::stop_token& stopping) {
  const services::Call call{.stop = stopping, .deadline = steady_clock::now() + parts_.limit};
  const auto done = catalogue.refresh(call);
  if (done) {
    if (done->next) warned_.clear();
    return done->next ? steady_clock::now() + *done->next : Steady::max();
  }
  if (!stopping.stop_requested()) {
    const Error& error = done.error();
    const bool first = warned_.insert(error.message).second;
    if (first) parts_.warn(with_hint(error));
  }
  return steady_clock::now() + parts_.retry;
}

}  // namespace quarry::engine
