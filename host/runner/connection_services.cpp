// Requests of a runner for services of the host, while its calls run.
#include "base/size_text.h"
#include "runner/connection.h"
#include "runner/host_call.h"

namespace quarry::runner {
namespace {

/// Requests of a call that are served or wait.
constexpr std::size_t kMostRequests = 256;

}  // namespace

std::optional<std::string> Connection::take_service(const Frame& frame, Inbox& inbox) {
  if (frame.kind == Kind::kService) return begin_service(frame, inbox);
  PacketReader packet(frame.payload);
  const auto number = packet.get<std::uint32_t>();
  const auto bytes = packet.get<std::uint32_t>();
  const auto status = packet.get<quarry_status>();
  if (!packet.complete()) return kMalformed;
  // A request may have ended meanwhile.
  const auto found = inbox.jobs.find(number);
  if (found == inbox.jobs.end() || !found->second->credit(bytes, status)) return std::nullopt;
  // All servants may be busy for long, and this thread must not wait for the runner to read.
  senders_.submit([this, job = found->second, &inbox] {
    if (!job->claim()) return;
    job->refuse();
    forget_service(inbox, *job);
  });
  return std::nullopt;
}

std::optional<std::string> Connection::begin_service(const Frame& frame, Inbox& inbox) {
  if (options_.host == nullptr) return "asked for a service that it was not offered";
  if (inbox.jobs.size() >= kMostRequests) return "asked for too many services at once";
  if (requested_ + frame.payload.size() > options_.most_requested) {
    return "asked at once for services with more than " + size_text(options_.most_requested);
  }
  auto job = std::make_shared<ServiceJob>(*options_.host, outbox_, frame.call, inbox.call,
                                          std::string(frame.payload));
  if (!inbox.jobs.emplace(job->number(), job).second) return kMalformed;
  requested_ += job->size();
  servants_.submit([this, job, &inbox] {
    if (!job->claim()) return;
    job->run();
    forget_service(inbox, *job);
  });
  return std::nullopt;
}

void Connection::forget_service(Inbox& inbox, const ServiceJob& job) {
  const std::lock_guard lock(mutex_);
  requested_ -= job.size();
  inbox.jobs.erase(job.number());
  tell(inbox);
}

/// Has the services of a call end, and removes those that no thread has begun, and none will.
/// Requires the mutex.
void Connection::end_unbegun(Inbox& inbox) {
  std::erase_if(inbox.jobs, [&](const auto& entry) {
    entry.second->end(QUARRY_CANCELLED);
    if (!entry.second->claim()) return false;
    requested_ -= entry.second->size();
    return true;
  });
}

/// The inbox and the outer call live until the last request has ended.
void Connection::end_services(Inbox& inbox) {
  std::unique_lock lock(mutex_);
  end_unbegun(inbox);
  inbox.changed.wait(lock, [&] { return inbox.jobs.empty(); });
}

}  // namespace quarry::runner
