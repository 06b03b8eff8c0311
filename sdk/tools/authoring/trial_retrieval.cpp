#include "authoring/trial_retrieval.h"

#include <quarry/draft/embedding.h>

#include <string_view>

namespace quarry::authoring {
namespace {

Json description_json(const plugins::ExchangeDescription& described) {
  auto schema = parse_json(described.schema);
  return {{"title", described.title},     {"schema", schema ? std::move(*schema) : Json()},
          {"needs", described.needs},     {"local", described.local},
          {"vendor", described.vendor},   {"endpoint", described.endpoint},
          {"variant", described.variant}, {"mostItems", described.most_items}};
}

Result<Json> encoded(corpus::Encoder& encoder, const services::Call& call, std::string_view text) {
  const auto vector = encoder.encode({&text, 1}, corpus::TextKind::kQuery, call.stop);
  if (!vector) return vector.error();
  return Json{{"identity", encoder.identity()}, {"vector", *vector}};
}

Result<Json> scored(corpus::Reranker& reranker, const services::Call& call, std::string_view query,
                    std::string_view document) {
  const auto scores = reranker.score(query, {&document, 1}, call.stop);
  if (!scores) return scores.error();
  return Json{{"score", scores->front()}};
}

}  // namespace

Result<RunTrial> retrieval_trial(PluginTrial& trial, const TrialCall& wanted) {
  const std::string& kind = wanted.component->kind;
  const std::string& name = wanted.component->name;
  if (wanted.function == "describe") {
    auto described = trial.describe_retrieval(kind, name);
    if (!described) return std::move(described.error());
    return [value = description_json(*described)](const services::Call&,
                                                  const OnText&) -> Result<Json> { return value; };
  }
  auto made = trial.retrieval(kind, name, wanted.model);
  if (!made) return std::move(made.error());
  return [made = std::move(*made), given = wanted.arguments](const services::Call& call,
                                                             const OnText&) -> Result<Json> {
    if (made.encoder != nullptr) return encoded(*made.encoder, call, given[0]);
    return scored(*made.reranker, call, given[0], given[1]);
  };
}

}  // namespace quarry::authoring
