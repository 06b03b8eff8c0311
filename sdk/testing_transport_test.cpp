#include <quarry/testing_transport.hpp>

#include <gtest/gtest-spi.h>

namespace quarry::testing {
namespace {

std::uint64_t call(FakeEngine& engine, std::string_view method, Reply& reply) {
  return engine.get()->call(engine.get(), as_text(method), as_text("{}"), reply.get());
}

TEST(RealThreads, RunLoopsOfTheirOwnAndJobsAtOnce) {
  const RealThreads threads;
  const quarry_work_v1* work = threads.get();
  std::thread::id loop_thread;
  std::thread::id job_thread;
  const auto note = [](void* id) {
    *static_cast<std::thread::id*>(id) = std::this_thread::get_id();
  };
  quarry_loop* loop = work->start_loop(work, "loop", note, &loop_thread);
  EXPECT_EQ(work->submit(work, note, &job_thread), QUARRY_OK);
  work->join_loop(loop);
  EXPECT_NE(loop_thread, std::this_thread::get_id());
  EXPECT_EQ(job_thread, std::this_thread::get_id());
}

TEST(RealThreads, FailATestThatLeavesALoop) {
  quarry_loop* left = nullptr;
  EXPECT_NONFATAL_FAILURE(
      {
        const RealThreads threads;
        left = threads.get()->start_loop(
            threads.get(), "loop", [](void*) {}, nullptr);
      },
      "loops were not joined");
  const RealThreads others;
  others.get()->join_loop(left);
}

TEST(FakeEngine, RepliesWithTheValuesOfTheTest) {
  FakeEngine engine;
  engine.values["health"] = R"({"ok": true})";
  Reply known;
  Reply other;
  call(engine, "health", known);
  call(engine, "other", other);
  EXPECT_EQ(known.value(), R"({"ok": true})");
  EXPECT_EQ(other.failure().status, QUARRY_NOT_FOUND);
  EXPECT_EQ(engine.calls().at(1), (std::pair<std::string, std::string>("other", "{}")));
}

TEST(FakeEngine, RepliesToAHangingCallOnceItIsCancelled) {
  FakeEngine engine;
  engine.hanging = "resources.sync";
  Reply reply;
  const std::uint64_t handle = call(engine, "resources.sync", reply);
  engine.get()->cancel(engine.get(), handle + 1);
  engine.get()->cancel(engine.get(), handle);
  engine.get()->cancel(engine.get(), handle);
  EXPECT_EQ(reply.failure().status, QUARRY_CANCELLED);
}

/// A reply that calls the engine once more, as it may.
struct CallingReply : quarry_reply {
  explicit CallingReply(FakeEngine& on)
      : quarry_reply{sizeof(quarry_reply), this, on_value, on_failure}, engine(on) {}
  static void on_value(const quarry_reply* self, quarry_text) { call_again(self); }
  static void on_failure(const quarry_reply* self, const quarry_failure*) { call_again(self); }
  static void call_again(const quarry_reply* self) {
    auto& mine = *static_cast<CallingReply*>(self->context);
    call(mine.engine, "health", mine.second);
  }
  FakeEngine& engine;
  Reply second;
};

TEST(FakeEngine, MayBeCalledByAReply) {
  FakeEngine engine;
  engine.values["health"] = "{}";
  engine.hanging = "resources.sync";
  for (const char* method : {"health", "other", "resources.sync"}) {
    CallingReply reply(engine);
    const auto handle = engine.get()->call(engine.get(), as_text(method), as_text("{}"), &reply);
    engine.get()->cancel(engine.get(), handle);
    EXPECT_EQ(reply.second.value(), "{}") << method;
  }
}

}  // namespace
}  // namespace quarry::testing
