#include "base/working_directory.h"

#include <quarry_places.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace quarry {
namespace {

namespace fs = std::filesystem;

TEST(WorkingDirectory, MakesPathsAbsolute) {
  EXPECT_EQ(*absolute_path("/a/../b/"), "/b/");
  EXPECT_EQ(*absolute_path("x"), fs::current_path() / "x");
}

// anthropics/claude-code#73428, openclaw/openclaw#73676, nodejs/node#1184
TEST(WorkingDirectory, ThatWasRemovedIsNeededForRelativePathsAlone) {
  const fs::path before = fs::current_path();
  const fs::path gone = test_directory() / "gone";
  fs::create_directories(gone);
  fs::current_path(gone);
  fs::remove(gone);
  EXPECT_FALSE(working_directory());
  EXPECT_EQ(*absolute_path("/a"), "/a");
  const auto relative = absolute_path("./x");
  fs::current_path(before);
  ASSERT_FALSE(relative);
  EXPECT_EQ(relative.error().message,
            "the working directory does not exist any more, and \"./x\" is relative to it");
}

}  // namespace
}  // namespace quarry
