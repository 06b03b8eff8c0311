#include "plugins/check_plugins.h"

#include "base/file.h"

#include <fstream>
#include <quarry_places.h>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The plugin hello in a directory of its own. What would be loaded is noted.
class CheckedPlugins : public ::testing::Test {
 protected:
  CheckedPlugins() {
    fs::create_directory(directory_);
    add("hello");
    options_.directories = {directory_};
    options_.probed_list = root_ / "state/probed";
    options_.isolate = [](const Manifest&) -> Result<std::shared_ptr<Module>> {
      return Error(Code::kInternal, "nothing is isolated here");
    };
  }
  void add(const std::string& plugin, const std::string& folder = {}) {
    fs::copy(fs::path(QUARRY_BUILD_DIR) / "tests/plugins" / plugin,
             directory_ / (folder.empty() ? plugin : folder));
  }
  void append(const std::string& text) const {
    std::ofstream(directory_ / "hello/plugin.toml", std::ios::app) << text;
  }
  std::vector<Error> check() {
    loaded_.clear();
    return check_plugins(options_,
                         {.may_be_isolated = [this](const auto&) { return may_; },
                          .load =
                              [this](const auto& manifest, bool isolated, const auto&) {
                                loaded_.push_back(manifest.id + (isolated ? " isolated" : " here"));
                                return loads_;
                              },
                          .load_together =
                              [this](const auto& manifests) {
                                for (const auto* manifest : manifests) {
                                  loaded_.push_back(manifest->id + " together");
                                }
                                return load_together_;
                              }});
  }

  const fs::path root_ = test_directory();
  const fs::path directory_ = root_ / "plugins";
  RegistryOptions options_;
  Status may_;
  Status loads_;
  bool load_together_ = true;
  std::vector<std::string> loaded_;
};

TEST_F(CheckedPlugins, AreLoadedOnceUntilTheirManifestOrIsolationChanges) {
  EXPECT_THAT(check(), IsEmpty());
  EXPECT_THAT(loaded_, ElementsAre("org.example.hello isolated"));
  EXPECT_THAT(check(), IsEmpty());
  EXPECT_THAT(loaded_, IsEmpty());
  append("# changed\n");
  EXPECT_THAT(check(), IsEmpty());
  EXPECT_THAT(loaded_, ElementsAre("org.example.hello isolated"));
  options_.isolation = {{"org.example.hello", "none"}};
  EXPECT_THAT(check(), IsEmpty());
  EXPECT_THAT(loaded_, ElementsAre("org.example.hello here"));
  EXPECT_THAT(check(), IsEmpty());
  EXPECT_THAT(loaded_, IsEmpty());
}

TEST_F(CheckedPlugins, OfTheHostAreLoadedTogether) {
  options_.own_directories = 1;
  add("parts");
  EXPECT_THAT(check(), IsEmpty());
  EXPECT_THAT(loaded_, ElementsAre("org.example.hello together", "org.example.parts together"));
  EXPECT_THAT(check(), IsEmpty());
  EXPECT_THAT(loaded_, IsEmpty());
}

TEST_F(CheckedPlugins, OfTheHostThatMayNotBeUsedAreNotLoaded) {
  options_.own_directories = 1;
  options_.pinned["org.example.hello"] = std::string(64, '0');
  add("models");
  add("parts");
  EXPECT_EQ(check().size(), 1u);
  EXPECT_THAT(loaded_, ElementsAre("org.example.models together", "org.example.parts together"));
}

TEST_F(CheckedPlugins, ThatDoNotLoadTogetherAreLoadedEachByItself) {
  options_.own_directories = 1;
  add("parts");
  load_together_ = false;
  EXPECT_THAT(check(), IsEmpty());
  EXPECT_THAT(loaded_, ElementsAre("org.example.hello together", "org.example.parts together",
                                   "org.example.hello here", "org.example.parts here"));
}

