#pragma once

#include "base/error.h"
#include "base/json.h"

#include <quarry/outcome.hpp>

#include <string>
#include <string_view>

namespace quarry::plugins {

/// Converts a plugin's failure to an Error: text becomes UTF-8 and is bounded, unknown statuses
/// become kInternal, unreadable details are dropped.
Error error_of(const quarry_failure& failure);

/// Receives the outcome of one call into a plugin. A second outcome, or none, is a fault of the
/// plugin, and so is a value beyond QUARRY_LIMIT_VALUE: kInternal.
class ReplySlot {
 public:
  ReplySlot();
  ReplySlot(const ReplySlot&) = delete;
  ReplySlot& operator=(const ReplySlot&) = delete;

  [[nodiscard]] const quarry_reply* reply() const { return &reply_; }
  /// Returns the outcome; call once, after the plugin has returned.
  Result<std::string> take();

 private:
  void settle(Result<std::string> outcome);

  quarry_reply reply_;
  int count_ = 0;
  Result<std::string> outcome_;
};

/// Parses a value that must be a JSON object.
Result<Json> json_object(Result<std::string> value);

}  // namespace quarry::plugins
