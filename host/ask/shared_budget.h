#pragma once

#include "base/decimal.h"
#include "base/error.h"

#include <string>

namespace quarry::ask {

/// Money reserved for one model call.
struct BudgetReservation {
  std::string id;  ///< set by the shared budget
  Money amount;
};

/// A budget shared with other questions, perhaps of other hosts. Thread-safe.
class SharedBudget {
 public:
  virtual ~SharedBudget() = default;
  /// False if any amount may be spent. Never blocks. [any]
  [[nodiscard]] virtual bool is_limited() const = 0;
  /// Reserves `most`, or the remaining amount if that is at least `least`; else BudgetError.
  /// [worker]
  virtual Result<BudgetReservation> reserve(Money least, Money most) = 0;
  /// Replaces the reservation by the actual cost; the rest is available again. [worker]
  virtual void settle(const BudgetReservation& reservation, Money spent) = 0;
};

}  // namespace quarry::ask
