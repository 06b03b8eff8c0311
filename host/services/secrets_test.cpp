#include "services/secrets.h"

#include "base/file.h"
#include "base/testing/waiting.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <quarry_test.h>
#include <stop_token>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace quarry::services {
namespace {

using ::testing::HasSubstr;
using From = SecretSource::From;

struct SecretStoreTest : ::testing::Test {
  const std::filesystem::path root = test_directory();
  std::string key = test_key();
  ProcessRunner processes{"/usr/bin:/bin", "/"};
  Redactor redactor;

  SecretStore store(SecretSource source) {
    const auto environment = [this](const char* name) {
      return std::string_view(name) == "SET" ? key.c_str() : nullptr;
    };
    return {{{"key", std::move(source)}}, environment, processes, redactor};
  }
};

TEST_F(SecretStoreTest, ReadsTheEnvironmentAndTellsTheRedactor) {
  EXPECT_EQ(store({From::kEnvironment, {"SET"}}).get("key", {}).value(), key);
  EXPECT_EQ(redactor.redact("is " + key), "is [secret key]");
}

TEST_F(SecretStoreTest, KnowsAValueOnceItWasFetched) {
  auto secrets = store({From::kEnvironment, {"SET"}});
  EXPECT_FALSE(secrets.known("key"));
  EXPECT_FALSE(secrets.known("other"));
  ASSERT_TRUE(secrets.get("key", {}));
  EXPECT_EQ(secrets.known("key"), key);
}

TEST_F(SecretStoreTest, AChangedSourceIsFetchedAgainAndAnOldOneIsNot) {
  const auto file = root / "key";
  ASSERT_TRUE(write_file_atomically(file, "sk-first"));
  auto secrets = store({From::kFile, {file}});
  ASSERT_EQ(secrets.get("key", {}).value(), "sk-first");
  ASSERT_TRUE(write_file_atomically(file, "sk-second"));
  secrets.update({{"key", {From::kFile, {file}}}});
  EXPECT_EQ(secrets.get("key", {}).value(), "sk-first");
  secrets.update({{"key", {From::kEnvironment, {"SET"}}}});
  EXPECT_EQ(secrets.get("key", {}).value(), key);
}

TEST_F(SecretStoreTest, OffersAVariableUnderItsOwnNameUnlessConfigured) {
  auto secrets = store({From::kEnvironment, {"SET"}});
  secrets.offer("SET");
  secrets.offer("key");
  EXPECT_EQ(secrets.get("SET", {}).value(), key);
  EXPECT_EQ(secrets.get("key", {}).value(), key);
  EXPECT_FALSE(secrets.get("UNSET", {}));
}

TEST_F(SecretStoreTest, ReadsAFileOrVariableWithoutItsLineEnds) {
  const auto file = root / "key";
  for (const char* text : {"sk-file\r\n", "sk-file\n\n", "sk-file"}) {
    ASSERT_TRUE(write_file_atomically(file, text));
    EXPECT_EQ(store({From::kFile, {file}}).get("key", {}).value(), "sk-file");
  }
  const std::string plain = key;
  key += "\r\n";
  EXPECT_EQ(store({From::kEnvironment, {"SET"}}).get("key", {}).value(), plain);
}

TEST_F(SecretStoreTest, RunsACommandOnceForManyAskers) {
  const auto count = root / "count";
  auto secrets =
      store({From::kCommand, {"sh", "-c", "echo x >> " + count.string() + "; echo sk-command"}});
  {
    std::vector<std::jthread> askers;
    for (int i = 0; i < 4; ++i)
      askers.emplace_back([&] { EXPECT_EQ(secrets.get("key", {}).value(), "sk-command"); });
  }
  EXPECT_EQ(read_file(count).value(), "x\n");
}

/// A command that begins, which leaves a line in a file, and ends when the test lets it.
struct HeldCommand {
  explicit HeldCommand(const std::filesystem::path& root, const std::string& then)
      : begun(root / "begun"), gate(root / "gate") {
    EXPECT_EQ(::mkfifo(gate.c_str(), 0600), 0);
    source = {From::kCommand,
              {"sh", "-c",
               "echo x >> " + begun.string() + "; read line < " + gate.string() + "; " + then}};
  }
  void wait_until_begun() const {
    wait_until([this] { return std::filesystem::exists(begun); });
  }
  void let_it_end() const { std::ofstream(gate) << "end\n"; }

