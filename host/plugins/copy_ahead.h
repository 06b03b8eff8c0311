#pragma once

#include "base/error.h"
#include "plugins/manifest.h"
#include "plugins/private_copy.h"

#include <atomic>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace quarry::plugins {

/// Copies and checks modules on a separate thread while earlier ones are loaded, and on the loading
/// thread while it would otherwise wait, which keeps two cores busy. Used by one thread.
class CopyAhead {
 public:
  /// `manifests` must outlive this.
  explicit CopyAhead(const std::vector<const Manifest*>& manifests);
  /// Result of copy_module for the next manifest; at most once for each.
  Result<PrivateCopy> next();

 private:
  /// Copies the next module; false if none was left.
  bool copy_one();

  const std::vector<const Manifest*>& manifests_;
  std::vector<std::promise<Result<PrivateCopy>>> copies_;
  std::atomic<std::size_t> taken_ = 0;
  std::size_t given_ = 0;
  std::jthread thread_;
};

}  // namespace quarry::plugins
