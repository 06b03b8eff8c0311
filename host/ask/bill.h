#pragma once

#include "ask/cost.h"
#include "ask/model.h"
#include "ask/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quarry::ask {

/// Usage and cost of a question's model calls, each by the rates of its own candidate. One thread
/// at a time.
class Bill {
 public:
  /// `usage`: reported by the provider; `counted`: what limits count, when the provider reported
  /// less; nothing = `usage`. `candidate` must outlive the bill.
  void add(const Candidate& candidate, const plugins::Usage& usage, bool failed,
           std::optional<plugins::Usage> counted = std::nullopt);

  [[nodiscard]] const plugins::Usage& usage() const { return usage_; }
  [[nodiscard]] Money total() const { return cost_.total(); }
  /// Amount that limits count: at least total().
  [[nodiscard]] Money charged() const { return charged_; }
  /// Tokens that limits count: at least those of usage().
  [[nodiscard]] std::int64_t charged_tokens() const { return charged_tokens_; }
  /// Usage of the last call of `candidate` that used tokens.
  [[nodiscard]] plugins::Usage last_usage(const Candidate& candidate) const;
  /// metrics.pricing with the rates of `answering`, or of the last model that has rates; empty
  /// when none has. With more than one model it lists the cost of each.
  [[nodiscard]] std::string pricing(const Candidate& answering) const;
  /// Moves out the record of every call, in order.
  std::vector<CallRecord> take_calls() { return std::move(calls_); }

 private:
  /// Cost of one candidate.
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
  std::vector<Line> lines_;  ///< of candidates that used tokens
  std::vector<CallRecord> calls_;
};

}  // namespace quarry::ask