TEST_F(CheckedPlugins, ThatDoNotLoadAreLoadedAgain) {
  loads_ = Error(Code::kInvalidArgument, "plugin org.example.hello does not load", "mend it");
  for (int i = 0; i < 2; ++i) {
    const auto problems = check();
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems.front().message, "plugin org.example.hello does not load");
    EXPECT_EQ(loaded_.size(), 1u);
  }
}

TEST_F(CheckedPlugins, ThatMayNotBeIsolatedAreNotLoaded) {
  may_ = Error(Code::kUnsupported, "not in a process of its own");
  ASSERT_EQ(check().size(), 1u);
  EXPECT_THAT(loaded_, IsEmpty());
  options_.own_directories = 1;
  EXPECT_THAT(check(), IsEmpty()) << "it runs in the host";
}

TEST_F(CheckedPlugins, TakeTheirIdOnlyIfTheyCanBeUsed) {
  add("hello", "second");
  const auto problems = check();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems.front().message, HasSubstr("second is not used"));
  std::ofstream(directory_ / "hello/hello.so", std::ios::app) << "x";
  const auto other = check();
  ASSERT_EQ(other.size(), 1u) << "the second is used instead";
  EXPECT_THAT(other.front().message, HasSubstr("its manifest says"));
}

TEST_F(CheckedPlugins, ThatAreDisabledOrUnwantedAreNotChecked) {
  options_.pinned["org.example.hello"] = std::string(64, '0');
  EXPECT_EQ(check().size(), 1u);
  options_.wanted = [](const auto&, const auto& found) { return found.size() > 1; };
  EXPECT_THAT(check(), IsEmpty());
  options_.wanted = nullptr;
  options_.disabled = {"org.example.hello"};
  EXPECT_THAT(check(), IsEmpty());
}

TEST_F(CheckedPlugins, WithoutAListAreLoadedEachTime) {
  options_.probed_list.clear();
  EXPECT_THAT(check(), IsEmpty());
  EXPECT_THAT(check(), IsEmpty());
  EXPECT_EQ(loaded_.size(), 1u);
}

/// The problem of searching `directory`, with its hint; empty if there is none.
std::string problem_of_searching(const fs::path& directory) {
  const auto found = find_plugins({directory});
  if (found.problems.empty()) return {};
  EXPECT_EQ(found.problems.size(), 1u);
  return found.problems.front().message + ": " + found.problems.front().hint;
}

TEST_F(CheckedPlugins, LieInDirectoriesThatAreNamedRightly) {
  EXPECT_EQ(problem_of_searching(directory_), "");
  EXPECT_THAT(problem_of_searching(root_ / "none"), HasSubstr("does not exist"));
  for (const auto& folder : {directory_ / "hello", directory_ / "hello/", directory_ / "./hello"}) {
    EXPECT_THAT(
        problem_of_searching(folder),
        HasSubstr("is that of one plugin: name the directory above it: " + directory_.string()));
  }
  EXPECT_THAT(problem_of_searching(directory_ / "hello/hello.so"),
              HasSubstr("is a file: name the directory that has the folders of plugins, perhaps " +
                        directory_.string()));
  EXPECT_THAT(problem_of_searching(root_),
              HasSubstr("has no plugin: did you mean \"" + directory_.string() + "\"?"));
}

TEST_F(CheckedPlugins, AreNotSearchedForInLinksAndTooDeep) {
  fs::create_directories(root_ / "a/b/c/d/e/f/g");
  fs::create_directory_symlink(directory_, root_ / "a/link");
  fs::create_directory_symlink(root_ / "a", root_ / "a/loop");
  fs::copy(directory_ / "hello", root_ / "a/b/c/d/e/f/g/hello");
  EXPECT_THAT(problem_of_searching(root_ / "a"), HasSubstr("or take it out of plugin_path"));
}

TEST_F(CheckedPlugins, OfTheInstalledDirectoryMayBeMissing) {
  EXPECT_THAT(find_plugins({root_ / "none"}, root_ / "none").problems, IsEmpty());
  fs::create_directory(root_ / "empty");
  EXPECT_THAT(find_plugins({root_ / "empty"}, root_ / "empty").problems, IsEmpty());
}

}  // namespace
}  // namespace quarry::plugins
