#include "runner/sandbox.h"

#include "runner/testing/isolated_fixture.h"

#include <utility>

#include <sys/socket.h>

namespace quarry::runner {
namespace {

using ::testing::HasSubstr;

constexpr const char* kDone = "done";
constexpr const char* kDenied = "Permission denied";
constexpr const char* kNotPermitted = "Operation not permitted";
constexpr const char* kUnsupported = "Operation not supported";
constexpr const char* kAbsent = "Function not implemented";

/// Something that a plugin attempts, and what comes of it.
using Attempt = std::pair<const char*, const char*>;
constexpr Attempt kAttempts[] = {
    // Files. Facts about them cannot be hidden by path.
    {"passwd", kDenied},
    {"write", kDenied},
    {"libraries", kDone},
    {"look", kDone},
    {"times", kNotPermitted},
    {"old_times", kNotPermitted},
    {"watch", kNotPermitted},
    {"mode", kNotPermitted},
    {"user_identity", kNotPermitted},
    {"owner", kNotPermitted},
    {"cut", kNotPermitted},
    {"cut_open", kNotPermitted},
    {"reserve", kUnsupported},
    {"node", kNotPermitted},
    {"attribute", kNotPermitted},
    // Other processes, and new ones.
    {"connect", kNotPermitted},
    {"pair", kNotPermitted},
    {"pass", kNotPermitted},
    {"exec", kNotPermitted},
    {"fork", kNotPermitted},
    {"kill", kNotPermitted},
    {"queue_signal", kNotPermitted},
    {"orphan", kNotPermitted},
    {"own_signals", kNotPermitted},
    {"own_by_ioctl", kNotPermitted},
    {"which_signal", kNotPermitted},
    {"lease", kNotPermitted},
    {"trace", kNotPermitted},
    {"read_host", kNotPermitted},
    // Processors.
    {"nice_host", kNotPermitted},
    {"nice_group", kNotPermitted},
    {"hasten", kNotPermitted},
    {"slow_down", kDone},
    {"scheduler", kNotPermitted},
    {"own_scheduler", kNotPermitted},
    {"affinity", kNotPermitted},
    {"disk_priority", kNotPermitted},
    {"host_limit", kNotPermitted},
    // Memory.
    {"shared_memory", kNotPermitted},
    {"validated_memory", kNotPermitted},
    {"stack", kNotPermitted},
    {"huge_pages", kNotPermitted},
    {"private_memory", kDone},
    {"zeros", kDenied},
    {"memory_file", kNotPermitted},
    {"secret_memory", kNotPermitted},
    {"segment", kNotPermitted},
    {"messages", kNotPermitted},
    {"semaphores", kNotPermitted},
    {"queue", kNotPermitted},
    {"pipe_size", kNotPermitted},
    // The system.
    {"user_namespace", kNotPermitted},
    {"ring", kNotPermitted},
    {"program", kNotPermitted},
    {"key", kNotPermitted},
    {"identity", kNotPermitted},
    {"newer", kAbsent}};

/// Every attempt in one runner.
void expect_attempts(plugins::ResourceType& type) {
  for (const auto& [what, outcome] : kAttempts) {
    const Json asked{{"type", "faulty"}, {"do", "attempt:" + std::string(what)}};
    const auto answer = type.normalise({}, asked);
    ASSERT_TRUE(answer) << what << ": " << answer.error().message;
    EXPECT_EQ(answer->value("outcome", ""), outcome) << what;
  }
}

TEST_F(Isolated, AttemptsAreDenied) {
  const auto type = make();
  ASSERT_TRUE(type) << type.error().message;
  expect_attempts(**type);
}

TEST_F(Isolated, AttemptsAreDeniedByTheRulesOfLinux61) {
  runners_.landlock = 2;
  const auto type = make();
  ASSERT_TRUE(type) << type.error().message;
  expect_attempts(**type);
}

TEST_F(Isolated, AddressSpaceWithoutMemoryIsBounded) {
  if (!kLimitsMemory) GTEST_SKIP() << "a sanitizer reserves more";
  const auto type = make();
  ASSERT_TRUE(type);
  const auto answer = (*type)->normalise({}, resource("attempt:address_space"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->value("outcome", ""), "Cannot allocate memory");
}

TEST_F(Isolated, MemoryBeyondTheLimitIsRefused) {
  if (!kLimitsMemory) GTEST_SKIP() << "a sanitizer reserves more";
  runners_.memory = 256u << 20;
  const auto type = make();
  ASSERT_TRUE(type);
  const auto resolved = (*type)->resolve({}, resource("resolve:allocate"), {});
  ASSERT_FALSE(resolved);
  EXPECT_THAT(resolved.error().message,
              HasSubstr("plugin org.example.faulty (isolated) exceeded its memory limit of 256 MiB "
                        "(was killed by signal 6"));
}

TEST_F(Isolated, TheHostLearnsWhatHolds) {
  Runner runner(plugins::read_manifest(root_ / "plugins/faulty/plugin.toml").value(), runners_);
  runner.offer(kHostWithoutServices);
  const auto running = runner.shared();
  ASSERT_TRUE(running) << running.error().message;
  EXPECT_THAT((*running)->connection().sandbox(), HasSubstr("\"seccomp\":true"));
  EXPECT_EQ((*running)->connection().sandbox(), available_sandbox(runners_.memory).json());
}

TEST(AvailableSandbox, RestrictsNothingHere) {
  EXPECT_EQ(available_sandbox(1).memory, kLimitsMemory ? 1 : 0);
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_TRUE(socket);
  EXPECT_TRUE(read_file("/etc/passwd"));
}

}  // namespace
}  // namespace quarry::runner
