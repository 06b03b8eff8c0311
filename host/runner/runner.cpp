#include "runner/runner.h"

#include <algorithm>
#include <system_error>

namespace quarry::runner {
namespace {

using Steady = std::chrono::steady_clock;

/// Parties whose crashes are remembered at once.
constexpr std::size_t kMostParties = 1'000;

constexpr std::string_view kTooMany =
    "has as many processes as it may have, and the call ended before one was free";

/// `why`: a predicate.
Error ended_waiting(const std::string& plugin, const quarry_call* call, std::string_view why) {
  return {static_cast<Code>(call->state(call)),
          "plugin " + plugin + " (isolated) " + std::string(why)};
}

}  // namespace

Runner::Runner(plugins::Manifest manifest, const RunnerOptions& options)
    : manifest_(std::move(manifest)), options_(options), projects_(options.most_projects) {
  parties_[""] =
      std::make_shared<Party>(std::make_shared<Strikes>(*options.clock, options.quarantined_list,
                                                        manifest_.sha256, options.crashes),
                              options.most_apart);
}

Runner::~Runner() {
  watch_ = {};
}

/// Crashes for a project concern this process and the project alone.
std::shared_ptr<Runner::Party> Runner::party_of(const std::string& project) {
  const std::lock_guard lock(mutex_);
  if (const auto found = parties_.find(project); found != parties_.end()) return found->second;
  if (parties_.size() >= kMostParties) {
    std::erase_if(parties_, [](const auto& one) {
      return !one.first.empty() && one.second.use_count() == 1 && one.second->running == nullptr &&
             one.second->strikes->none();
    });
  }
  CrashLimits limits = options_.crashes;
  limits.lasts = false;
  auto made = std::make_shared<Party>(
      std::make_shared<Strikes>(*options_.clock, "", manifest_.sha256, limits),
      options_.most_apart);
  return parties_.emplace(project, std::move(made)).first->second;
}

Status Runner::check_may_start(Strikes& strikes) {
  const bool everywhere = party_of("")->strikes->quarantined();
  if (everywhere || strikes.quarantined()) return quarantined(manifest_.id, options_.crashes);
  if (const auto wait = strikes.wait(); wait.count() > 0) {
    return Error(Code::kUnavailable,
                 "plugin " + manifest_.id +
                     " (isolated) has crashed and is not started for another " +
                     std::to_string(wait.count()) + " ms",
                 "try again then");
  }
  return {};
}

Result<Runner::Lease> Runner::start(const std::shared_ptr<Party>& party,
                                    const std::shared_ptr<UnexplainedCrash>& crash,
                                    RunnerCount::Held counted) {
  auto connection =
      Connection::start({.plugin = manifest_.id,
                         .command = options_.command,
                         .hello = hello(),
                         .components = manifest_.components.size(),
                         .host = host_,
                         .start_limit = options_.start_limit,
                         .call_limit = options_.call_limit,
                         .grace = options_.grace,
                         .usage = options_.usage,
                         .io = options_.io,
                         .on_crash = [this, strikes = party->strikes, crash](const Crash& another) {
                           return note_crash(another, strikes, crash.get());
                         }});
  if (!connection) return std::move(connection.error());
  auto made = std::make_shared<RunningPlugin>(std::move(*connection), std::move(counted));
  const auto opened = made->connection().call({.function = Function::kOpen});
  if (!opened) return opened.error();
  if (auto failure = opened->failure()) {
    return std::move(*failure).in("plugin " + manifest_.id + " did not open");
  }
  return made;
}

/// On the thread of a connection.
AfterCrash Runner::note_crash(const Crash& crash, const std::shared_ptr<Strikes>& strikes,
                              UnexplainedCrash* explained) {
  if (options_.crashed) options_.crashed(manifest_.id);
  if (!crash.explained) {
    return {"ask again: it is started again when it is used next",
            std::make_shared<UnexplainedCrash>(strikes)};
  }
  if (explained != nullptr) explained->explain();
  return {strikes->add(crash.input)};
}

Hello Runner::hello() const {
  Hello hello{.protocol = kProtocol,
              .manifest = manifest_.path.string(),
              .sha256 = manifest_.sha256,
              .memory = options_.memory,
              .landlock = options_.landlock};
  describe_services(*host_, hello);
  return hello;
}

void Runner::offer(const quarry_host& host) {
  const std::lock_guard lock(mutex_);
  host_ = &host;
  const auto offered = hello();
  places_ = {offered.cache, offered.data};
}

/// Null unless it runs.
Runner::Lease Runner::lend(Party& party) {
  const std::lock_guard lock(mutex_);
  if (party.running == nullptr || !party.running->connection().alive()) return nullptr;
  party.used = Steady::now();
  return party.running;
}

/// Counts a runner of a project, which `other` counts too. Null if the call is over first.
RunnerCount::Held Runner::count_project(const quarry_call* call, RunnerCount::Held other) {
  auto counted = projects_.take(call, [this] { end_unused(std::chrono::milliseconds(0)); });
  if (counted == nullptr || other == nullptr) return counted;
  return std::make_shared<std::pair<RunnerCount::Held, RunnerCount::Held>>(std::move(counted),
                                                                           std::move(other));
}

Result<Runner::Lease> Runner::shared(const std::string& project, const quarry_call* call) {
  const auto party = party_of(project);
  if (auto running = lend(*party)) return running;
  const auto starting = party->starting.take(call);
  if (starting == nullptr) {
    return ended_waiting(manifest_.id, call, "is being started, and the call ended before it was");
  }
  if (auto running = lend(*party)) return running;
  Lease before;
  {
    const std::lock_guard lock(mutex_);
    before.swap(party->running);
  }
  // The crash is counted, and the process reaped, before the next one starts.
  if (before) before->connection().wait_for_end();
  before.reset();
  if (auto may = check_may_start(*party->strikes); !may) return std::move(may.error());
  RunnerCount::Held counted;
  if (!project.empty()) counted = count_project(call);
  if (!project.empty() && counted == nullptr) return ended_waiting(manifest_.id, call, kTooMany);
  auto started = start(party, nullptr, std::move(counted));
  if (!started) return started;
  const std::lock_guard lock(mutex_);
  party->running = *started;
  party->used = Steady::now();
  if (!project.empty()) begin_watch();
  return started;
}

Result<Runner::Lease> Runner::apart(const std::string& project, const quarry_call* call,
                                    std::shared_ptr<UnexplainedCrash> crash) {
  const auto party = party_of(project);
  auto counted = party->apart.take(call);
  if (counted != nullptr && !project.empty()) counted = count_project(call, std::move(counted));
  if (counted == nullptr) return ended_waiting(manifest_.id, call, kTooMany);
  // Without the delay after crashes: this call is to explain one.
  if (party->strikes->quarantined()) return quarantined(manifest_.id, options_.crashes);
  return start(party, crash, std::move(counted));
}

Result<bool> Runner::is_suspected(const std::string& project, std::string_view input) {
  if (input.empty()) return false;
  const auto strikes = party_of(project)->strikes;
  if (!strikes->refuses(input)) return strikes->by(input) != 0;
  return Error(Code::kUnavailable,
               "plugin " + manifest_.id + " (isolated) is not given this: it crashed " +
                   std::to_string(options_.crashes.most_by_input) + " times by it within " +
                   std::to_string(Strikes::kWindow.count()) + " minutes",
               "update the plugin, or tell its author; it is given this again after that time");
}

Status Runner::ready() {
  const auto owner = party_of("");
  if (lend(*owner) != nullptr) return {};
  if (!owner->strikes->quarantined()) return check_may_start(*owner->strikes);
  Error refusal = quarantined(manifest_.id, options_.crashes);
  refusal.code = Code::kPermissionDenied;
  return refusal;
}

std::uint32_t Runner::next_instance() {
  const std::lock_guard lock(mutex_);
  return ++last_instance_;
}

void Runner::destroy(std::uint32_t instance) {
  std::vector<Lease> running;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [project, party] : parties_) {
      if (party->running != nullptr) running.push_back(party->running);
    }
  }
  for (const Lease& one : running) one->destroy(instance);
}

/// Ends runners of projects that nobody uses and nobody was lent within `unused`.
void Runner::end_unused(std::chrono::milliseconds unused) {
  std::vector<Lease> ended;  // after the lock
  const std::lock_guard lock(mutex_);
  for (const auto& [project, party] : parties_) {
    const bool is_used = party->running == nullptr || party->running.use_count() > 1;
    if (project.empty() || is_used || Steady::now() - party->used < unused) continue;
    ended.push_back(std::exchange(party->running, nullptr));
  }
}

/// Requires the mutex. If the system cannot create the thread, the next start tries it again.
void Runner::begin_watch() {
  if (watch_.joinable()) return;
  try {
    watch_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  } catch (const std::system_error&) {
    return;
  }
}

void Runner::watch(const std::stop_token& stop) {
  const auto interval = std::max(options_.idle / 4, std::chrono::milliseconds(1));
  std::mutex mutex;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    watched_.wait_for(lock, stop, interval, [] { return false; });
    end_unused(options_.idle);
  }
}

}  // namespace quarry::runner
