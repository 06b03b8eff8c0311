#pragma once

#include "conformance/conformance.h"

#include <string>
#include <utility>

namespace quarry::conformance {

/// Result of one check.
struct Verdict {
  Outcome outcome = Outcome::kPass;
  std::string message = {};
  std::string hint = {};
};

inline Verdict fails(std::string message, std::string hint) {
  return {Outcome::kFail, std::move(message), std::move(hint)};
}
inline Verdict warns(std::string message, std::string hint) {
  return {Outcome::kWarn, std::move(message), std::move(hint)};
}
inline Verdict skips(std::string message, std::string hint = {}) {
  return {Outcome::kSkip, std::move(message), std::move(hint)};
}

}  // namespace quarry::conformance
