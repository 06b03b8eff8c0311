#include "retrieval/provider_encoder.h"

#include "base/json_writer.h"
#include "services/workers.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <utility>

namespace quarry::retrieval {
namespace {

using Texts = std::span<const std::string_view>;

/// Text of one request, unless a single text is longer.
constexpr std::size_t kRequestBytes = 512u << 10;

/// Of a response: more than the digits of the longest vector a text.
constexpr std::uint64_t kBytesOfText = 512u << 10;

/// Collects the vectors of one request, and checks that they have one dimension, and that their
/// values are finite.
class VectorCollector final : public Collector<plugins::EmbeddingSink> {
 public:
  /// `dimension`: that of earlier vectors; 0 = any.
  VectorCollector(const ProviderUse& use, std::size_t texts, std::size_t dimension)
      : Collector(use, texts, {"vector", "texts"}), dimension_(dimension), expected_(dimension) {}

  bool vector(std::uint32_t index, std::span<const float> values) override {
    if (!take(index)) return false;
    if (dimension_ != 0 && values.size() != dimension_) return fail(wrong_dimension(values.size()));
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) {
      return fail("the vector with the index " + std::to_string(index) +
                  " has a value that is not finite");
    }
    dimension_ = values.size();
    rows_.resize(asked() * dimension_);
    std::ranges::copy(values, rows_.begin() + static_cast<std::ptrdiff_t>(index * dimension_));
    return true;
  }

  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  /// One row a text. Valid if there is no failure.
  [[nodiscard]] const std::vector<float>& rows() const { return rows_; }

 private:
  [[nodiscard]] std::string wrong_dimension(std::size_t given) const {
    const std::string values =
        "the response has a vector of " + std::to_string(given) + " values, ";
    if (expected_ == 0) return values + "and another one of " + std::to_string(dimension_);
    return values + "and earlier ones had " + std::to_string(expected_) +
           ": the server uses another model under the same name";
  }

  std::size_t dimension_;
  const std::size_t expected_;
  std::vector<float> rows_;
};

class ProviderEncoder final : public corpus::Encoder {
 public:
  ProviderEncoder(std::shared_ptr<plugins::EmbeddingProvider> provider, ProviderUse use)
      : provider_(std::move(provider)),
        passages_(std::move(use)),
        queries_(interactive(passages_)) {}

  [[nodiscard]] std::string identity() const override {
    const std::string& variant = provider_->describe().variant;
    return passages_.component + "/" + passages_.model + (variant.empty() ? "" : " " + variant);
  }

  Result<std::vector<float>> encode(Texts texts, corpus::TextKind kind,
                                    std::stop_token stop) override {
    const auto empty = std::ranges::find_if(texts, &std::string_view::empty);
    if (empty != texts.end()) {
      return Error(Code::kInvalidArgument,
                   "text " + std::to_string(empty - texts.begin()) + " to encode is empty");
    }
    const services::BlockedWorker waits;
    std::vector<float> rows;
    while (!texts.empty()) {
      const Texts now = texts.first(size_of_request(texts));
      auto some = encode_at_once(now, kind, stop);
      if (!some) return some;
      rows.insert(rows.end(), some->begin(), some->end());
      texts = texts.subspan(now.size());
    }
    return rows;
  }

 private:
  [[nodiscard]] std::size_t size_of_request(Texts texts) const {
    const std::size_t most = std::min<std::size_t>(texts.size(), provider_->describe().most_items);
    std::size_t bytes = texts[0].size();
    std::size_t count = 1;
    while (count < most && bytes + texts[count].size() <= kRequestBytes) {
      bytes += texts[count++].size();
    }
    return count;
  }

  Result<std::vector<float>> encode_at_once(Texts texts, corpus::TextKind kind,
                                            const std::stop_token& stop) {
    ProviderUse use = kind == corpus::TextKind::kQuery ? queries_ : passages_;
    use.limits.max_bytes = (texts.size() + 1) * kBytesOfText;
    VectorCollector collector(use, texts.size(), dimension_);
    Status done = ask_provider(*provider_, use, request_of(texts, kind), collector, stop);
    if (!done) return std::move(done).error();
    dimension_ = collector.dimension();
    return collector.rows();
  }

  [[nodiscard]] std::string request_of(Texts texts, corpus::TextKind kind) const {
    return json_object([&](JsonWriter& json) {
      json.member("model", passages_.model);
      json.member("kind", std::string_view(kind == corpus::TextKind::kQuery ? "query" : "passage"));
      json.array("texts", [&] {
        for (const std::string_view text : texts) json.item(text);
      });
    });
  }

  const std::shared_ptr<plugins::EmbeddingProvider> provider_;
  const ProviderUse passages_;
  const ProviderUse queries_;
  std::atomic<std::size_t> dimension_ = 0;  ///< of the first response
};

}  // namespace

std::shared_ptr<corpus::Encoder> make_encoder(std::shared_ptr<plugins::EmbeddingProvider> provider,
                                              ProviderUse use) {
  return std::make_shared<ProviderEncoder>(std::move(provider), std::move(use));
}

}  // namespace quarry::retrieval
