#include "plugins/adapters.h"
#include "plugins/detachable_sink.h"
#include "plugins/exchange_provider_adapter.h"

#include <quarry/draft/embedding.h>

namespace quarry::plugins {
namespace {

constexpr std::uint32_t kUsualTexts = 64;

class EmbeddingSlot final : public ExchangeSlot<quarry_embedding_sink, EmbeddingSink> {
 public:
  EmbeddingSlot(const Instance& instance, State& state, EmbeddingSink& sink)
      : ExchangeSlot(instance, state, sink) {
    table_.vector = [](const quarry_embedding_sink* self, std::uint32_t index, const float* values,
                       std::uint32_t dimension) {
      return static_cast<EmbeddingSlot&>(of(self)).take(index, values, dimension);
    };
  }

 private:
  quarry_status take(std::uint32_t index, const float* values, std::uint32_t dimension) {
    if (ended()) return QUARRY_CANCELLED;
    if (values == nullptr || dimension == 0 || dimension > QUARRY_LIMIT_DIMENSION) {
      fail("the provider gave a vector of " + std::to_string(values == nullptr ? 0 : dimension) +
           " values; 1 to " + std::to_string(QUARRY_LIMIT_DIMENSION) + " are possible");
      return QUARRY_CANCELLED;
    }
    return wanted(sink().vector(index, {values, dimension}));
  }
};

class DetachableVectors final : public Detachable<EmbeddingSink> {
 public:
  using Detachable::Detachable;
  bool vector(std::uint32_t index, std::span<const float> values) override {
    return pass([&](EmbeddingSink& to) { return to.vector(index, values); });
  }
  void finish() override {
    pass_end([](EmbeddingSink& to) { to.finish(); });
  }
};

struct EmbeddingKind {
  using Table = quarry_embedding_v1;
  using Sink = EmbeddingSink;
  using Slot = EmbeddingSlot;
  using Detachable = DetachableVectors;
  using State = EmbeddingSlot::State;
};

}  // namespace

Result<std::shared_ptr<EmbeddingProvider>> adapt_embedding(std::shared_ptr<Instance> instance) {
  auto adapter = std::make_shared<ExchangeProviderAdapter<EmbeddingKind>>(std::move(instance));
  auto said = adapter->read_description(kEmbeddingDescription, "maxTexts", kUsualTexts);
  if (!said) return std::move(said.error());
  return std::shared_ptr<EmbeddingProvider>(std::move(adapter));
}

}  // namespace quarry::plugins
