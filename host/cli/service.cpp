#include "cli/service.h"

#include "base/child.h"
#include "base/json.h"
#include "cli/upgrade/listening_sockets.h"

#include <algorithm>
#include <csignal>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

/// The time in which the program that takes the place of this one must listen.
constexpr std::chrono::minutes kLongestStart{2};
/// The time that streams of this one have to end afterwards.
constexpr std::chrono::hours kLongestDrain{1};

/// True if a worker of the engine answers in time.
bool answers(engine::Engine& engine, std::chrono::microseconds limit) {
  auto answered = std::make_shared<std::promise<void>>();
  auto answer = answered->get_future();
  engine.call("methods", "{}", [answered](const Result<std::string>&) { answered->set_value(); });
  return answer.wait_for(limit) == std::future_status::ready;
}

std::string process_text(pid_t id) {
  return "process " + std::to_string(id);
}

Error replaced_by(pid_t successor) {
  return {Code::kInternal,
          process_text(::getpid()) + " was replaced by " + process_text(successor) + " just now",
          "Ask that one, if the program has changed since."};
}

void refuse(const ControlSocket::Caller& caller, const Error& error) {
  caller.answer(to_text({{"error", {{"message", error.message}, {"hint", error.hint}}}}));
}

}  // namespace

Service::Service(Context& context, engine::Engine& engine, const services::ServiceManager& manager,
                 std::vector<engine::Listening> listening, std::string status)
    : context_(context),
      engine_(engine),
      manager_(manager),
      listening_(std::move(listening)),
      status_(std::move(status)) {
  if (!control_) {
    engine_.log_error(Error(control_.error()).in("quarry upgrade-in-place will not work"));
  }
  if (manager.watchdog()) {
    pause_ = std::chrono::ceil<std::chrono::milliseconds>(*manager.watchdog() / 3);
  }
}

bool Service::run() {
  const auto caller = [&] {
    return control_ ? control_->accept() : std::optional<ControlSocket::Caller>();
  };
  for (;;) {
    const auto signal = context_.signals.wait_for_input(
        {control_ ? control_->descriptor() : -1, upgrade_ ? upgrade_->successor.descriptor() : -1},
        time_left());
    if (signal && *signal != SIGHUP) return false;
    if (signal) reload();
    if (auto one = caller()) begin(std::move(*one));
    if (upgrade_ && watch_successor()) {
      while (const auto one = caller()) refuse(*one, replaced_by(upgrade_->successor.id()));
      return true;
    }
    tell_alive();
  }
}

std::optional<std::chrono::milliseconds> Service::time_left() const {
  std::optional<std::chrono::steady_clock::time_point> due;
  if (pause_) due = told_alive_ + *pause_;
  if (upgrade_) due = due ? std::min(*due, upgrade_->deadline) : upgrade_->deadline;
  if (!due) return std::nullopt;
  const auto left = *due - std::chrono::steady_clock::now();
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds(0));
}

void Service::reload() {
  manager_.tell_reloading();
  const auto reloaded = engine_.call_and_wait("config.reload", "{}");
  if (!reloaded) engine_.log_error(Error(reloaded.error()).in("nothing was reloaded"));
  manager_.tell_ready(status_);
}

void Service::tell_alive() {
  if (!pause_ || std::chrono::steady_clock::now() < told_alive_ + *pause_) return;
  // Without an answer nothing is told, and the manager starts the program again.
  if (answers(engine_, *pause_)) manager_.tell_alive();
  told_alive_ = std::chrono::steady_clock::now();
}

void Service::begin(ControlSocket::Caller caller) {
  if (caller.command != "upgrade") {
    return refuse(caller, {Code::kUnsupported, "this server knows no such command",
                           "It may be older than the program that asks."});
  }
  if (upgrade_) {
    return refuse(caller, {Code::kInternal,
                           "an upgrade is going on: " + process_text(upgrade_->successor.id()) +
                               " is starting",
                           "Wait for its end; it has two minutes."});
  }
  if (::getpid() == 1) {
    return refuse(
        caller, {Code::kUnsupported, "the server is process 1 of its container, which ends with it",
                 "Start a container with the new program in its place."});
  }
  auto started = Successor::start(command_, listening_sockets(listening_));
  if (!started) return refuse(caller, started.error());
  if (const Status sent = engine_.send_questions(started->connection()); !sent) {
    return refuse(caller, sent.error());
  }
  upgrade_.emplace(std::move(caller), std::move(*started),
                   std::chrono::steady_clock::now() + kLongestStart);
}

bool Service::watch_successor() {
  const auto listens = upgrade_->successor.listens();
  const int id = upgrade_->successor.id();
  if (listens && *listens) {
    manager_.tell_replaced_by(id);
    upgrade_->caller.answer(to_text({{"process", id}}));
    context_.terminal.out_line("Process " + std::to_string(id) +
                               " serves now. This one ends with its last stream.");
    return true;
  }
  const bool late = listens && std::chrono::steady_clock::now() >= upgrade_->deadline;
  if (listens && !late) return false;
  const Error error =
      listens ? Error{Code::kDeadlineExceeded, "the new program did not listen in two minutes",
                      "It was killed; its errors are in the log. The running program goes on."}
              : listens.error();
  engine_.log_error(Error(error).in("no upgrade"));
  refuse(upgrade_->caller, error);
  upgrade_.reset();
  return false;
}

void Service::drain() {
  const Wake drained;
  std::thread draining([&] {
    engine_.drain(kLongestDrain);
    drained.notify();
  });
  Successor& successor = upgrade_->successor;
  for (;;) {
    const auto signal = context_.signals.wait_for_input({drained.fd(), successor.end_descriptor()});
    if (signal && *signal != SIGHUP) break;
    if (signal) continue;
    const int id = successor.id();
    const auto ended = successor.ended();
    if (!ended) break;          // drained
    if (*ended == 0) continue;  // another process has taken its place
    engine_.log_error(
        {Code::kInternal,
         process_text(id) + ", which took the place of this one, " + child_end(*ended),
         "Unless it had been replaced itself, nobody listens; start the server again."});
  }
  engine_.shutdown();
  draining.join();
}

}  // namespace quarry::cli
