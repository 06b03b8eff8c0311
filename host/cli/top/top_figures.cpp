#include "cli/top/top_figures.h"

#include "base/size_text.h"
#include "cli/text_table.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

/// Growth of a counter in a second; one that is smaller has begun anew.
class Growth {
 public:
  Growth(const MetricsText& before, const MetricsText& after, double seconds)
      : before_(before), after_(after), seconds_(seconds) {}
  [[nodiscard]] double of(std::string_view name) const {
    return between(before_.sum(name), after_.sum(name));
  }
  [[nodiscard]] double between(double before, double after) const {
    return (after < before ? after : after - before) / seconds_;
  }

 private:
  const MetricsText& before_;
  const MetricsText& after_;
  double seconds_;
};

using ModelKey = std::pair<std::string, std::string>;
using Models = std::map<ModelKey, TopFigures::Model>;

TopFigures::Model& model_of(Models& models, const std::vector<std::string>& labels) {
  TopFigures::Model& model = models[{labels[0], labels[1]}];
  model.provider = labels[0];
  model.name = labels[1];
  return model;
}

std::vector<TopFigures::Model> models_of(const MetricsText& before, const MetricsText& after,
                                         const Growth& growth) {
  Models models;
  for (const auto& [labels, calls] :
       after.sums("quarry_model_calls_total", {"provider", "model", "outcome"})) {
    TopFigures::Model& model = model_of(models, labels);
    model.calls += calls;
    if (labels[2] == "error") model.failed += calls;
  }
  const std::vector<std::string> kinds = {"provider", "model", "kind"};
  auto tokens_before = before.sums("quarry_model_tokens_total", kinds);
  for (const auto& [labels, tokens] : after.sums("quarry_model_tokens_total", kinds)) {
    TopFigures::Model& model = model_of(models, labels);
    const double rate = growth.between(tokens_before[labels], tokens);
    if (labels[2] == "input") model.input_per_second = rate;
    if (labels[2] == "output") model.output_per_second = rate;
  }
  for (const auto& [labels, cost] :
       after.sums("quarry_model_cost_usd_total", {"provider", "model"})) {
    model_of(models, labels).cost_usd = cost;
  }
  std::vector<TopFigures::Model> out;
  for (auto& [key, model] : models) out.push_back(std::move(model));
  std::ranges::stable_sort(out, std::greater<>(), &TopFigures::Model::output_per_second);
  return out;
}

std::vector<TopFigures::Plugin> plugins_of(const MetricsText& after) {
  std::map<std::string, TopFigures::Plugin> plugins;
  for (const auto& [labels, count] : after.sums("quarry_plugin_crashes_total", {"id"})) {
    plugins[labels[0]].crashes = count;
  }
  for (const auto& [labels, count] : after.sums("quarry_plugin_calls_given_up_total", {"id"})) {
    plugins[labels[0]].given_up = count;
  }
  std::vector<TopFigures::Plugin> out;
  for (auto& [id, plugin] : plugins) {
    plugin.id = id;
    out.push_back(std::move(plugin));
  }
  return out;
}

/// With at most `decimals` digits after the point, and none that are zero at the end.
std::string decimal_text(double value, int decimals = 1) {
  std::string text = fixed(value, decimals);
  if (text.find('.') == text.npos) return text;
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string count(double value) {
  return grouped(std::llround(value));
}

std::string bytes(double value) {
  return size_text(static_cast<std::uint64_t>(std::max(value, 0.)));
}

/// "3 d 4 h", "5 min", "12 s"
std::string span(double seconds) {
  const auto whole = std::llround(std::max(seconds, 0.));
  if (whole >= 86400) return grouped(whole / 86400) + " d " + grouped(whole % 86400 / 3600) + " h";
  if (whole >= 3600) return grouped(whole / 3600) + " h " + grouped(whole % 3600 / 60) + " min";
  return whole >= 60 ? grouped(whole / 60) + " min" : grouped(whole) + " s";
}

/// ", 3 failed", or nothing.
std::string failures(double failed) {
  return failed > 0 ? ", " + count(failed) + " failed" : "";
}

}  // namespace

