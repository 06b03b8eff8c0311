#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace quarry::ask {

/// The values of several operations, which end in any order, on any threads. The last one calls
/// `done` with all of them.
template <class T>
class Gathering {
 public:
  using Done = std::function<void(std::vector<T>)>;
  /// `count`: at least one.
  Gathering(std::size_t count, Done done) : values_(count), left_(count), done_(std::move(done)) {}

  /// The value of operation number `i`, from 0. Once for each. [any]
  void put(std::size_t i, T value) {
    values_[i] = std::move(value);
    if (--left_ > 0) return;
    std::vector<T> all;
    all.reserve(values_.size());
    for (std::optional<T>& each : values_) all.push_back(std::move(*each));
    done_(std::move(all));
  }

 private:
  std::vector<std::optional<T>> values_;
  std::atomic<std::size_t> left_;
  const Done done_;
};

}  // namespace quarry::ask
