#include "base/directory_entries.h"

#include "base/file.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry {
namespace {

namespace fs = std::filesystem;

using ::testing::UnorderedElementsAre;

TEST(DirectoryEntries, AreFilesLinksAndDirectoriesOfOneLevel) {
  const fs::path root = *make_temp_directory(fs::temp_directory_path(), "quarry-entries-");
  fs::create_directories(root / "deep/er");
  std::ofstream(root / "file") << 'x';
  fs::create_symlink("/nowhere", root / "link");
  std::vector<fs::path> found;
  std::error_code failed = std::make_error_code(std::errc::io_error);  // of an earlier call
  for (const auto& entry : entries_of(root, failed)) found.push_back(entry.path());
  fs::remove_all(root);
  EXPECT_FALSE(failed) << failed.message();
  EXPECT_THAT(found, UnorderedElementsAre(root / "deep", root / "file", root / "link"));
}

TEST(DirectoryEntries, AreNoneOfWhatIsNoDirectory) {
  std::error_code failed;
  EXPECT_TRUE(entries_of("/proc/version", failed).empty());
  EXPECT_EQ(failed, std::errc::not_a_directory);
  EXPECT_TRUE(entries_of("/nowhere/at/all").empty());
}

}  // namespace
}  // namespace quarry
