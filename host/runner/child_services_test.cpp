#include "runner/child_services.h"

#include "runner/sandbox.h"

#include <quarry/work.h>

#include <latch>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace quarry::runner {
namespace {

/// Submits jobs that never end, in a process whose threads all run and that gets no more memory,
/// until one is refused; ends the process with the status.
[[noreturn]] void submit_without_memory() {
  Outbox outbox(-1, std::chrono::seconds(1));
  const ChildServices services(outbox, Hello());
  const auto* const work = static_cast<const quarry_work_v1*>(services.find(QUARRY_WORK));
  static std::latch never(1);
  // A thread that begins needs memory of its own.
  static std::latch begun(work->concurrency(work));
  for (std::uint32_t i = 0; i < work->concurrency(work); ++i) {
    work->submit(
        work,
        [](void*) {
          begun.count_down();
          never.wait();
        },
        nullptr);
  }
  begun.wait();
  const rlimit none{0, RLIM_INFINITY};
  ::setrlimit(RLIMIT_AS, &none);
  quarry_status status = QUARRY_OK;
  while (status == QUARRY_OK) {
    status = work->submit(
        work, [](void*) { never.wait(); }, nullptr);
  }
  ::_exit(status);
}

TEST(ChildServices, RefuseAJobThatCannotBeQueued) {
  if (!kLimitsMemory) GTEST_SKIP() << "a sanitizer reserves memory beyond every limit";
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(submit_without_memory(), ::testing::ExitedWithCode(QUARRY_RESOURCE_EXHAUSTED), "");
}

}  // namespace
}  // namespace quarry::runner
