#pragma once

#include "base/error.h"
#include "plugins/embedding_provider.h"
#include "retrieval/provider_use.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace quarry::retrieval {

/// Collects the vectors of one request, and checks that each text has one, that they have one
/// dimension, and that their values are finite.
class VectorCollector final : public plugins::EmbeddingSink {
 public:
  using Sink = plugins::EmbeddingSink;

  /// `use` must outlive it. `dimension`: that of earlier vectors; 0 = any.
  VectorCollector(const ProviderUse& use, std::size_t texts, std::size_t dimension)
      : use_(use), dimension_(dimension), expected_(dimension), seen_(texts, false) {}

  bool vector(std::uint32_t index, std::span<const float> values) override;
  bool usage(const plugins::Usage& usage) override;
  void finish() override;
  void error(const plugins::ModelError& error) override;

  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  [[nodiscard]] const plugins::Usage& used() const { return usage_; }
  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  /// One row a text. Valid if there is no failure.
  [[nodiscard]] const std::vector<float>& rows() const { return rows_; }

 private:
  void fail(std::string_view why);
  [[nodiscard]] std::string wrong_dimension(std::size_t given) const;

  const ProviderUse& use_;
  std::size_t dimension_;
  const std::size_t expected_;
  std::vector<bool> seen_;
  std::size_t count_ = 0;
  std::vector<float> rows_;
  plugins::Usage usage_;
  std::optional<Error> failure_;
};

}  // namespace quarry::retrieval
