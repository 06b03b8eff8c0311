#include "engine/engine_metrics.h"

#include <cstdint>
#include <string>

namespace quarry::engine {
namespace {

using services::metric_label;

struct Description {
  std::string_view name;
  std::string_view help;
};
constexpr Description kDescriptions[] = {
    {"questions_total", "Questions that have ended, by finish reason; error if they failed."},
    {"question_duration_seconds", "Time from a question to its last event."},
    {"question_first_token_seconds", "Time from a question to the first token of its answer."},
    {"model_calls_total", "Calls of models that used tokens or failed."},
    {"model_tokens_total",
     "Tokens that providers reported; input includes cached ones, output reasoning."},
    {"model_cost_usd_total", "Cost of model calls by known rates, in US dollars."},
    {"tool_calls_total", "Tools that models used."},
    {"tool_duration_seconds", "Time that tools took."},
    {"fetches_total", "Reads of the sources of resources."},
    {"fetch_duration_seconds", "Time that reads of sources took."},
    {"plugin_crashes_total", "Crashes of plugins in processes of their own."},
    {"plugin_calls_given_up_total", "Calls into plugins that did not return in time."},
};

std::string outcome_label(bool failed) {
  return metric_label("outcome", failed ? "error" : "ok");
}

}  // namespace

EngineMetrics::EngineMetrics(services::Metrics& metrics) : metrics_(metrics) {
  for (const Description& one : kDescriptions) metrics_.describe(one.name, one.help);
}

/// Names and labels are the host's own, so that nothing can be refused.
void EngineMetrics::count(std::string_view name, const std::string& labels, double amount) {
  static_cast<void>(metrics_.count(name, labels, amount));
}

void EngineMetrics::observe(std::string_view name, const std::string& labels,
                            std::chrono::nanoseconds took) {
  static_cast<void>(metrics_.observe(name, labels, std::chrono::duration<double>(took).count()));
}

void EngineMetrics::ended(const ask::Record& record) {
  count("questions_total", metric_label("outcome", record.failed ? "error" : record.outcome));
  observe("question_duration_seconds", {}, record.duration);
  if (record.first_token) observe("question_first_token_seconds", {}, *record.first_token);
  for (const ask::CallRecord& call : record.calls) called(call);
}

void EngineMetrics::called(const ask::CallRecord& call) {
  const std::string model =
      metric_label("provider", call.provider) + "," + metric_label("model", call.model);
  count("model_calls_total", model + "," + outcome_label(call.failed));
  const auto tokens = [&](std::string_view kind, std::int64_t number) {
    if (number <= 0) return;
    count("model_tokens_total", model + "," + metric_label("kind", kind),
          static_cast<double>(number));
  };
  tokens("input", call.usage.input);
  tokens("output", call.usage.output);
  tokens("reasoning", call.usage.reasoning);
  tokens("cacheRead", call.usage.cache_read);
  tokens("cacheWrite", call.usage.cache_write);
  if (!call.source.empty())
    count("model_cost_usd_total", model, static_cast<double>(call.cost.total().nanos) / 1e9);
}

void EngineMetrics::used_tool(std::string_view tool, bool failed, std::chrono::nanoseconds took) {
  const std::string name = metric_label("tool", tool);
  count("tool_calls_total", name + "," + outcome_label(failed));
  observe("tool_duration_seconds", name, took);
}

void EngineMetrics::fetched(std::string_view type, bool failed, std::chrono::nanoseconds took) {
  const std::string name = metric_label("type", type);
  count("fetches_total", name + "," + outcome_label(failed));
  observe("fetch_duration_seconds", name, took);
}

}  // namespace quarry::engine
