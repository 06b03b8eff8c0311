#include "conformance/conformance.h"

#include "base/text.h"
#include "conformance/checks.h"
#include "conformance/child_process.h"
#include "plugins/compose.h"
#include "services/paths.h"

#include <quarry/process_state.hpp>

#include <algorithm>
#include <list>
#include <poll.h>
#include <thread>
#include <utility>

namespace quarry::conformance {
namespace {

using plugins::compose;

Outcome outcome_of(plugins::CheckOutcome outcome) {
  switch (outcome) {
    case plugins::CheckOutcome::kPass:
      return Outcome::kPass;
    case plugins::CheckOutcome::kFail:
      return Outcome::kFail;
    case plugins::CheckOutcome::kSkip:
      break;
  }
  return Outcome::kSkip;
}

bool has_failed(Outcome outcome) {
  return outcome == Outcome::kFail || outcome == Outcome::kCrash || outcome == Outcome::kTimeout;
}

CheckResult result_of(const plugins::CheckResult& said) {
  CheckResult result{.check = {said.name, "static", said.sentence},
                     .outcome = outcome_of(said.outcome)};
  if (said.error) {
    result.message = said.error->message;
    result.hint = said.error->hint;
  }
  return result;
}

/// Runs the checks of one stage, several at a time.
class StageRun {
 public:
  StageRun(const plugins::Manifest& manifest, const Options& options,
           const std::filesystem::path& directory)
      : manifest_(manifest), options_(options), directory_(directory) {}

  void run(const std::vector<std::pair<const Check*, CheckResult*>>& checks) {
    for (const auto& [check, result] : checks) {
      if (running_.size() == jobs()) wait();
      start(*check, *result);
    }
    while (!running_.empty()) wait();
  }

 private:
  struct Running {
    ChildProcess child;
    CheckResult* result;
  };

