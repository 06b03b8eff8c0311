#pragma once

#include "access/access.h"
#include "ask/purse.h"

namespace quarry::engine {

/// A day's money of a token and its project. `access` must outlive it.
class TokenPurse final : public ask::Purse {
 public:
  TokenPurse(access::Access& access, access::Principal principal)
      : access_(access), principal_(std::move(principal)) {}

  bool is_limited() const override { return access_.is_limited_in_money(principal_); }
  Result<ask::Kept> keep(Money least, Money most) override {
    auto kept = access_.keep(principal_, least, most);
    if (!kept) return std::move(kept).error();
    return ask::Kept{std::move(kept->reservation), kept->amount};
  }
  void settle(const ask::Kept& kept, Money spent) override {
    access_.settle({kept.id, kept.amount}, spent);
  }

 private:
  access::Access& access_;
  const access::Principal principal_;
};

}  // namespace quarry::engine