  const std::filesystem::path begun;
  const std::filesystem::path gate;
  SecretSource source;
};

TEST_F(SecretStoreTest, WhoWaitsForAFetchLeavesWhenItsCallIsOver) {
  const HeldCommand command(root, "echo sk-command");
  auto secrets = store(command.source);
  std::jthread first([&] { EXPECT_EQ(secrets.get("key", {}).value(), "sk-command"); });
  command.wait_until_begun();
  EXPECT_FALSE(secrets.known("key"));
  std::stop_source stop;
  stop.request_stop();
  Call call;
  call.stop = stop.get_token();
  EXPECT_EQ(secrets.get("key", call).error().code, Code::kCancelled);
  command.let_it_end();
}

TEST_F(SecretStoreTest, AFailureIsToldToAllWhoWaitForIt) {
  const HeldCommand command(root, "exit 4");
  auto secrets = store(command.source);
  std::jthread first([&] { EXPECT_FALSE(secrets.get("key", {})); });
  command.wait_until_begun();
  std::atomic<bool> waits = false;
  Call call;
  call.state = [&] {
    waits = true;
    return Code::kOk;
  };
  std::jthread second([&] {
    EXPECT_THAT(secrets.get("key", call).error().message, HasSubstr("sh exited with status 4"));
  });
  wait_until([&] { return waits.load(); });
  command.let_it_end();
  first.join();
  second.join();
  EXPECT_EQ(read_file(command.begun).value(), "x\n") << "it ran once";
}

TEST_F(SecretStoreTest, IsFetchedAgainForOthersWhenTheCallThatFetchedItIsOver) {
  const HeldCommand command(root, "echo sk-command");
  auto secrets = store(command.source);
  std::stop_source stop;
  Call over;
  over.stop = stop.get_token();
  std::jthread first([&] { EXPECT_EQ(secrets.get("key", over).error().code, Code::kCancelled); });
  command.wait_until_begun();
  std::jthread second([&] { EXPECT_EQ(secrets.get("key", {}).value(), "sk-command"); });
  stop.request_stop();
  first.join();
  command.let_it_end();
}

TEST_F(SecretStoreTest, NamesWhatIsMissing) {
  EXPECT_THAT(store({From::kEnvironment, {"SET"}}).get("other", {}).error().message,
              HasSubstr("'other'"));
  const auto unset = store({From::kEnvironment, {"UNSET"}}).get("key", {});
  EXPECT_EQ(unset.error().code, Code::kNotFound);
  EXPECT_THAT(unset.error().message, HasSubstr("'key': the environment variable UNSET"));
  EXPECT_EQ(store({From::kFile, {root / "none"}}).get("key", {}).error().code, Code::kNotFound);
  EXPECT_EQ(store({From::kEnvironment, {}}).get("key", {}).error().code, Code::kInvalidArgument);
}

TEST_F(SecretStoreTest, NeverShowsWhatAFailedCommandPrinted) {
  const auto failed =
      store({From::kCommand, {"sh", "-c", "echo " + key + "; echo " + key + " >&2; exit 4"}})
          .get("key", {});
  EXPECT_THAT(failed.error().message, HasSubstr("sh exited with status 4"));
  EXPECT_THAT(failed.error().message, ::testing::Not(HasSubstr(key)));
}

TEST_F(SecretStoreTest, RefusesAnEmptyValue) {
  EXPECT_EQ(store({From::kCommand, {"true"}}).get("key", {}).error().code, Code::kNotFound);
}

TEST_F(SecretStoreTest, WhatWasHeldStaysWhenTheSourceChanges) {
  auto secrets = store({From::kCommand, {"echo", "old"}});
  const auto held = secrets.hold("key");
  const auto unknown = secrets.hold("other");
  secrets.update(
      {{"key", {From::kCommand, {"echo", "new"}}}, {"other", {From::kCommand, {"echo", "later"}}}});
  EXPECT_EQ(held({}).value(), "old");
  EXPECT_EQ(secrets.get("key", {}).value(), "new");
  EXPECT_EQ(unknown({}).error().code, Code::kNotFound);
}

TEST_F(SecretStoreTest, TellsWhetherASourceHasAValueWithoutKeepingIt) {
  auto secrets = store({From::kCommand, {"true"}});
  EXPECT_TRUE(secrets.check({From::kCommand, {"echo", "x"}}, {}));
  EXPECT_FALSE(secrets.check({From::kCommand, {"true"}}, {}));
  EXPECT_THAT(secrets.check({From::kEnvironment, {"UNSET"}}, {}).error().message,
              HasSubstr("UNSET is not set"));
}

TEST_F(SecretStoreTest, StopsACommandWithItsCall) {
  Call call;
  call.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
  EXPECT_EQ(store({From::kCommand, {"sleep", "1000"}}).get("key", call).error().code,
            Code::kDeadlineExceeded);
}

}  // namespace
}  // namespace quarry::services
