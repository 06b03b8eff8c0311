#include "authoring/plugin_trial.h"
#include "authoring/trial_functions.h"
#include "authoring/verbs.h"
#include "base/code_names.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/working_directory.h"
#include "cli/connection.h"
#include "cli/plugin_checks.h"
#include "cli/text_table.h"
#include "plugins/validation.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>

namespace quarry::authoring {
namespace {

namespace fs = std::filesystem;
using cli::Context;
using cli::ExitCode;
using cli::grouped;
using cli::Terminal;

/// What a running function says, passed from its threads to the one that prints.
class TrialEvents {
 public:
  struct Event {
    enum class Kind { kProgress, kText, kReasoning } kind;
    std::string text;
  };
  struct Taken {
    std::vector<Event> events;
    std::optional<Result<Json>> outcome;
  };

  void add(Event event) {
    put([&] { taken_.events.push_back(std::move(event)); });
  }
  void end(Result<Json> outcome) {
    put([&] { taken_.outcome = std::move(outcome); });
  }
  Taken take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(taken_, {});
  }
  [[nodiscard]] int wake() const { return wake_.fd(); }

 private:
  template <class Change>
  void put(const Change& change) {
    const std::lock_guard lock(mutex_);
    change();
    wake_.notify();
  }

  cli::Wake wake_;
  std::mutex mutex_;
  Taken taken_;
};

/// One call of a function, with its output.
class TrialRun {
 public:
  TrialRun(PluginTrial& trial, const TrialCall& wanted, Context& context)
      : trial_(trial), wanted_(wanted), context_(context) {}

  Result<ExitCode> run() {
    const auto begun = std::chrono::steady_clock::now();
    auto outcome = call();
    const auto took = std::chrono::steady_clock::now() - begun;
    memory_ = trial_.peak_memory();
    milliseconds_ = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
    context_.terminal.clear_status();
    if (context_.common.json) {
      context_.terminal.out_json(to_text(as_json(outcome)));
    } else {
      print(outcome);
    }
    return outcome ? ExitCode::kOk : cli::exit_code_of(outcome.error());
  }

 private:
  /// Makes the component and calls the function, on a thread of its own. The first interrupt
  /// cancels the call.
  Result<Json> call() {
    TrialEvents events;
    std::stop_source stop;
    services::Call call;
    call.stop = stop.get_token();
    call.progress = [&](std::string_view json) {
      events.add(
          {TrialEvents::Event::Kind::kProgress, trial_.redactor().redact_json(std::string(json))});
    };
    const OnText on_text = [&](std::string_view text, bool reasoning) {
      using Kind = TrialEvents::Event::Kind;
      events.add({reasoning ? Kind::kReasoning : Kind::kText, std::string(text)});
    };
    const services::NamedLoop thread("quarry-trial", [&] {
      auto function = prepare_trial(trial_, wanted_);
      Result<Json> outcome = function ? (*function)(call, on_text) : std::move(function).error();
      if (!outcome) outcome = trial_.redactor().redact(std::move(outcome).error());
      events.end(std::move(outcome));
    });
    while (true) {
      auto taken = events.take();
      for (const auto& event : taken.events) show(event);
      if (taken.outcome && stop.stop_requested()) return Error(Code::kCancelled, "interrupted");
      if (taken.outcome) return std::move(*taken.outcome);
      if (!context_.signals.wait(events.wake())) continue;
      if (stop.stop_requested()) std::_Exit(static_cast<int>(ExitCode::kInterrupted));
      stop.request_stop();
      context_.terminal.note("cancelling the call; interrupt again to end at once");
    }
  }

  void show(const TrialEvents::Event& event) {
    if (event.kind == TrialEvents::Event::Kind::kProgress) {
      auto progress = parse_json(event.text);
      if (context_.common.json) {
        progress_.push_back(progress ? std::move(*progress) : Json(event.text));
      } else {
        context_.terminal.note("progress: " + printable_line(event.text), Terminal::Style::kDim);
      }
      return;
    }
    if (context_.common.json) return;
    if (event.kind == TrialEvents::Event::Kind::kReasoning) {
      context_.terminal.note("reasoning: " + printable_line(event.text), Terminal::Style::kDim);
    } else {
      streamed_ = context_.terminal.out(event.text);
    }
  }