  [[nodiscard]] std::size_t jobs() const {
    return options_.jobs == 0 ? std::max(1u, std::thread::hardware_concurrency()) : options_.jobs;
  }
  void start(const Check& check, CheckResult& result) {
    const auto own = directory_ / std::to_string(number_++);
    std::error_code failed;
    std::filesystem::create_directory(own, failed);
    const auto task = [&, own](const Note& note, const ChildOutput& output) {
      Trial trial(manifest_, options_, note, output, own);
      return check.run(trial);
    };
    auto child = ChildProcess::start(
        task, {.time = options_.limit, .memory = 2 * options_.memory, .directory = own});
    if (child) {
      running_.push_back({std::move(*child), &result});
    } else {
      result.outcome = Outcome::kFail;
      result.message = child.error().message;
      result.hint = "try again when the machine is less busy";
    }
  }
  /// Waits until at least one has ended.
  void wait() {
    for (const auto before = running_.size(); running_.size() == before;) {
      wait_for_change();
      for (auto each = running_.begin(); each != running_.end();) {
        if (each->child.is_done()) {
          finish(*each);
          each = running_.erase(each);
        } else {
          ++each;
        }
      }
    }
  }
  void wait_for_change() {
    std::vector<pollfd> descriptors;
    auto next = ChildProcess::Clock::time_point::max();
    for (const auto& each : running_) {
      next = std::min(next, each.child.deadline());
      for (const int descriptor : each.child.descriptors()) {
        descriptors.push_back({.fd = descriptor, .events = POLLIN, .revents = 0});
      }
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(next - ChildProcess::Clock::now()).count();
    ::poll(descriptors.data(), descriptors.size(), static_cast<int>(std::max<long>(0, left)));
  }
  static void finish(Running& each) {
    auto verdict = each.child.finish();
    each.result->outcome = verdict.outcome;
    each.result->message = std::move(verdict.message);
    each.result->hint = std::move(verdict.hint);
    each.result->time = std::chrono::duration_cast<std::chrono::milliseconds>(
        ChildProcess::Clock::now() - each.child.started());
  }

  const plugins::Manifest& manifest_;
  const Options& options_;
  const std::filesystem::path& directory_;
  std::list<Running> running_;
  int number_ = 0;
};

bool is_wanted(const Options& options, std::string_view name) {
  return options.checks.empty() || std::ranges::find(options.checks, name) != options.checks.end();
}

Status check_names(const Options& options) {
  std::vector<std::string> known;
  for (const auto& check : all_checks()) known.emplace_back(check.name);
  for (const auto& name : options.checks) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const auto near = nearest(name, known);
    return Error(
        Code::kInvalidArgument, compose("there is no check \"{}\"", name),
        near ? compose("did you mean \"{}\"?", *near) : "the checks are listed in docs/plugins.md");
  }
  return {};
}

/// True if the plugin has a component that the check is for.
bool applies(const Check& check, const plugins::Manifest& manifest) {
  return check.kind.empty() ||
         std::ranges::find(manifest.components, check.kind, &plugins::ManifestComponent::kind) !=
             manifest.components.end();
}

/// The last stage of a wanted check: those before it run too, because it assumes them.
int last_stage(const Options& options) {
  int last = -1;
  for (const auto& check : dynamic_checks()) {
    if (is_wanted(options, check.info.name)) last = std::max(last, check.stage);
  }
  return last;
}

void run_dynamic(const plugins::Manifest& manifest, const Options& options,
                 const std::filesystem::path& directory, std::vector<CheckResult>& results) {
  const Orphans orphans;
  StageRun stage(manifest, options, directory);
  const int last = last_stage(options);
  bool broken = false;
  const std::size_t first = results.size();
  for (const auto& check : dynamic_checks()) {
    const bool does = applies(check, manifest);
    results.push_back({.check = check.info,
                       .applies = does,
                       .message = does ? "" : compose("it offers no {}", check.kind)});
  }
  for (int number = 0; number <= last && !broken; ++number) {
    std::vector<std::pair<const Check*, CheckResult*>> wanted;
    for (std::size_t i = 0; i < dynamic_checks().size(); ++i) {
      const Check& check = dynamic_checks()[i];
      const bool assumed = number < last;
      if (!results[first + i].applies || check.stage != number) continue;
      if (assumed || is_wanted(options, check.info.name)) {
        wanted.emplace_back(&check, &results[first + i]);
      }
    }
    stage.run(wanted);
    for (const auto& [check, result] : wanted) {
      broken = broken || has_failed(result->outcome);
    }
  }
}

/// Gives the checks that did not run a reason.
void explain_skipped(std::vector<CheckResult>& results) {
  const auto broken = std::ranges::find_if(
      results, [](const CheckResult& each) { return has_failed(each.outcome); });
  if (broken == results.end()) return;
  for (auto& each : results) {
    if (each.outcome == Outcome::kSkip && each.message.empty()) {
      each.message = compose("not run, since {} did not pass", broken->check.name);
    }
  }
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  constexpr std::string_view kNames[] = {"pass", "fail", "crash", "timeout", "warn", "skip"};
  return kNames[static_cast<std::size_t>(outcome)];
}

const std::vector<CheckInfo>& all_checks() {
  static const std::vector<CheckInfo> kAll = [] {
    std::vector<CheckInfo> all;
    for (const auto& check : plugins::validate({}, {}).checks) {
      all.push_back({check.name, "static", check.sentence});
    }
    for (const auto& check : dynamic_checks()) all.push_back(check.info);
    return all;
  }();
  return kAll;
}

bool Report::passed() const {
  return std::ranges::none_of(checks, [](const auto& each) { return has_failed(each.outcome); });
}

Result<Report> run(const Options& options) {
  if (observe(ProcessAspect::kThreads).size() != 1) {
    return Error(Code::kInternal, "checks start processes, and this one has several threads");
  }
  if (auto known = check_names(options); !known) return std::move(known.error());
  const auto validation = plugins::validate(options.path, options.load);
  Report report{.path = validation.path, .seed = options.seed, .checks = {}};
  for (const auto& check : validation.checks) report.checks.push_back(result_of(check));
  if (validation.passed()) {
    auto directory = make_temp_directory(std::filesystem::temp_directory_path(), "quarry-check-");
    if (!directory) return std::move(directory.error());
    const services::TempDirectory removed(*directory);
    run_dynamic(*validation.manifest, options, *directory, report.checks);
  } else {
    for (const auto& check : dynamic_checks()) report.checks.push_back({.check = check.info});
  }
  explain_skipped(report.checks);
  std::erase_if(report.checks, [&](const CheckResult& each) {
    return !is_wanted(options, each.check.name) && !has_failed(each.outcome);
  });
  return report;
}

}  // namespace quarry::conformance
