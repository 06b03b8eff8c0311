#include "resource-git/program.h"

#include <quarry/testing_process.hpp>

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_git {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class GitProgram : public ::testing::Test {
 protected:
  void SetUp() override { host_.offer(QUARRY_PROCESS, processes_.get()); }
  GitEnd run(const Command& command) {
    const auto end = run_git(Host(host_.get()), Call(call_.get()), command, [&](auto bytes) {
      output_ += bytes;
      return true;
    });
    EXPECT_TRUE(end) << end.failure().message;
    return end ? *end : GitEnd{};
  }
  quarry::testing::FakeHost host_;
  quarry::testing::FakeCall call_;
  quarry::testing::RealProcesses processes_;
  std::string output_;
};

TEST_F(GitProgram, SeesNoConfigurationButOurs) {
  ::setenv("GIT_CONFIG_PARAMETERS", "'core.hookspath=/evil'", 1);
  ::setenv("GIT_SSH_COMMAND", "evil", 1);
  EXPECT_TRUE(run({.arguments = {"config", "--list", "--show-scope"}}).ok());
  ::unsetenv("GIT_CONFIG_PARAMETERS");
  ::unsetenv("GIT_SSH_COMMAND");
  EXPECT_THAT(output_, AllOf(HasSubstr("command\tprotocol.allow=never"),
                             HasSubstr("command\tcore.hookspath=/dev/null"),
                             HasSubstr("command\tfetch.fsckobjects=true"),
                             HasSubstr("command\thttp.followredirects=false"),
                             HasSubstr("command\thttp.lowspeedlimit=1000"),
                             HasSubstr("command\thttp.lowspeedtime=30"), Not(HasSubstr("evil")),
                             Not(HasSubstr("global\t")), Not(HasSubstr("system\t"))));
  EXPECT_THAT(processes_.runs().back().environment,
              AllOf(Contains("GIT_TERMINAL_PROMPT=0"), Contains("LC_ALL=C"),
                    Contains("HOME=/nonexistent"), Not(Contains(StartsWith("GIT_SSH")))));
}

TEST_F(GitProgram, PutsItsConfigurationWhereNoListOfProcessesShowsIt) {
  run({.arguments = {"config", "--get", "http.extraHeader"},
       .configuration = {{"http.extraHeader", "Authorization: hunter2"}}});
  EXPECT_EQ(output_, "Authorization: hunter2\n");
  EXPECT_THAT(processes_.runs().back().arguments, Each(Not(HasSubstr("hunter2"))));
}

TEST_F(GitProgram, ReachesNothingUnlessToldHow) {
  for (const char* url : {"https://127.0.0.1:1/r", "http://127.0.0.1:1/r", "file:///", "/",
                          "ssh://127.0.0.1/r", "git://127.0.0.1:1/r", "ext::sh -c true"}) {
    const GitEnd end = run({.arguments = {"ls-remote", "--end-of-options", url}});
    EXPECT_FALSE(end.ok());
    EXPECT_THAT(end.errors, HasSubstr("not allowed")) << url;
  }
}

TEST_F(GitProgram, HandsInputOverAndTellsHowItEnded) {
  EXPECT_EQ(run({.arguments = {"hash-object", "--stdin"}, .input = "x"}).exit, 0);
  EXPECT_EQ(output_.size(), 41u);
  const GitEnd failed = run({.arguments = {"no-such-verb"}});
  EXPECT_NE(failed.exit, 0);
  EXPECT_THAT(failed.errors, HasSubstr("no-such-verb"));
}

TEST_F(GitProgram, EndsWithItsCallOrItsTime) {
  const Command waits{.arguments = {"-c", "alias.wait=!sleep 1000", "wait"}};
  const TimedCall timed(Host(host_.get()), Call(call_.get()), std::chrono::milliseconds(1));
  const auto late = run_git(Host(host_.get()), timed.call(), waits, nullptr);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.failure().status, QUARRY_DEADLINE_EXCEEDED);
  EXPECT_TRUE(timed.timed_out());

  const TimedCall patient(Host(host_.get()), Call(call_.get()), std::chrono::hours(24));
  EXPECT_GT(patient.call().get()->remaining_ms(patient.call().get()), 3'600'000);
  call_.cancel_after(2);
  const auto cancelled = run_git(Host(host_.get()), patient.call(), waits, nullptr);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.failure().status, QUARRY_CANCELLED);
}

TEST_F(GitProgram, EndsBelowItsMinimumSpeed) {
  const Command drips{.arguments = {"-c", "alias.drip=!echo x >&2; sleep 1000", "drip"},
                      .minimum_speed = MinimumSpeed{1000, std::chrono::milliseconds(100)}};
  const auto slow = run_git(Host(host_.get()), Call(call_.get()), drips, nullptr);
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.failure().status, QUARRY_DEADLINE_EXCEEDED);
  EXPECT_THAT(slow.failure().message, HasSubstr("slower than 1 kB/s for 30 s"));
}

TEST_F(GitProgram, GetsTheProxiesAndCertificatesOfThisProcess) {
  ::setenv("https_proxy", "http://proxy.example.org:3128", 1);
  ::setenv("SSL_CERT_FILE", "/etc/ca.pem", 1);
  EXPECT_THAT(network_environment(), AllOf(Contains("https_proxy=http://proxy.example.org:3128"),
                                           Contains("GIT_SSL_CAINFO=/etc/ca.pem")));
  ::unsetenv("https_proxy");
  ::unsetenv("SSL_CERT_FILE");
}

}  // namespace
}  // namespace quarry::resource_git
