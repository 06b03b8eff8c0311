// The main program of the unit tests detects a test that prints its key or leaves it in a file.

#include <array>
#include <cstdio>
#include <filesystem>
#include <quarry_places.h>
#include <string>

#include <gmock/gmock.h>
#include <sys/wait.h>

namespace {

using ::testing::HasSubstr;

struct Ran {
  int status;
  std::string said;
};

/// Runs a test of leaks.cpp as CTest does.
Ran run(const std::string& name) {
  const std::string command =
      "env -u QUARRY_TEST_KEY -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX " QUARRY_BUILD_DIR
      "/tests/canary_leaks --gtest_brief=1 --gtest_filter='" +
      name + "' 2>&1";
  std::FILE* const output = ::popen(command.c_str(), "r");
  Ran ran;
  std::array<char, 4096> bytes;
  for (std::size_t count; (count = std::fread(bytes.data(), 1, bytes.size(), output)) > 0;)
    ran.said.append(bytes.data(), count);
  ran.status = WEXITSTATUS(::pclose(output));
  return ran;
}

/// The first text in quotes.
std::filesystem::path directory_in(const std::string& said) {
  const auto begin = said.find('"') + 1;
  return said.substr(begin, said.find('"', begin) - begin);
}

TEST(Canary, IsFoundInAnOutput) {
  for (const char* name : {"Leak.OnOutput", "Leak.OnError", "Leak.OfAChild"}) {
    const Ran ran = run(name);
    EXPECT_EQ(ran.status, 1) << name;
    EXPECT_THAT(ran.said, HasSubstr("the key of the tests is in their output")) << name;
  }
}

TEST(Canary, IsFoundInAFileThatIsLeft) {
  const Ran ran = run("Leak.InAFile");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.said, HasSubstr("/a/b/c"));
}

TEST(Canary, LeavesTheResultOfTestsThatDoNotLeakAsItIs) {
  EXPECT_EQ(run("NoLeak.ByWhatIsNotTheKey").status, 0);
  EXPECT_EQ(run("NoLeak.ButAFailure").status, 1);
  EXPECT_EQ(run("NoLeak.ButACrash").status, 128 + SIGABRT);
}

TEST(Canary, WhatTestsLeaveIsRemovedHoweverTheyEnd) {
  for (const char* name : {"NoLeak.ByWhatIsNotTheKey", "NoLeak.ButAFailure", "NoLeak.ButACrash"}) {
    const auto directory = directory_in(run(name).said);
    EXPECT_THAT(directory.string(), HasSubstr("quarry-tests-"));
    EXPECT_FALSE(std::filesystem::exists(directory)) << name;
  }
}

}  // namespace
