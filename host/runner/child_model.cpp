#include "runner/child_exchange.h"
#include "runner/functions.h"
#include "runner/sink_functions.h"

namespace quarry::runner {
namespace {

void call_generate(const quarry_model_v1& table, const ChildFunction& asked) {
  const auto sink = ModelSink::sending(asked.call);
  table.generate(asked.instance, asked.call.get(), as_text(asked.arguments.text()), &sink);
  reply_done(asked);
}

}  // namespace

bool call_model(const ChildFunction& asked) {
  const auto& table = *static_cast<const quarry_model_v1*>(asked.component.table);
  if (ModelFunctions::call(asked)) return true;
  if (table.generate == nullptr) return call_exchange<quarry_model_v1, ModelSink>(asked);
  if (asked.function != Function::kGenerate) return false;
  return call_generate(table, asked), true;
}

}  // namespace quarry::runner
