#include "engine_calls.h"

#include <future>
#include <memory>
#include <utility>

namespace quarry::engine_client {

/// One pending reply; frees itself when used.
struct EngineCalls::Pending {
  quarry_reply reply{};
  EngineCalls* owner = nullptr;
  Done done;

  static void use(const quarry_reply* self, Outcome outcome) {
    std::unique_ptr<Pending> pending(static_cast<Pending*>(self->context));
    EngineCalls& owner = *pending->owner;
    pending->done(std::move(outcome));
    pending.reset();
    owner.finished();
  }
};

std::uint64_t EngineCalls::call(std::string_view method, std::string_view params, Done done) {
  {
    const std::lock_guard lock(mutex_);
    ++pending_;
  }
  auto* const pending = new Pending;
  pending->owner = this;
  pending->done = std::move(done);
  pending->reply = {sizeof(quarry_reply), pending,
                    [](const quarry_reply* self, quarry_text json) {
                      Pending::use(self, std::string(as_view(json)));
                    },
                    [](const quarry_reply* self, const quarry_failure* failure) {
                      Pending::use(self, std::unexpected(Failure::copy(*failure)));
                    }};
  return engine_.call(&engine_, as_text(method), as_text(params), &pending->reply);
}

Outcome EngineCalls::call_and_wait(std::string_view method, std::string_view params,
                                   std::chrono::milliseconds limit) {
  const auto promise = std::make_shared<std::promise<Outcome>>();
  auto outcome = promise->get_future();
  const std::uint64_t handle =
      call(method, params, [promise](Outcome done) { promise->set_value(std::move(done)); });
  if (outcome.wait_for(limit) == std::future_status::ready) return outcome.get();
  cancel(handle);
  return std::unexpected(Failure{
      QUARRY_DEADLINE_EXCEEDED, {}, "the engine does not answer " + std::string(method), {}, {}});
}

void EngineCalls::finished() {
  // Notified under the lock: a waiting thread may destroy this as soon as it can take the lock.
  const std::lock_guard lock(mutex_);
  if (--pending_ == 0) idle_.notify_all();
}

bool EngineCalls::wait_until_idle(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, limit, [this] { return pending_ == 0; });
}

}  // namespace quarry::engine_client
