#include "base/json.h"
#include "cli/connection.h"
#include "cli/top/top_figures.h"
#include "cli/verbs.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

constexpr std::uint32_t kLongestInterval = 3600;

struct TopOptions {
  bool once = false;
  std::optional<std::uint32_t> interval;  ///< seconds
};

/// The metrics of a server, read again and again.
class Readings {
 public:
  explicit Readings(std::unique_ptr<Connection> server) : server_(std::move(server)) {}

  /// Reads the metrics; kCancelled after an interrupt.
  Result<MetricsText> read() {
    auto answer = server_->call("metrics", "{}");
    if (!answer) return std::move(answer).error();
    const auto value = parse_json(*answer);
    if (!value) return value.error();
    return MetricsText::parse((*value)["text"].get_ref<const std::string&>());
  }

  /// What happens until the end of `interval`.
  Result<TopFigures> next(Signals& signals, std::chrono::seconds interval) {
    const auto begin = Steady::now();
    auto before = before_ ? std::exchange(before_, std::nullopt) : std::optional(read());
    if (!*before) return std::move(before->error());
    if (signals.wait(-1, interval)) return Error{Code::kCancelled, "interrupted"};
    auto after = read();
    if (!after) return std::move(after).error();
    const std::chrono::duration<double> passed = Steady::now() - begin;
    const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
    TopFigures figures = figures_of(**before, *after, passed.count(), now.count());
    before_ = std::move(after);
    return figures;
  }

 private:
  using Steady = std::chrono::steady_clock;
  std::unique_ptr<Connection> server_;
  std::optional<Result<MetricsText>> before_;
};

void print(Terminal& terminal, const TopFigures& figures, bool json) {
  if (json) {
    terminal.out_json(to_text(to_json(figures)));
    return;
  }
  for (const std::string& line : lines_of(figures)) terminal.out_line(line);
}

Result<ExitCode> run_top(Context& context, const TopOptions& options) {
  Terminal& terminal = context.terminal;
  const bool json = context.common.json;
  const std::uint32_t interval = options.interval.value_or(options.once ? 1 : 2);
  if (interval < 1 || interval > kLongestInterval) {
    return usage_error("--interval is not between 1 and 3600 seconds");
  }
  if (!options.once && !json && !terminal.redraws()) {
    return Error{Code::kUnsupported, "standard error is no terminal that can be drawn on",
                 "Add --once, or --json for a line each interval."};
  }
  auto server = connect_to_server(*context.common.server, context.signals);
  if (!server) return std::move(server).error();
  Readings readings(std::move(*server));
  std::optional<TopFigures> last;
  for (;;) {
    auto figures = readings.next(context.signals, std::chrono::seconds(interval));
    if (!figures && figures.error().code == Code::kCancelled) break;
    terminal.clear_status();
    if (!figures) return std::move(figures).error();
    last = std::move(*figures);
    if (options.once || json) print(terminal, *last, json);
    if (options.once) return ExitCode::kOk;
    if (!json) terminal.status(lines_of(*last));
  }
  terminal.clear_status();
  if (last && !json) print(terminal, *last, false);  // stays on the screen
  return ExitCode::kOk;
}

}  // namespace

Verb top_verb(CommonOptions& common) {
  const auto options = std::make_shared<TopOptions>();
  return {
      "top", "Watch what a server does",
      with_json(common, {{"-s,--server", "URL", "The server", &common.server, {.required = true}},
                         {"--once", "", "Print the figures of one interval", &options->once},
                         {"--interval", "SECONDS", "Time between two readings: 2, with --once 1",
                          &options->interval}}),
      [options](Context& context) { return run_top(context, *options); },
      "The figures are those of its metrics (GET /metrics). QUARRY_TOKEN holds the token of a "
      "server that wants one."};
}

}  // namespace quarry::cli
