#include "plugins/adapters.h"
#include "plugins/detachable_sink.h"
#include "plugins/exchange_provider_adapter.h"

#include <quarry/draft/rerank.h>

namespace quarry::plugins {
namespace {

constexpr std::uint32_t kUsualDocuments = 100;

class RerankSlot final : public ExchangeSlot<quarry_rerank_sink, RerankSink> {
 public:
  RerankSlot(const Instance& instance, State& state, RerankSink& sink)
      : ExchangeSlot(instance, state, sink) {
    table_.score = [](const quarry_rerank_sink* self, std::uint32_t index, double score) {
      return static_cast<RerankSlot&>(of(self)).take(index, score);
    };
  }

 private:
  quarry_status take(std::uint32_t index, double score) {
    if (ended()) return QUARRY_CANCELLED;
    return wanted(sink().score(index, score));
  }
};

class DetachableScores final : public Detachable<RerankSink> {
 public:
  using Detachable::Detachable;
  bool score(std::uint32_t index, double score) override {
    return pass([&](RerankSink& to) { return to.score(index, score); });
  }
  void finish() override {
    pass_end([](RerankSink& to) { to.finish(); });
  }
};

struct RerankKind {
  using Table = quarry_rerank_v1;
  using Sink = RerankSink;
  using Slot = RerankSlot;
  using Detachable = DetachableScores;
  using State = RerankSlot::State;
};

}  // namespace

Result<std::shared_ptr<RerankProvider>> adapt_rerank(std::shared_ptr<Instance> instance) {
  auto adapter = std::make_shared<ExchangeProviderAdapter<RerankKind>>(std::move(instance));
  auto said = adapter->read_description(kRerankDescription, "maxDocuments", kUsualDocuments);
  if (!said) return std::move(said.error());
  return std::shared_ptr<RerankProvider>(std::move(adapter));
}

}  // namespace quarry::plugins
