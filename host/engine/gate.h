#pragma once

#include "access/access.h"
#include "base/error.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace quarry::services {
class NamedLoop;
}

namespace quarry::engine {

/// Where callers with tokens come in: the rules over the store, which is opened when the first of
/// them comes or open() is called. One thread keeps it current. Thread-safe.
class Gate {
 public:
  /// `parts.store` may be null: nobody comes in.
  explicit Gate(access::Access::Parts parts);
  ~Gate();

  /// ConfigError when there is no store, or the store's own failure; then the next call tries
  /// again. [worker]
  Result<access::Access*> open();
  /// Null until it is open. [any]
  [[nodiscard]] access::Access* opened() const;
  [[nodiscard]] bool has_store() const { return parts_.store != nullptr; }
  /// After open(). [worker]
  [[nodiscard]] plugins::Store& store() const { return *parts_.store; }

  /// Writes what waits, and ends its thread. Places of streams must be gone.
  void close();

 private:
  void keep_current();

  const access::Access::Parts parts_;
  std::mutex open_mutex_;  ///< taken before the other
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool closing_ = false;
  std::unique_ptr<access::Access> access_;
  std::unique_ptr<services::NamedLoop> loop_;
};

}  // namespace quarry::engine