TopFigures figures_of(const MetricsText& before, const MetricsText& after, double seconds,
                      double now) {
  const Growth growth(before, after, seconds);
  TopFigures out;
  out.ready = after.sum("quarry_ready") > 0;
  out.problems = after.sum("quarry_problems");
  const double start = after.sum("process_start_time_seconds");
  out.seconds_up = start > 0 ? std::max(now - start, 0.) : 0;
  out.questions_running = after.sum("quarry_questions_running");
  out.questions_limit = after.sum("quarry_questions_limit");
  out.questions = after.sum("quarry_questions_total");
  out.questions_failed = after.sum("quarry_questions_total", "outcome", "error");
  out.questions_per_second = growth.of("quarry_questions_total");
  out.streams = after.sum("quarry_http_streams_open");
  out.requests_per_second = growth.of("quarry_http_requests_total");
  out.tools_per_second = growth.of("quarry_tool_calls_total");
  out.fetches = after.sum("quarry_fetches_total");
  out.fetches_failed = after.sum("quarry_fetches_total", "outcome", "error");
  out.resources = after.sum("quarry_resources");
  out.processors = growth.of("process_cpu_seconds_total");
  out.resident_bytes = after.sum("process_resident_memory_bytes");
  out.descriptors = after.sum("process_open_fds");
  out.descriptors_limit = after.sum("process_max_fds");
  out.threads = after.sum("process_threads");
  out.jobs_waiting = after.sum("quarry_worker_jobs_waiting");
  out.cache_bytes = after.sum("quarry_cache_bytes");
  out.cache_limit_bytes = after.sum("quarry_cache_limit_bytes");
  out.models = models_of(before, after, growth);
  out.plugins = plugins_of(after);
  return out;
}

Json to_json(const TopFigures& figures) {
  Json models = Json::array();
  for (const TopFigures::Model& model : figures.models) {
    models.push_back({{"provider", model.provider},
                      {"model", model.name},
                      {"calls", model.calls},
                      {"failed", model.failed},
                      {"inputPerSecond", model.input_per_second},
                      {"outputPerSecond", model.output_per_second}});
    if (model.cost_usd) models.back()["costUsd"] = *model.cost_usd;
  }
  Json plugins = Json::array();
  for (const TopFigures::Plugin& plugin : figures.plugins) {
    plugins.push_back(
        {{"id", plugin.id}, {"crashes", plugin.crashes}, {"givenUp", plugin.given_up}});
  }
  return {{"ready", figures.ready},
          {"problems", figures.problems},
          {"secondsUp", figures.seconds_up},
          {"questionsRunning", figures.questions_running},
          {"questionsLimit", figures.questions_limit},
          {"questions", figures.questions},
          {"questionsFailed", figures.questions_failed},
          {"questionsPerSecond", figures.questions_per_second},
          {"streams", figures.streams},
          {"requestsPerSecond", figures.requests_per_second},
          {"toolsPerSecond", figures.tools_per_second},
          {"fetches", figures.fetches},
          {"fetchesFailed", figures.fetches_failed},
          {"resources", figures.resources},
          {"processors", figures.processors},
          {"residentBytes", figures.resident_bytes},
          {"descriptors", figures.descriptors},
          {"descriptorsLimit", figures.descriptors_limit},
          {"threads", figures.threads},
          {"jobsWaiting", figures.jobs_waiting},
          {"cacheBytes", figures.cache_bytes},
          {"cacheLimitBytes", figures.cache_limit_bytes},
          {"models", std::move(models)},
          {"plugins", std::move(plugins)}};
}

std::vector<std::string> lines_of(const TopFigures& figures) {
  std::string state = figures.ready ? "ready" : "not ready";
  if (figures.problems > 0) state += ", " + count(figures.problems) + " problems";
  std::vector<std::vector<std::string>> rows = {
      {"host", state + ", up " + span(figures.seconds_up)},
      {"questions", count(figures.questions_running) + " of " + count(figures.questions_limit) +
                        " run, " + decimal_text(figures.questions_per_second) + " a second; " +
                        count(figures.questions) + " ended" + failures(figures.questions_failed)},
      {"http", count(figures.streams) + " streams, " + decimal_text(figures.requests_per_second) +
                   " requests a second"},
      {"tools", decimal_text(figures.tools_per_second) + " calls a second"},
      {"sources", count(figures.resources) + " resources, " + count(figures.fetches) + " fetches" +
                      failures(figures.fetches_failed)},
      {"process", decimal_text(figures.processors * 100, 0) + " % of a processor, " +
                      bytes(figures.resident_bytes) + ", " + count(figures.threads) + " threads"},
      {"limits", count(figures.descriptors) + " of " + count(figures.descriptors_limit) +
                     " descriptors, " + count(figures.jobs_waiting) + " jobs wait"},
      {"cache", bytes(figures.cache_bytes) + " of " + bytes(figures.cache_limit_bytes)},
  };
  for (const TopFigures::Plugin& plugin : figures.plugins) {
    rows.push_back({"plugin", plugin.id + ": " + count(plugin.crashes) + " crashes, " +
                                  count(plugin.given_up) + " calls did not return"});
  }
  std::string text = text_table(std::move(rows), {false, false});
  if (!figures.models.empty()) {
    std::vector<std::vector<std::string>> models = {
        {"model", "calls", "failed", "input/s", "output/s", "cost"}};
    for (const TopFigures::Model& model : figures.models) {
      models.push_back({model.provider + "/" + model.name, count(model.calls), count(model.failed),
                        decimal_text(model.input_per_second), decimal_text(model.output_per_second),
                        model.cost_usd ? "$" + decimal_text(*model.cost_usd, 4) : "-"});
    }
    text += "\n" + text_table(std::move(models), {false, true, true, true, true, true});
  }
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace quarry::cli
