#pragma once

#include <quarry/work.h>

#include <atomic>
#include <functional>
#include <thread>

namespace quarry::http_server::testing {

/// The host's work service, implemented with plain threads. Counts the loops not joined yet.
class Threads {
 public:
  Threads()
      : table_{sizeof(quarry_work_v1), this,           &Threads::submit,
               &Threads::start,        &Threads::join, [](const quarry_work_v1*) { return 2U; }} {}

  [[nodiscard]] const quarry_work_v1& table() const { return table_; }
  [[nodiscard]] int running() const { return running_; }

 private:
  struct Loop {
    Threads* owner;
    std::thread thread;
  };

  static Threads& of(const quarry_work_v1* self) { return *static_cast<Threads*>(self->context); }
  static quarry_status submit(const quarry_work_v1*, void (*)(void*), void*) {
    return QUARRY_UNAVAILABLE;
  }
  static quarry_loop* start(const quarry_work_v1* self, const char*, void (*run)(void*),
                            void* context) {
    auto* const loop = new Loop{&of(self), std::thread(run, context)};
    ++loop->owner->running_;
    return reinterpret_cast<quarry_loop*>(loop);
  }
  static void join(quarry_loop* handle) {
    auto* const loop = reinterpret_cast<Loop*>(handle);
    loop->thread.join();
    --loop->owner->running_;
    delete loop;
  }

  quarry_work_v1 table_;
  std::atomic<int> running_{0};
};

}  // namespace quarry::http_server::testing
