#pragma once

#include "services/call_table.h"

#include <chrono>
#include <string>

namespace quarry::plugins {

/// A call that nothing but its time limit ends.
class LimitedCall {
 public:
  /// `rights` must outlive it.
  LimitedCall(std::chrono::milliseconds limit, const services::CallRights& rights,
              const std::string& project = {})
      : call_{.deadline = std::chrono::steady_clock::now() + limit, .project = project},
        table_(call_, rights) {}
  [[nodiscard]] const quarry_call* get() const { return table_.get(); }

 private:
  services::Call call_;
  services::CallTable table_;
};

}  // namespace quarry::plugins
