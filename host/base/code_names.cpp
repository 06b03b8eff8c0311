#include "base/code_names.h"

#include <algorithm>
#include <array>

namespace quarry {
namespace {

// In the order of the codes.
constexpr std::array<std::string_view, 12> kNames = {
    "ok",          "invalid_argument",   "not_found", "permission_denied", "unauthenticated",
    "unavailable", "resource_exhausted", "cancelled", "deadline_exceeded", "unsupported",
    "internal",    "data_loss"};
static_assert(kNames.size() == static_cast<std::size_t>(Code::kDataLoss) + 1);

}  // namespace

std::string_view name_of(Code code) {
  return kNames.at(static_cast<std::size_t>(code));
}

Code code_named(std::string_view name) {
  const auto* found = std::find(kNames.begin(), kNames.end(), name);
  return found == kNames.end() ? Code::kInternal : static_cast<Code>(found - kNames.begin());
}

Code code_of_status(int status) {
  const bool known = status > 0 && static_cast<std::size_t>(status) < kNames.size();
  return known ? static_cast<Code>(status) : Code::kInternal;
}

}  // namespace quarry
