#pragma once

#include "ask/cost.h"
#include "ask/model.h"
#include "ask/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quarry::ask {

/// What the model calls of a question used and cost, each by the rates of its own candidate. One
/// thread at a time.
class Bill {
 public:
  /// `usage` is what the provider told, `counted` what limits are to count where it told less;
  /// nothing = the same. `candidate` must outlive the bill.
  void add(const Candidate& candidate, const plugins::Usage& usage, bool failed,
           std::optional<plugins::Usage> counted = std::nullopt);

  [[nodiscard]] const plugins::Usage& usage() const { return usage_; }
  [[nodiscard]] Money total() const { return cost_.total(); }
  /// What limits count: at least the total, and at least the tokens of usage().
  [[nodiscard]] Money charged() const { return charged_; }
  [[nodiscard]] std::int64_t charged_tokens() const { return charged_tokens_; }
  /// Of the last call that `candidate` took part in and counted.
  [[nodiscard]] plugins::Usage last_usage(const Candidate& candidate) const;
  /// metrics.pricing with the rates of `answering`, or of the last model that has any; empty when
  /// none has. With more than one model, what each cost.
  [[nodiscard]] std::string pricing(const Candidate& answering) const;
  /// Every call, in order.
  std::vector<CallRecord> take_calls() { return std::move(calls_); }

 private:
  /// What one candidate cost.
  struct Line {
    const Candidate* candidate;
    Cost cost;
    plugins::Usage last;
  };
  Line& line_of(const Candidate& candidate);

  plugins::Usage usage_;
  Cost cost_;
  Money charged_;
  std::int64_t charged_tokens_ = 0;
  std::vector<Line> lines_;  ///< of candidates that used something
  std::vector<CallRecord> calls_;
};

}  // namespace quarry::ask
