/// The part of the test kit for transports: threads and an engine. Not included by
/// <quarry/testing.hpp>:
///
///   quarry::testing::RealThreads threads;
///   transport.host.offer(QUARRY_WORK, threads.get());
///   transport->start(transport.instance(), call.get(), engine.get(), reply.get());
#ifndef QUARRY_TESTING_TRANSPORT_HPP
#define QUARRY_TESTING_TRANSPORT_HPP

#include <quarry/testing_host.hpp>
#include <quarry/transport.h>
#include <quarry/work.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace quarry::testing {

/// A work service (quarry.work/1): a thread for each loop, and jobs that run before submit returns.
class RealThreads {
 public:
  RealThreads() : work_{sizeof work_, this, submit, start, join, concurrency} {}
  ~RealThreads() { EXPECT_EQ(*loops_, 0) << "loops were not joined"; }
  RealThreads(const RealThreads&) = delete;
  RealThreads& operator=(const RealThreads&) = delete;

  [[nodiscard]] const quarry_work_v1* get() const { return &work_; }

 private:
  struct Loop {
    std::shared_ptr<std::atomic<int>> count;
    std::thread thread;
  };

  static quarry_status submit(const quarry_work_v1*, void (*job)(void*), void* context) {
    job(context);
    return QUARRY_OK;
  }
  static quarry_loop* start(const quarry_work_v1* self, const char*, void (*run)(void*),
                            void* context) {
    const auto count = static_cast<RealThreads*>(self->context)->loops_;
    ++*count;
    return reinterpret_cast<quarry_loop*>(new Loop{count, std::thread(run, context)});
  }
  static void join(quarry_loop* started) {
    auto* const loop = reinterpret_cast<Loop*>(started);
    loop->thread.join();
    --*loop->count;
    delete loop;
  }
  static std::uint32_t concurrency(const quarry_work_v1*) { return 1; }

  const quarry_work_v1 work_;
  const std::shared_ptr<std::atomic<int>> loops_ = std::make_shared<std::atomic<int>>(0);
};

/// An engine without questions, which replies with the test's values. Any thread.
class FakeEngine {
 public:
  FakeEngine() : engine_{sizeof engine_, this, call, cancel, no_reader, nullptr, nullptr} {}
  FakeEngine(const FakeEngine&) = delete;
  FakeEngine& operator=(const FakeEngine&) = delete;

  [[nodiscard]] const quarry_engine* get() const { return &engine_; }
  /// The calls so far: method and parameters.
  std::vector<std::pair<std::string, std::string>> calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

  /// Values by method, set before the start. Other methods fail with QUARRY_NOT_FOUND.
  std::map<std::string, std::string> values;
  /// A method whose calls are replied to only when they are cancelled.
  std::string hanging;

 private:
  static FakeEngine& of(const quarry_engine* self) {
    return *static_cast<FakeEngine*>(self->context);
  }
  static std::uint64_t call(const quarry_engine* self, quarry_text method, quarry_text params,
                            const quarry_reply* reply) {
    FakeEngine& engine = of(self);
    const std::string name(as_view(method));
    std::unique_lock lock(engine.mutex_);
    engine.calls_.emplace_back(name, as_view(params));
    const std::uint64_t handle = engine.calls_.size();
    if (name == engine.hanging) {
      engine.waiting_[handle] = reply;
      return handle;
    }
    lock.unlock();  // the functions of a reply may call the engine
    const auto value = engine.values.find(name);
    if (value == engine.values.end()) {
      quarry::detail::fail(reply, {QUARRY_NOT_FOUND, "there is no method " + name, {}, {}});
    } else {
      reply->value(reply, as_text(value->second));
    }
    return handle;
  }
  static void cancel(const quarry_engine* self, std::uint64_t handle) {
    std::unique_lock lock(of(self).mutex_);
    const auto waiting = of(self).waiting_.extract(handle);
    if (waiting.empty()) return;
    lock.unlock();
    quarry::detail::fail(waiting.mapped(), {QUARRY_CANCELLED, "cancelled", {}, {}});
  }
  static quarry_reader* no_reader(const quarry_engine*, quarry_text, std::uint64_t, void (*)(void*),
                                  void*) {
    return nullptr;
  }

  const quarry_engine engine_;
  std::mutex mutex_;
  std::vector<std::pair<std::string, std::string>> calls_;
  std::map<std::uint64_t, const quarry_reply*> waiting_;
};

}  // namespace quarry::testing

#endif
