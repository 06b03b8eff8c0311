#include "runner/runner.h"

namespace quarry::runner {

Runner::Runner(plugins::Manifest manifest, const RunnerOptions& options)
    : manifest_(std::move(manifest)),
      options_(options),
      strikes_(*options.clock, options.quarantined_list, manifest_.sha256, options.crashes) {}

Runner::~Runner() {
  const std::lock_guard lock(mutex_);
  if (running_.connection && running_.connection->alive()) {
    static_cast<void>(running_.connection->call({.function = Function::kClose}));
  }
}

Status Runner::check_may_start() {
  if (strikes_.quarantined()) return quarantined(manifest_.id, options_.crashes);
  if (const auto wait = strikes_.wait(); wait.count() > 0) {
    return Error(Code::kUnavailable,
                 "plugin " + manifest_.id +
                     " (isolated) has crashed and is not started for another " +
                     std::to_string(wait.count()) + " ms",
                 "try again then");
  }
  return {};
}

Result<std::shared_ptr<Connection>> Runner::start() {
  if (auto may = check_may_start(); !may) return std::move(may.error());
  auto connection = Connection::start({.plugin = manifest_.id,
                                       .command = options_.command,
                                       .hello = hello(),
                                       .components = manifest_.components.size(),
                                       .host = host_,
                                       .start_limit = options_.start_limit,
                                       .call_limit = options_.call_limit,
                                       .grace = options_.grace,
                                       .io = options_.io,
                                       .on_crash = [this](auto) { return count_crash(); }});
  if (!connection) return connection;
  const auto opened = (*connection)->call({.function = Function::kOpen});
  if (!opened) return opened.error();
  if (auto failure = opened->failure()) {
    return std::move(*failure).in("plugin " + manifest_.id + " did not open");
  }
  return connection;
}

std::string Runner::count_crash() {
  if (options_.crashed) options_.crashed(manifest_.id);
  return strikes_.add();
}

Hello Runner::hello() const {
  Hello hello{.protocol = kProtocol,
              .manifest = manifest_.path.string(),
              .sha256 = manifest_.sha256,
              .memory = options_.memory};
  describe_services(*host_, hello);
  return hello;
}

void Runner::offer(const quarry_host& host) {
  const std::lock_guard lock(mutex_);
  host_ = &host;
  const auto offered = hello();
  places_ = {offered.cache, offered.data};
}

Result<Runner::Running> Runner::running() {
  const std::lock_guard lock(mutex_);
  if (running_.connection && running_.connection->alive()) return running_;
  // The crash is counted, and the process reaped, before the next one starts.
  if (running_.connection) running_.connection->wait_for_end();
  running_.connection.reset();
  auto started = start();
  if (!started) return std::move(started.error());
  running_ = {std::move(*started), running_.generation + 1};
  return running_;
}

Status Runner::ready() {
  const std::lock_guard lock(mutex_);
  if (running_.connection && running_.connection->alive()) return {};
  if (!strikes_.quarantined()) return check_may_start();
  Error refusal = quarantined(manifest_.id, options_.crashes);
  refusal.code = Code::kPermissionDenied;
  return refusal;
}

std::uint32_t Runner::next_instance() {
  const std::lock_guard lock(mutex_);
  return ++last_instance_;
}

}  // namespace quarry::runner
