#pragma once

#include "resources/plugin_caches.h"
#include "resources/store.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>

namespace quarry::resources {

/// Makes room: removes snapshots and entries of plugins' caches, the least recently used first, and
/// never one that is in use, in this or another process. Thread-safe.
class Eviction {
 public:
  /// What is referred to must outlive it. `problem` is told what could not be removed; `evicted` is
  /// called when something was.
  Eviction(Store& store, PluginCaches& caches, std::function<void(std::string_view)> problem,
           std::function<void()> evicted)
      : store_(store),
        caches_(caches),
        problem_(std::move(problem)),
        evicted_(std::move(evicted)) {}

  /// Until all take at most `bytes` on the disk.
  void shrink_to(std::uint64_t bytes);
  /// Until `bytes` are freed; answers how many were.
  std::uint64_t free(std::uint64_t bytes);

 private:
  struct Plan;
  /// Removes until `enough(what all take now, what was freed)`.
  template <class Enough>
  std::uint64_t run(Enough enough);

  Store& store_;
  PluginCaches& caches_;
  const std::function<void(std::string_view)> problem_;
  const std::function<void()> evicted_;
  std::mutex mutex_;  // two at once would both remove what one has to
};

}  // namespace quarry::resources
