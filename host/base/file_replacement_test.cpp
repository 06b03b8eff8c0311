#include "base/file_replacement.h"

#include "base/file.h"

#include <quarry_test.h>

#include <gtest/gtest.h>

namespace quarry {
namespace {

namespace fs = std::filesystem;

class FileReplacement : public ::testing::Test {
 protected:
  const fs::path root_ = test_directory();
};

TEST_F(FileReplacement, RemovesTheTemporariesOfAKilledWriterAndNoOthers) {
  for (const char* name : {"file", ".file.abcDEF", ".file.abcDEFg", ".file.abc", ".filet.abcDEF"}) {
    ASSERT_TRUE(write_file_atomically(root_ / name, ""));
  }
  remove_temporaries(root_ / "file");
  EXPECT_FALSE(fs::exists(root_ / ".file.abcDEF"));
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), 4);
}

TEST_F(FileReplacement, IsOfTheFileBehindALink) {
  ASSERT_TRUE(write_file_atomically(root_ / "target", ""));
  fs::create_symlink(root_ / "target", root_ / "link");
  EXPECT_EQ(real_file(root_ / "link"), real_file(root_) / "target");
  EXPECT_EQ(real_file(root_ / "none"), real_file(root_) / "none");
}

}  // namespace
}  // namespace quarry
