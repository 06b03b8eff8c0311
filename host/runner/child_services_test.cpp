#include "runner/child_services.h"

#include "base/file.h"
#include "runner/frame.h"
#include "runner/sandbox.h"

#include <quarry/outcome.hpp>
#include <quarry/secrets.h>
#include <quarry/work.h>

#include <latch>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

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

TEST(ChildServices, TellTheHostEachSecretOnce) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const Fd mine(ends[0]);
  const Fd theirs(ends[1]);
  Outbox outbox(mine.get(), std::chrono::hours(1));
  Hello hello;
  hello.services = kOffersSecrets;
  const ChildServices services(outbox, hello);
  const auto* const table = static_cast<const quarry_secrets_v1*>(services.find(QUARRY_SECRETS));
  for (const char* secret : {"first", "second", "first"}) table->hide(table, as_text(secret));
  FrameBuffer received;
  const auto space = received.space();
  const auto count = ::recv(theirs.get(), space.data(), space.size(), 0);
  ASSERT_GT(count, 0);
  received.received(static_cast<std::size_t>(count));
  std::vector<std::string> told;
  while (const auto frame = received.next().value()) {
    EXPECT_EQ(frame->kind, Kind::kHide);
    told.emplace_back(PacketReader(frame->payload).text());
  }
  EXPECT_EQ(told, (std::vector<std::string>{"first", "second"}));
}

}  // namespace
}  // namespace quarry::runner
