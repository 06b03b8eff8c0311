#include "runner/child_functions.h"

#include "runner/child_exchange.h"
#include "runner/functions.h"
#include "runner/sink_functions.h"

#include <string_view>

namespace quarry::runner {
namespace {

/// A provider of a draft kind.
template <class Table, class Functions, class Sink>
bool call_provider(const ChildFunction& asked) {
  return Functions::call(asked) || call_exchange<Table, Sink>(asked);
}

}  // namespace

std::uint32_t optional_functions(const quarry_component& component) {
  const std::string_view kind = component.kind;
  if (kind == QUARRY_MODEL) {
    const auto& table = *static_cast<const quarry_model_v1*>(component.table);
    return ModelFunctions::bits(component) | (table.generate != nullptr ? kHasGenerate : 0);
  }
  if (kind == QUARRY_PRICING) return PricingFunctions::bits(component);
  return kind == QUARRY_RESOURCE ? ResourceFunctions::bits(component) : 0;
}

bool call_component(const ChildFunction& asked) {
  const std::string_view kind = asked.component.kind;
  if (kind == QUARRY_MODEL) return call_model(asked);
  if (kind == QUARRY_PRICING) return PricingFunctions::call(asked);
  if (kind == QUARRY_SYMBOLS) return SymbolsFunctions::call(asked);
  if (kind == QUARRY_EMBEDDING) {
    return call_provider<quarry_embedding_v1, EmbeddingFunctions, EmbeddingSink>(asked);
  }
  if (kind == QUARRY_RERANK) {
    return call_provider<quarry_rerank_v1, RerankFunctions, RerankSink>(asked);
  }
  return kind == QUARRY_RESOURCE && call_resource(asked);
}

}  // namespace quarry::runner