  void print(const Result<Json>& outcome) {
    Terminal& terminal = context_.terminal;
    if (streamed_) terminal.out("\n");
    if (outcome) {
      auto value = *outcome;
      print_files(value);
      if (streamed_) value.erase("text");
      terminal.out(value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    }
    terminal.note("outcome: " + std::string(outcome ? "ok" : name_of(outcome.error().code)) +
                  ", after " + grouped(milliseconds_) + " ms" + memory_words());
    if (!outcome) terminal.error(outcome.error());
  }

  /// Shows the files of a fetch as a table in place of JSON.
  void print_files(Json& value) {
    if (!value.is_object() || !value.contains("files")) return;
    std::vector<std::vector<std::string>> rows;
    std::int64_t bytes = 0;
    for (const Json& file : value["files"]) {
      const auto size = file["bytes"].get<std::int64_t>();
      bytes += size;
      rows.push_back({grouped(size), printable_exact(file["path"].get<std::string>()),
                      file.contains("leftOut") ? "(" + file["leftOut"].get<std::string>() + ")"
                                               : std::string()});
    }
    if (!rows.empty()) context_.terminal.out(cli::text_table(rows, {true, false, false}));
    context_.terminal.out_line(grouped(static_cast<std::int64_t>(rows.size())) +
                               (rows.size() == 1 ? " file, " : " files, ") + grouped(bytes) +
                               " bytes");
    value.erase("files");
  }

  [[nodiscard]] std::string memory_words() const {
    if (!memory_) return "";
    return ", " + grouped(static_cast<std::int64_t>(*memory_ >> 20)) + " MiB at most in " +
           (trial_.isolated() ? "its process" : "this process, where it ran");
  }

  [[nodiscard]] Json as_json(const Result<Json>& outcome) const {
    Json out{{"plugin", trial_.manifest().id},
             {"component", wanted_.component->name},
             {"function", wanted_.function},
             {"isolation", trial_.isolated() ? "process" : "none"},
             {"outcome", outcome ? "ok" : name_of(outcome.error().code)},
             {"value", nullptr},
             {"error", nullptr},
             {"progress", progress_},
             {"milliseconds", milliseconds_},
             {"memoryBytes", nullptr}};
    if (memory_) out["memoryBytes"] = *memory_;
    if (outcome) {
      out["value"] = *outcome;
    } else {
      out["error"] = error_json(outcome.error());
    }
    return out;
  }
  static Json error_json(const Error& error) {
    Json fields = Json::array();
    for (const auto& detail : error.details) {
      fields.push_back({{"field", detail.field}, {"message", detail.message}});
    }
    return {{"message", error.message}, {"hint", error.hint}, {"fields", fields}};
  }

  PluginTrial& trial_;
  const TrialCall& wanted_;
  Context& context_;
  Json progress_ = Json::array();
  bool streamed_ = false;
  std::int64_t milliseconds_ = 0;
  std::optional<std::uint64_t> memory_;
};

/// Replaces the component's table by the JSON object in a file.
Status configure(config::Config& config, const plugins::ManifestComponent& component,
                 const std::string& file) {
  constexpr std::size_t kMost = 1u << 20;
  if (file.empty()) return {};
  const auto text = read_file(file, kMost);
  if (!text) return Error(text.error()).in("--configuration");
  const auto json = parse_json(*text);
  if (!json || !json->is_object()) {
    return cli::usage_error("--configuration " + file + ": " +
                                (json ? std::string("it is no object") : json.error().message),
                            "write the component's table as a JSON object");
  }
  config::Table table;
  table.json = *text;
  table.places[""].file = file;
  if (component.kind == QUARRY_RESOURCE) config.resource_types[component.name] = table;
  if (component.kind == QUARRY_PRICING) config.pricing[component.name] = table;
  if (component.kind == QUARRY_EMBEDDING)
    config.embeddings[component.name] = {component.name, table};
  if (component.kind == QUARRY_RERANK) config.rerankers[component.name] = {component.name, table};
  if (component.kind == QUARRY_MODEL) {
    config.model.provider = component.name;
    config.model.options = table;
  }
  return {};
}

Status check_target(const std::string& to) {
  std::error_code failed;
  if (to.empty() || !fs::exists(to, failed)) return {};
  if (fs::is_directory(to, failed) && fs::is_empty(to, failed)) return {};
  return cli::usage_error("--to " + to + " is not an empty directory",
                          "name one that is empty, or that does not exist");
}

/// Prints the checks if one failed.
Result<plugins::Manifest> validated(const cli::PluginRunOptions& options, bool isolated,
                                    Context& context) {
  const auto load = [isolated](const auto& each) { return cli::load_apart(each, isolated, "{}"); };
  auto validation = plugins::validate(options.plugin, load);
  if (validation.passed()) return std::move(*validation.manifest);
  if (context.common.json) {
    context.terminal.out_json(validation.json());
  } else {
    context.terminal.out(validation.text());
  }
  return Error(Code::kInvalidArgument, "the plugin is not run, since a check of it failed",
               "\"quarry plugins validate\" has the same checks");
}

}  // namespace

Result<cli::ExitCode> run_function(const cli::PluginRunOptions& options, cli::Context& context) {
  auto config = config::load(cli::config_sources(context.common));
  if (!config) return config.error();
  const auto read = plugins::read_manifest(plugins::manifest_path(options.plugin));
  const bool isolated = !read || cli::is_isolated(*read, config->plugins);
  const auto manifest = validated(options, isolated, context);
  if (!manifest) return manifest.error();
  auto wanted = trial_call(*manifest, options.component, options.function, options.arguments);
  if (!wanted) return std::move(wanted.error());
  if (auto empty = check_target(options.to); !empty) return std::move(empty.error());
  if (!options.to.empty()) {
    auto to = absolute_path(options.to);
    if (!to) return std::move(to).error();
    wanted->to = std::move(*to);
  }
  wanted->model = options.model;
  if (auto done = configure(*config, *wanted->component, options.configuration); !done) {
    return std::move(done.error());
  }
  auto trial = PluginTrial::start(std::move(*config), manifest->path.parent_path(), isolated);
  if (!trial) return std::move(trial.error());
  return TrialRun(**trial, *wanted, context).run();
}

}  // namespace quarry::authoring
