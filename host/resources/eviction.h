#pragma once

#include "resources/plugin_caches.h"
#include "resources/store.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace quarry::resources {

/// Frees disk space: removes snapshots and entries of plugins' caches, least recently used first,
/// never one that is leased, in this or another process. Thread-safe.
class Eviction {
 public:
  /// Referenced objects must outlive it. `problem` receives failed removals; `evicted` is called
  /// after a removal. `last_states` returns the names of the snapshots that are the last good
  /// states of sources in use; empty = none.
  Eviction(Store& store, PluginCaches& caches, std::function<void(std::string_view)> problem,
           std::function<void()> evicted,
           std::function<std::set<std::string>()> last_states = nullptr)
      : store_(store),
        caches_(caches),
        problem_(std::move(problem)),
        evicted_(std::move(evicted)),
        last_states_(std::move(last_states)) {}

  /// Evicts until all take at most `bytes` on the disk. Last states are removed when nothing else
  /// is left.
  void shrink_to(std::uint64_t bytes);
  /// Evicts until `bytes` are freed; returns the number freed. Keeps last states, because the work
  /// that needs the bytes may still fail.
  std::uint64_t free(std::uint64_t bytes);

  /// Bytes that the last states take on the disk, without those whose names begin with `own`.
  [[nodiscard]] std::uint64_t last_state_bytes(std::string_view own) const;

 private:
  struct Plan;
  /// Evicts until `enough(bytes in use, bytes freed)`.
  template <class Enough>
  std::uint64_t run(bool with_last_states, Enough enough);
  [[nodiscard]] std::set<std::string> last_states() const {
    return last_states_ ? last_states_() : std::set<std::string>();
  }

  Store& store_;
  PluginCaches& caches_;
  const std::function<void(std::string_view)> problem_;
  const std::function<void()> evicted_;
  const std::function<std::set<std::string>()> last_states_;
  std::mutex mutex_;  // concurrent runs would both remove the same amount
};

}  // namespace quarry::resources
