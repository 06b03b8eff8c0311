#include "runner/sandbox.h"

#include "runner/testing/isolated_fixture.h"

#include <tuple>

#include <sys/socket.h>

namespace quarry::runner {
namespace {

using ::testing::HasSubstr;

/// Something a plugin attempts, and what comes of it.
using Attempt = std::tuple<const char*, const char*>;

class Sandboxed : public Isolated, public ::testing::WithParamInterface<Attempt> {};

TEST_P(Sandboxed, Attempts) {
  const auto& [what, outcome] = GetParam();
  const auto type = make();
  ASSERT_TRUE(type) << type.error().message;
  const auto answer = (*type)->normalise({}, resource("attempt:" + std::string(what)));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->value("outcome", ""), outcome);
}

constexpr const char* kNotPermitted = "Operation not permitted";
INSTANTIATE_TEST_SUITE_P(
    Runner, Sandboxed,
    ::testing::Values(Attempt{"passwd", "Permission denied"}, Attempt{"write", "Permission denied"},
                      Attempt{"connect", kNotPermitted}, Attempt{"exec", kNotPermitted},
                      Attempt{"fork", kNotPermitted}, Attempt{"kill", kNotPermitted},
                      Attempt{"orphan", kNotPermitted}, Attempt{"libraries", "done"}),
    [](const auto& one) { return std::string(std::get<0>(one.param)); });

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
  const quarry_host host{
      .struct_size = sizeof(quarry_host),
      .abi_major = 1,
      .abi_minor = 0,
      .context = nullptr,
      .version = {},
      .service = [](const quarry_host*, const char*) -> const void* { return nullptr; },
      .open_call = nullptr,
      .close_call = nullptr};
  runner.offer(host);
  const auto running = runner.running();
  ASSERT_TRUE(running) << running.error().message;
  EXPECT_THAT(running->connection->sandbox(), HasSubstr("\"seccomp\":true"));
  EXPECT_EQ(running->connection->sandbox(), available_sandbox(runners_.memory).json());
}

TEST(AvailableSandbox, RestrictsNothingHere) {
  EXPECT_EQ(available_sandbox(1).memory, kLimitsMemory ? 1 : 0);
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_TRUE(socket);
  EXPECT_TRUE(read_file("/etc/passwd"));
}

}  // namespace
}  // namespace quarry::runner
