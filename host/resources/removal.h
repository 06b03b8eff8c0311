#pragma once

#include "base/error.h"

namespace quarry::resources {

/// Outcome of a removal.
enum class Removal {
  kRemoved,
  kInUse,  ///< leased, not removed
  kGone,   ///< already removed by another thread or process
};

/// Outcome for a failed exclusive lock.
inline Removal outcome_of(const Error& not_locked) {
  return not_locked.code == Code::kNotFound ? Removal::kGone : Removal::kInUse;
}

}  // namespace quarry::resources
