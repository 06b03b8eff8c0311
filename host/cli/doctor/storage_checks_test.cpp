#include "cli/doctor/storage_checks.h"

#include "base/file.h"

#include <quarry_test.h>

#include <gmock/gmock.h>

namespace quarry::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Severity = Finding::Severity;

constexpr std::uint64_t kMiB = 1ull << 20;

struct StorageChecks : ::testing::Test {
  const std::filesystem::path root = test_directory();
  WrittenDirectory directory{"the cache", root / "a/cache", "cache.directory"};
};

TEST_F(StorageChecks, ADirectoryThatCanBeWrittenIsMadeAndLeftEmpty) {
  EXPECT_THAT(check_writable(directory), IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(directory.path));
  EXPECT_EQ(std::filesystem::status(directory.path).permissions(), std::filesystem::perms(0700))
      << "as the program makes it";
}

TEST_F(StorageChecks, OneThatCannotBeWrittenIsNamedWithTheCause) {
  EXPECT_TRUE(write_file_atomically(root / "a", "a file"));
  const auto found = check_writable(directory);
  ASSERT_THAT(found, ElementsAre(Field(&Finding::severity, Severity::kFault)));
  EXPECT_THAT(found[0].cause, HasSubstr((root / "a/cache").string()));
  EXPECT_THAT(found[0].cause, HasSubstr("Not a directory"));
  EXPECT_THAT(found[0].next, HasSubstr("cache.directory"));
}

TEST_F(StorageChecks, LittleSpaceIsAFaultAndLessThanAQuarterAWarning) {
  const auto left = [&](std::uint64_t bytes, std::uint64_t wanted) {
    return judge_space(directory, bytes, wanted);
  };
  EXPECT_THAT(left(512 * kMiB, 0), IsEmpty());
  EXPECT_THAT(left(512 * kMiB - 1, 0), ElementsAre(Field(&Finding::cause, HasSubstr("512.0 MiB"))));
  EXPECT_THAT(left(0, 0), ElementsAre(Field(&Finding::severity, Severity::kFault)));
  EXPECT_THAT(left(600 * kMiB, 2400 * kMiB), IsEmpty());
  EXPECT_THAT(left(600 * kMiB, 2404 * kMiB),
              ElementsAre(Field(&Finding::severity, Severity::kWarning)));
  EXPECT_THAT(left(600 * kMiB, 10ull << 30),
              ElementsAre(Field(&Finding::cause, HasSubstr("up to 10.0 GiB"))));
}

TEST_F(StorageChecks, SpaceOfAMissingDirectoryIsNotJudged) {
  EXPECT_THAT(check_space(directory, 0), IsEmpty());
}

}  // namespace
}  // namespace quarry::cli
