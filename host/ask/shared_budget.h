#pragma once

#include "base/decimal.h"
#include "base/error.h"

#include <string>

namespace quarry::ask {

/// Money that was put aside for one model call.
struct BudgetReservation {
  std::string id;  ///< the shared_budget's own
  Money amount;
};

/// Money that other questions spend from, too, perhaps of other hosts. Thread-safe.
class SharedBudget {
 public:
  virtual ~SharedBudget() = default;
  /// False while any amount may be spent. Never blocks. [any]
  [[nodiscard]] virtual bool is_limited() const = 0;
  /// Puts `most` aside, or what there is when that is at least `least`; else BudgetError. [worker]
  virtual Result<BudgetReservation> keep(Money least, Money most) = 0;
  /// What the call cost in the end; the rest is there again. [worker]
  virtual void settle(const BudgetReservation& kept, Money spent) = 0;
};

}  // namespace quarry::ask
