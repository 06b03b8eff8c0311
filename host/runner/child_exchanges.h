#pragma once

#include <quarry/model.h>

#include <cstdint>
#include <map>
#include <mutex>

namespace quarry::runner {

/// Exchanges of the plugin's providers, by the host's numbers. The host calls each from one
/// thread at a time. [any thread]
class ChildExchanges {
 public:
  void add(std::uint32_t number, quarry_exchange* exchange) {
    const std::lock_guard lock(mutex_);
    exchanges_[number] = exchange;
  }
  /// Null if there is none of that number.
  [[nodiscard]] quarry_exchange* find(std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = exchanges_.find(number);
    return found == exchanges_.end() ? nullptr : found->second;
  }
  void remove(std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    exchanges_.erase(number);
  }

 private:
  std::mutex mutex_;
  std::map<std::uint32_t, quarry_exchange*> exchanges_;
};

}  // namespace quarry::runner
