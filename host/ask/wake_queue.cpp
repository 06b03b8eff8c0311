#include "ask/wake_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace quarry::ask {

void Waiter::call() {
  const std::lock_guard lock(mutex_);
  if (!silent_) wake_();
}

void Waiter::silence() {
  const std::lock_guard lock(mutex_);
  silent_ = true;
}

Waiters WakeQueue::defer(Waiters& waiters) {
  if (waiters.empty()) return {};
  if (!io_.get_executor().running_in_this_thread()) return std::exchange(waiters, {});
  if (waiters_.empty()) boost::asio::post(io_, [this] { flush(); });
  std::ranges::move(waiters, std::back_inserter(waiters_));
  waiters.clear();
  return {};
}

void WakeQueue::flush() {
  called_.swap(waiters_);
  for (const auto& waiter : called_) waiter->call();
  called_.clear();
}

}  // namespace quarry::ask
