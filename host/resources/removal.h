#pragma once

#include "base/error.h"

namespace quarry::resources {

/// What became of something that was to be removed.
enum class Removal {
  kRemoved,
  kInUse,  ///< somebody has a lease, and it stays
  kGone,   ///< somebody else removed it before
};

/// By why its exclusive lock could not be had.
inline Removal outcome_of(const Error& not_locked) {
  return not_locked.code == Code::kNotFound ? Removal::kGone : Removal::kInUse;
}

}  // namespace quarry::resources
