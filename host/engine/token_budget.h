#pragma once

#include "access/access.h"
#include "ask/shared_budget.h"

namespace quarry::engine {

/// The daily budget of a token and its project. `access` must outlive it.
class TokenBudget final : public ask::SharedBudget {
 public:
  TokenBudget(access::Access& access, access::Principal principal)
      : access_(access), principal_(std::move(principal)) {}

  bool is_limited() const override { return access_.is_limited_in_money(principal_); }
  Result<ask::BudgetReservation> reserve(Money least, Money most) override {
    auto reserved = access_.reserve(principal_, least, most);
    if (!reserved) return std::move(reserved).error();
    return ask::BudgetReservation{std::move(reserved->reservation), reserved->amount};
  }
  void settle(const ask::BudgetReservation& reservation, Money spent) override {
    access_.settle({reservation.id, reservation.amount}, spent);
  }

 private:
  access::Access& access_;
  const access::Principal principal_;
};

}  // namespace quarry::engine
