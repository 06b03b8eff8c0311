#pragma once

#include <string>
#include <vector>

namespace quarry::cli {

/// Something that is wrong now (kFault), or that limits what can be done (kWarning).
struct Finding {
  enum class Severity { kFault, kWarning };
  Severity severity = Severity::kFault;
  std::string cause;  ///< one sentence without a full stop, with the place
  std::string next;   ///< what to do; empty for a cause that is not known
};
using Findings = std::vector<Finding>;

inline Finding fault(std::string cause, std::string next) {
  return {Finding::Severity::kFault, std::move(cause), std::move(next)};
}
inline Finding warning(std::string cause, std::string next) {
  return {Finding::Severity::kWarning, std::move(cause), std::move(next)};
}

}  // namespace quarry::cli
