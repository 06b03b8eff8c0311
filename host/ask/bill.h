#pragma once

#include "ask/cost.h"
#include "ask/model.h"
#include "ask/record.h"

#include <string>
#include <vector>

namespace quarry::ask {

/// What the model calls of a question used and cost, each by the rates of its own candidate. One
/// thread at a time.
class Bill {
 public:
  /// `candidate` must outlive the bill.
  void add(const Candidate& candidate, const plugins::Usage& usage, bool failed);

  [[nodiscard]] const plugins::Usage& usage() const { return usage_; }
  [[nodiscard]] Money total() const { return cost_.total(); }
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
  std::vector<Line> lines_;  ///< of candidates that used something
  std::vector<CallRecord> calls_;
};

}  // namespace quarry::ask
