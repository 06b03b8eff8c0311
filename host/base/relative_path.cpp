#include "base/relative_path.h"

#include <quarry/tree_rules.hpp>

namespace quarry {

static_assert(kMostRelativePath == kMostTreePath);

Result<std::string> normalise_relative_path(std::string_view path) {
  auto normalised = tree_path(path);
  if (normalised) return std::move(*normalised);
  const Failure& failure = normalised.failure();
  return Error{static_cast<Code>(failure.status), failure.message, failure.hint};
}

}  // namespace quarry
