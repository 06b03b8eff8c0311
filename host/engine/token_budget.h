#pragma once

#include "access/access.h"
#include "ask/shared_budget.h"

namespace quarry::engine {

/// A day's money of a token and its project. `access` must outlive it.
class TokenBudget final : public ask::SharedBudget {
 public:
  TokenBudget(access::Access& access, access::Principal principal)
      : access_(access), principal_(std::move(principal)) {}

  bool is_limited() const override { return access_.is_limited_in_money(principal_); }
  Result<ask::BudgetReservation> keep(Money least, Money most) override {
    auto kept = access_.keep(principal_, least, most);
    if (!kept) return std::move(kept).error();
    return ask::BudgetReservation{std::move(kept->reservation), kept->amount};
  }
  void settle(const ask::BudgetReservation& kept, Money spent) override {
    access_.settle({kept.id, kept.amount}, spent);
  }

 private:
  access::Access& access_;
  const access::Principal principal_;
};

}  // namespace quarry::engine
