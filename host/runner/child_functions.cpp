#include "runner/child_functions.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/symbols.h>
#include <quarry/model.h>
#include <quarry/outcome.hpp>
#include <quarry/pricing.h>
#include <quarry/resource.h>

#include <string_view>

namespace quarry::runner {
namespace {

template <class Table>
const Table& table_of(const quarry_component& component) {
  return *static_cast<const Table*>(component.table);
}

std::uint32_t bit_if(bool present, std::uint32_t bit) {
  return present ? bit : 0;
}

std::uint32_t of_model(const quarry_model_v1& table) {
  const bool models = QUARRY_HAS(&table, models) && table.models != nullptr;
  return bit_if(table.generate != nullptr, kHasGenerate) | bit_if(models, kHasModels);
}

}  // namespace

std::uint32_t optional_functions(const quarry_component& component) {
  const std::string_view kind = component.kind;
  if (kind == QUARRY_MODEL) return of_model(table_of<quarry_model_v1>(component));
  if (kind == QUARRY_PRICING) {
    const auto& table = table_of<quarry_pricing_v1>(component);
    return bit_if(QUARRY_HAS(&table, refresh) && table.refresh != nullptr, kHasRefresh);
  }
  if (kind != QUARRY_RESOURCE) return 0;
  const auto& table = table_of<quarry_resource_v1>(component);
  return bit_if(QUARRY_HAS(&table, parse_reference) && table.parse_reference != nullptr,
                kHasParseReference);
}

bool call_component(const ChildFunction& asked) {
  const std::string_view kind = asked.component.kind;
  if (kind == QUARRY_MODEL) return call_model(asked);
  if (kind == QUARRY_PRICING) return call_pricing(asked);
  if (kind == QUARRY_SYMBOLS) return call_symbols(asked);
  if (kind == QUARRY_EMBEDDING) return call_embedding(asked);
  if (kind == QUARRY_RERANK) return call_rerank(asked);
  return kind == QUARRY_RESOURCE && call_resource(asked);
}

bool call_pricing(const ChildFunction& asked) {
  const auto& table = table_of<quarry_pricing_v1>(asked.component);
  if (asked.function == Function::kRates) {
    const auto provider = as_text(asked.arguments.text());
    const auto model = as_text(asked.arguments.text());
    table.rates(asked.instance, asked.call.get(), provider, model, asked.reply);
    return true;
  }
  if (asked.function != Function::kRefresh || optional_functions(asked.component) == 0)
    return false;
  table.refresh(asked.instance, asked.call.get(), asked.reply);
  return true;
}

bool call_symbols(const ChildFunction& asked) {
  const auto& table = table_of<quarry_symbols_v1>(asked.component);
  if (asked.function == Function::kDescribe) {
    table.describe(asked.instance, asked.call.get(), asked.reply);
    return true;
  }
  const bool definitions = asked.function == Function::kDefinitions;
  if (!definitions && asked.function != Function::kReferences) return false;
  const auto path = as_text(asked.arguments.text());
  const auto text = as_text(asked.arguments.text());
  if (definitions) {
    table.definitions(asked.instance, asked.call.get(), path, text, asked.reply);
  } else {
    const auto name = as_text(asked.arguments.text());
    table.references(asked.instance, asked.call.get(), path, text, name, asked.reply);
  }
  return true;
}

}  // namespace quarry::runner
