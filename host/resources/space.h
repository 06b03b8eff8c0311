#pragma once

#include "base/error.h"
#include "resources/eviction.h"
#include "resources/plugin_caches.h"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>

namespace quarry::resources {

/// Cache space that preparations reserve before they write. Thread-safe.
class Space {
 public:
  /// Referenced objects must outlive it. `most`: limit of the cache in bytes.
  Space(const Eviction& eviction, const PluginCaches& caches, std::uint64_t most)
      : eviction_(eviction), caches_(caches), most_(most) {}

  /// Space of one preparation, released by destruction. One thread at a time.
  class Reservation {
   public:
    /// `source`: name prefix of its source's snapshots. Its last state is not counted, because it
    /// may be removed once replaced.
    Reservation(Space& space, std::string source);
    ~Reservation();
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

    /// Grows in steps until a snapshot of `bytes` fits with its indexes. kResourceExhausted if it
    /// would not fit even after all possible evictions; evicts nothing. A few MiB always fit.
    Status cover(std::uint64_t bytes);
    /// Checks that the reservation still fits beside the plugins' unfinished cache entries.
    Status check();

   private:
    friend class Space;
    Space& space_;
    const std::string source_;
    std::set<std::filesystem::path> others_;  ///< unfinished entries older than this reservation
    std::uint64_t written_ = 0;
    std::uint64_t bytes_;
  };

 private:
  Status check(const Reservation& by, std::uint64_t more) const;

  const Eviction& eviction_;
  const PluginCaches& caches_;
  const std::uint64_t most_;
  std::mutex mutex_;
  std::uint64_t reserved_ = 0;  // by all
};

}  // namespace quarry::resources
