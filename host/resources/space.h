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

/// The room that preparations reserve in the cache before they write. Thread-safe.
class Space {
 public:
  /// What is referred to must outlive it. `most`: what the cache may take, bytes.
  Space(const Eviction& eviction, const PluginCaches& caches, std::uint64_t most)
      : eviction_(eviction), caches_(caches), most_(most) {}

  /// What one preparation writes. Given back by destruction. One thread at a time.
  class Reservation {
   public:
    /// `source`: how the names of its source's snapshots begin. Its last state may go once it is
    /// replaced, so it is not counted.
    Reservation(Space& space, std::string source);
    ~Reservation();
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

    /// Grows, in steps, until a snapshot of `bytes` fits with its indexes. kResourceExhausted when
    /// it would not even if all went that may go; nothing is evicted for it. A few MiB always fit.
    Status cover(std::uint64_t bytes);
    /// Whether what is reserved still fits beside what plugins write into their caches.
    Status check();

   private:
    friend class Space;
    Space& space_;
    const std::string source_;
    std::set<std::filesystem::path> others_;  ///< that plugins wrote before this one began
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
