#include "runner/sandbox.h"
#include "runner/testing/isolated_fixture.h"

#include <future>
#include <latch>
#include <unistd.h>

#include <sys/resource.h>

namespace quarry::runner {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

/// A connection to a process that behaves in a given manner, see testing/runner_peer.cpp.
class Peer : public ::testing::Test {
 protected:
  Result<std::shared_ptr<Connection>> start(const char* manner) {
    options_.command = {QUARRY_BUILD_DIR "/tests/runner_peer", manner};
    return Connection::start(options_);
  }
  std::string start_error(const char* manner) {
    const auto started = start(manner);
    return started ? "it started" : started.error().message;
  }

  ConnectionOptions options_{.plugin = "org.example.peer",
                             .command = {},
                             .hello = {.protocol = kProtocol},
                             .components = 1,
                             .start_limit = patience(10s),
                             .call_limit = [](Function) { return milliseconds(1h); },
                             .grace = 100ms};
};

TEST_F(Peer, ThatIsNoRunnerIsRefused) {
  EXPECT_THAT(start_error("garbage"),
              HasSubstr("plugin org.example.peer (isolated) sent a frame of"));
  EXPECT_THAT(start_error("other version"), HasSubstr("is of another version of the host"));
  EXPECT_THAT(start_error("an unknown manner"), HasSubstr("exited with status 64"));
  EXPECT_THAT(start_error("closing"), HasSubstr("closed its connection"));
  options_.start_limit = 50ms;
  EXPECT_THAT(start_error("silent"), HasSubstr("was not loaded within 50 ms"));
}

TEST_F(Peer, ThatTheSystemCannotStartHasNotCrashed) {
  int crashes = 0;
  options_.on_crash = [&](const Crash&) { return ++crashes, AfterCrash(); };
  options_.command = {"/nonexistent/program"};
  const auto started = Connection::start(options_);
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("starting /nonexistent/program"));
  EXPECT_EQ(crashes, 0) << "the plugin would be quarantined";
}

/// Starts a runner in a process that gets no more memory, and so no thread; ends the process with
/// the code of the failure.
[[noreturn]] void start_without_memory(const ConnectionOptions& options) {
  std::string space(64u << 10, 'x');  // for everything but a thread
  space.clear();
  space.shrink_to_fit();
  const rlimit none{0, RLIM_INFINITY};
  ::setrlimit(RLIMIT_AS, &none);
  const auto started = Connection::start(options);
  ::_exit(started ? 0 : static_cast<int>(started.error().code));
}

TEST_F(Peer, ThatNoThreadCanBeStartedForIsAFailure) {
  if (!kLimitsMemory) GTEST_SKIP() << "a sanitizer reserves memory beyond every limit";
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  options_.command = {"/nonexistent/program"};
  EXPECT_EXIT(start_without_memory(options_),
              ::testing::ExitedWithCode(static_cast<int>(Code::kResourceExhausted)), "");
}

TEST_F(Peer, ThatAnswersTwiceIsEnded) {
  std::promise<std::string> ended;
  options_.on_crash = [&](const Crash& crash) {
    ended.set_value(crash.cause);
    return AfterCrash();
  };
  const auto connection = start("twice");
  ASSERT_TRUE(connection);
  static_cast<void>((*connection)->call({.function = Function::kOpen}));
  EXPECT_EQ(ended.get_future().get(), "answered a call that was not made");
}

TEST_F(Peer, ThatHasClosedItsConnectionIsBlamedForItsEnd) {
  class Answering final : public Receiver {
    std::optional<quarry_status> take(Kind, PacketReader& packet, std::string&) override {
      static_cast<void>(packet.text());
      return QUARRY_OK;
    }
  };
  const auto connection = start("unanswerable");
  ASSERT_TRUE(connection);
  Answering receiver;
  const auto answer = (*connection)->call({.function = Function::kFetch, .receiver = &receiver});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("exited with status 7, while it ran fetch"));
}

TEST_F(Peer, ThatCallsTheHostIsEnded) {
  const auto connection = start("own call");
  ASSERT_TRUE(connection);
  const auto answer = (*connection)->call({.function = Function::kOpen});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("sent a frame that only a host sends"));
}

TEST_F(Peer, ThatDoesNotReadCostsOnlyItsCalls) {
  const auto connection = start("deaf");
  ASSERT_TRUE(connection);
  ASSERT_TRUE((*connection)->call({.function = Function::kOpen}));
  ASSERT_TRUE((*connection)->call({.function = Function::kCreate}));
  const auto answer =
      (*connection)->call({.function = Function::kNormalise, .arguments = [](PacketWriter& packet) {
                             packet.text(std::string(4u << 20, 'x'));
                           }});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("did not read what it was sent for 100 ms"));
}

TEST_F(Peer, IsPassedNoArgumentsThatDoNotFitIntoAFrame) {
  const auto connection = start("deaf");
  ASSERT_TRUE(connection);
  const auto answer =
      (*connection)->call({.function = Function::kNormalise, .arguments = [](PacketWriter& packet) {
                             packet.text(std::string(kMaxPayload, 'x'));
                           }});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kResourceExhausted);
  EXPECT_THAT(answer.error().message, HasSubstr("cannot be passed 33554436 bytes for normalise"));
  EXPECT_TRUE((*connection)->call({.function = Function::kOpen}));
}

TEST_F(Peer, ThatSendsMoreThanItMayIsEnded) {
  std::latch ended(1);
  options_.on_crash = [&](const Crash&) {
    ended.count_down();
    return AfterCrash();
  };
  const auto connection = start("flood");
  ASSERT_TRUE(connection);
  // The call's thread takes nothing more until the runner has ended.
  const quarry_call call{
      .struct_size = sizeof(quarry_call),
      .context = &ended,
      .state = [](const quarry_call*) { return QUARRY_OK; },
      .remaining_ms = [](const quarry_call*) { return INT64_MAX; },
      .progress = [](const quarry_call* self,
                     quarry_text) { static_cast<std::latch*>(self->context)->wait(); }};
  const auto answer = (*connection)->call({.function = Function::kResolve, .call = &call});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("sent more than it was allowed"));
}

TEST_F(Peer, ThatAsksForMoreAtOnceThanTheHostKeepsIsEnded) {
  options_.host = &kSilentHost;
  options_.most_requested = 8u << 20;
  const auto connection = start("large requests");
  ASSERT_TRUE(connection);
  const auto answer = (*connection)->call({.function = Function::kOpen});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("asked at once for services with more than 8"));
}

TEST_F(Peer, ThatHidesOneSecretAfterTheOtherIsEnded) {
  options_.host = &kSilentHost;
  const auto connection = start("many secrets");
  ASSERT_TRUE(connection);
  const auto answer = (*connection)->call({.function = Function::kOpen});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("had more secrets hidden"));
}

}  // namespace
}  // namespace quarry::runner
