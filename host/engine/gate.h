#pragma once

#include "access/access.h"
#include "base/error.h"
#include "engine/access_requests.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string_view>

namespace quarry::services {
class NamedLoop;
}

namespace quarry::engine {

/// `error` as the error of a method that uses the store: StoreError.
Error in_store(Error error);

/// Opens the store and its access rules on the first call of open(), and runs their tick() on a
/// thread. Thread-safe.
class Gate {
 public:
  /// `parts.store` may be null: callers with tokens are rejected.
  explicit Gate(access::Access::Parts parts);
  ~Gate();

  /// ConfigError if there is no store, or the store's own error; the next call retries. [worker]
  Result<access::Access*> open();
  /// Null until the store is open. [any]
  [[nodiscard]] access::Access* opened() const;
  [[nodiscard]] bool has_store() const { return parts_.store != nullptr; }
  /// The store, opened if needed; errors as of open(). [worker]
  Result<plugins::Store*> open_store();
  /// The principal of a request; fails if it lacks `right`. [worker]
  Result<access::Principal> principal(const PrincipalRequest& asked, std::string_view right);

  /// Writes pending entries, and ends the thread. Stream slots must have been destroyed.
  void close();

 private:
  void keep_current();

  const access::Access::Parts parts_;
  std::mutex open_mutex_;  ///< locked before mutex_
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool closing_ = false;
  std::unique_ptr<access::Access> access_;
  std::unique_ptr<services::NamedLoop> loop_;
};

}  // namespace quarry::engine
