#pragma once

#include "base/error.h"
#include "plugins/rerank_provider.h"
#include "retrieval/provider_use.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace quarry::retrieval {

/// Collects the scores of one request, and checks that each document has one, which is finite.
class ScoreCollector final : public plugins::RerankSink {
 public:
  using Sink = plugins::RerankSink;

  /// `use` must outlive it.
  ScoreCollector(const ProviderUse& use, std::size_t documents)
      : use_(use), scores_(documents), seen_(documents, false) {}

  bool score(std::uint32_t index, double score) override;
  bool usage(const plugins::Usage& usage) override;
  void finish() override;
  void error(const plugins::ModelError& error) override;

  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  [[nodiscard]] const plugins::Usage& used() const { return usage_; }
  /// One a document. Valid if there is no failure.
  [[nodiscard]] const std::vector<double>& scores() const { return scores_; }

 private:
  const ProviderUse& use_;
  std::vector<double> scores_;
  std::vector<bool> seen_;
  std::size_t count_ = 0;
  plugins::Usage usage_;
  std::optional<Error> failure_;
};

}  // namespace quarry::retrieval
