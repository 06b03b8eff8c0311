#pragma once

#include "base/error.h"

#include <atomic>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::services {

/// Removes the values of known secrets from texts. [any thread]
class Redactor {
 public:
  /// Shorter values (in bytes) are not redacted: too many harmless texts contain them.
  static constexpr std::size_t kShortest = 4;

  /// Replaces `value` with "[secret NAME]" from now on.
  void add(std::string_view name, std::string_view value);
  /// `text` without any known value.
  [[nodiscard]] std::string redact(std::string_view text) const;
  /// The same failure, its message, hint, details and facts without any known value.
  [[nodiscard]] Error redact(Error error) const;

 private:
  struct Known {
    std::string value;
    std::string replacement;
  };
  std::atomic<bool> any_ = false;
  mutable std::shared_mutex mutex_;
  std::vector<Known> known_;  // longest value first: one may contain another
};

}  // namespace quarry::services
