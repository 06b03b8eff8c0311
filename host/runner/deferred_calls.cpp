// Calls of a connection that the I/O thread makes and that it does not wait for.
#include "runner/connection.h"
#include "runner/host_call.h"

#include <utility>

namespace quarry::runner {
namespace {

using std::chrono::milliseconds;

/// Interval at which the time of the calls is checked. After one without calls, the I/O thread
/// leaves the socket to the connection's thread.
constexpr milliseconds kCheck{100};
/// Pause while another thread reads.
constexpr milliseconds kBusy{1};
/// Least time between two writes, so that frames of many calls need one wake-up of the runner.
constexpr milliseconds kGather{2};

}  // namespace

struct Connection::Deferred {
  Deferred(DeferredRequest asked, std::uint32_t call_number)
      : number(call_number),
        receiver(std::move(asked.receiver)),
        done(std::move(asked.done)),
        request{.function = asked.function,
                .instance = asked.instance,
                .arguments = std::move(asked.arguments),
                .receiver = receiver.get(),
                .patient = false} {}

  const std::uint32_t number;
  const std::unique_ptr<Receiver> receiver;
  const std::function<void(Result<Answer>, const Lost&)> done;
  const Request request;
  Inbox inbox;
  std::optional<HostCall> call;
  std::optional<Result<Answer>> outcome;  // it waits for the last of its services
  Lost lost;
};

/// `act(connection)` as a job, which does nothing once the connection is being destroyed.
template <class Act>
auto Connection::guarded(Act act) {
  return [guard = guard_, act = std::move(act)]() -> decltype(act(std::declval<Connection&>())) {
    const std::lock_guard lock(guard->mutex);
    if (guard->connection != nullptr) return act(*guard->connection);
    return decltype(act(*guard->connection))();
  };
}

void Connection::defer(DeferredRequest request) {
  begin_checks();
  std::unique_lock lock(mutex_);
  const std::uint32_t number = next_number();
  auto made = std::make_shared<Deferred>(std::move(request), number);
  Deferred& call = *made;
  call.inbox.deferred = number;
  calls_.emplace(number, &call.inbox);
  if (ending_) tell(call.inbox);
  lock.unlock();
  deferred_.emplace(number, std::move(made));
  call.call.emplace(
      call.request, number, outbox_,
      HostCall::Limits{.call = options_.call_limit(call.request.function),
                       .grace = options_.grace,
                       .fair = fair(kCheck)},
      [this, number](std::string cause, bool forgiven) {
        fail(std::move(cause), number, forgiven);
      },
      [this] { offer_later(); });
  call.call->send();
}

/// Has the I/O thread read the socket and check the time of calls, unless it does.
void Connection::begin_checks() {
  if (std::exchange(checks_, true)) return;
  auto watch = options_.io->watch(
      socket_.get(), guarded([](Connection& connection) { return connection.read_socket(); }));
  if (watch) {  // otherwise the connection's thread reads
    watch_ = std::move(*watch);
    reader_.claim();
  }
  check_later();
}

void Connection::check_later() {
  options_.io->after(kCheck, guarded([](Connection& connection) { connection.check_deferred(); }));
}

void Connection::check_deferred() {
  const bool answers = std::exchange(answered_, false);
  for (const auto& [number, call] : deferred_) {
    if (answers) call->call->prolong();
    call->call->check_limits();
  }
  if (!deferred_.empty()) return check_later();
  checks_ = false;
  if (!watch_) return;
  watch_.reset();
  reader_.release();
}

services::IoThread::Again Connection::read_socket() {
  {
    const std::lock_guard lock(mutex_);
    advance_posted_ = true;  // it follows here
  }
  const auto read = reader_.read_now();
  advance_deferred();
  if (read == SharedReader::Now::kOver) return std::nullopt;
  return read == SharedReader::Now::kBusy ? kBusy : milliseconds(0);
}

/// Something has come for the call, or the runner has ended. Requires the mutex.
void Connection::tell(Inbox& inbox) {
  if (inbox.deferred == 0) return inbox.changed.notify_one();
  advanced_.push_back(inbox.deferred);
  if (std::exchange(advance_posted_, true)) return;
  options_.io->post(guarded([](Connection& connection) { connection.advance_deferred(); }));
}

void Connection::advance_deferred() {
  std::vector<std::pair<std::uint32_t, std::string>> advanced;
  std::unique_lock lock(mutex_);
  advance_posted_ = false;
  for (const std::uint32_t number : std::exchange(advanced_, {})) {
    const auto call = deferred_.find(number);
    if (call == deferred_.end()) continue;
    advanced.emplace_back(number, std::exchange(call->second->inbox.frames, {}));
  }
  const bool over = ending_.has_value();
  lock.unlock();
  for (const auto& [number, frames] : advanced) {
    const auto call = deferred_.find(number);
    if (call != deferred_.end()) advance(*call->second, frames, over);
  }
}

/// `over`: the runner has ended, and no more frames will come.
void Connection::advance(Deferred& call, std::string_view frames, bool over) {
  if (!call.outcome) {
    if (auto answer = call.call->take(frames)) {
      call.outcome = std::move(*answer);
    } else if (over) {
      call.outcome = error_for(call.request, call.number);
      call.lost = lost(call.number, call.inbox);
    } else {
      return;
    }
  }
  if (has_services(call)) return;
  answered_ = true;
  const auto ended = std::move(deferred_.extract(call.number).mapped());
  ended->done(std::move(*ended->outcome), ended->lost);
}

/// Ends those that the call still uses; they tell it when they have ended.
bool Connection::has_services(Deferred& call) {
  const std::lock_guard lock(mutex_);
  forget(call.number);
  end_unbegun(call.inbox);
  return !call.inbox.jobs.empty();
}

/// Sends what the calls have appended: at the end of this turn of the I/O thread, or when some time
/// has passed since the last write.
void Connection::offer_later() {
  if (std::exchange(offer_posted_, true)) return;
  auto offer = guarded([](Connection& connection) { connection.offer_frames(); });
  if (std::chrono::steady_clock::now() - offered_ >= kGather) return options_.io->post(offer);
  options_.io->after(kGather, offer);
}

void Connection::offer_frames() {
  offer_posted_ = false;
  offered_ = std::chrono::steady_clock::now();
  const auto offered = outbox_.offer();
  if (offered == Outbox::Offered::kFailed) fail(outbox_.failure(), 0);
  if (offered != Outbox::Offered::kWaits) return;
  senders_.submit([this] {
    if (!outbox_.send_waiting()) fail(outbox_.failure(), 0);
  });
}

}  // namespace quarry::runner
