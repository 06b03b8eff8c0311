#include "services/paths.h"

#include <fstream>
#include <map>
#include <quarry_test.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace quarry::services {
namespace {

namespace fs = std::filesystem;

Paths::Environment environment(std::map<std::string, std::string> values) {
  auto kept = std::make_shared<std::map<std::string, std::string>>(std::move(values));
  return [kept](const char* name) {
    const auto found = kept->find(name);
    return found == kept->end() ? nullptr : found->second.c_str();
  };
}

struct PathsTest : ::testing::Test {
  const fs::path root = test_directory();
  Paths::Roots roots{root / "c/quarry", root / "d", root / "s"};
  Paths paths{roots};

  fs::path tmp() const { return roots.cache / "tmp"; }
};

TEST(Roots, StandBeneathHomeByDefault) {
  const auto roots = Paths::roots(environment({{"HOME", "/home/ann"}}));
  ASSERT_TRUE(roots);
  EXPECT_EQ(roots->cache, "/home/ann/.cache/quarry");
  EXPECT_EQ(roots->data, "/home/ann/.local/share/quarry");
  EXPECT_EQ(roots->state, "/home/ann/.local/state/quarry");
}

TEST(Roots, FollowXdgAndOurOwnVariablesFirst) {
  const auto roots = Paths::roots(environment({{"HOME", "/home/ann"},
                                               {"XDG_CACHE_HOME", "/x"},
                                               {"XDG_DATA_HOME", "relative"},
                                               {"QUARRY_STATE_DIR", "/own"}}));
  ASSERT_TRUE(roots);
  EXPECT_EQ(roots->cache, "/x/quarry");
  EXPECT_EQ(roots->data, "/home/ann/.local/share/quarry");
  EXPECT_EQ(roots->state, "/own");
}

TEST(Roots, NeedNoHomeWhenEachIsNamed) {
  const auto roots = Paths::roots(environment(
      {{"QUARRY_CACHE_DIR", "/c"}, {"QUARRY_DATA_DIR", "/d"}, {"QUARRY_STATE_DIR", "/s"}}));
  ASSERT_TRUE(roots) << roots.error().message;
  EXPECT_EQ(roots->data, "/d");
}

TEST(Roots, NameTheVariableThatIsWrong) {
  const auto relative = Paths::roots(environment({{"QUARRY_CACHE_DIR", "x"}}));
  EXPECT_THAT(relative.error().message, ::testing::HasSubstr("QUARRY_CACHE_DIR"));
  const auto homeless = Paths::roots(environment({}));
  EXPECT_THAT(homeless.error().message, ::testing::HasSubstr("HOME"));
  EXPECT_FALSE(homeless.error().hint.empty());
}

TEST_F(PathsTest, AreMadeOnFirstUseForTheirOwnerAlone) {
  EXPECT_FALSE(fs::exists(roots.cache));
  ASSERT_TRUE(paths.cache());
  EXPECT_EQ(fs::status(roots.cache).permissions(), fs::perms::owner_all);
  ASSERT_TRUE(paths.data());
  ASSERT_TRUE(paths.state());
  EXPECT_TRUE(fs::is_directory(roots.data) && fs::is_directory(roots.state));
}

TEST_F(PathsTest, GiveEachPluginItsOwn) {
  EXPECT_EQ(*paths.plugin_cache("org.a"), roots.cache / "plugins/org.a");
  EXPECT_NE(*paths.plugin_data("org.a"), *paths.plugin_data("org.b"));
  EXPECT_TRUE(fs::is_directory(*paths.plugin_data("org.b")));
}

TEST_F(PathsTest, RefuseAPluginNameThatClimbs) {
  for (const char* id : {"", "..", "a/b", ".hidden"})
    EXPECT_EQ(paths.plugin_cache(id).error().code, Code::kInvalidArgument) << id;
}

TEST_F(PathsTest, SayWhatCannotBeMade) {
  std::ofstream(root / "d") << "a file";
  const auto data = paths.data();
  const auto inside = paths.plugin_data("x");
  EXPECT_FALSE(inside);
  EXPECT_THAT(inside.error().message, ::testing::HasSubstr((root / "d").string()));
  EXPECT_THAT(inside.error().hint, ::testing::HasSubstr("Set HOME"));
}

TEST_F(PathsTest, RemoveTempDirectoriesWithTheirOwner) {
  fs::path seen;
  {
    const auto temp = paths.temp("clone-");
    ASSERT_TRUE(temp);
    seen = temp->path();
    std::ofstream(seen / "file") << "x";
    EXPECT_TRUE(fs::exists(seen / "file"));
  }
  EXPECT_FALSE(fs::exists(seen));
}

TEST_F(PathsTest, LeaveNothingBehindAtTheEnd) {
  { ASSERT_TRUE(Paths(roots).temp("x")); }
  std::size_t left = 0;
  for (const auto& entry : fs::directory_iterator(tmp()))
    left += entry.path().filename() != ".sweep";
  EXPECT_EQ(left, 0u);
}

TEST_F(PathsTest, SweepWhatADeadProcessLeft) {
  const pid_t child = ::fork();
  if (child == 0) {
    Paths mine(roots);
    auto temp = mine.temp("x");
    ::_exit(temp && std::ofstream(temp->path() / "f") ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(paths.sweep().value(), 1u);
  EXPECT_EQ(paths.sweep().value(), 0u);
}

TEST_F(PathsTest, NeverSweepWhatALivingProcessUses) {
  const auto temp = paths.temp("x");
  ASSERT_TRUE(temp);
  EXPECT_EQ(Paths(roots).sweep().value(), 0u);
  EXPECT_TRUE(fs::exists(temp->path()));
}

}  // namespace
}  // namespace quarry::services
