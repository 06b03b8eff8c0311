#include "base/file.h"
#include "plugins/registry.h"

#include <quarry/resource.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <quarry_places.h>
#include <quarry_test.h>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The plugins of a directory, loaded and reloaded; "generation" is one plugin in three versions,
/// the last of which fails to create its component.
class Reload : public ::testing::Test {
 protected:
  Reload() {
    fs::create_directories(root_ / "plugins");
    options_.directories = {root_ / "plugins"};
    put("generation-1");
    load();
  }

  /// Puts a test plugin into the directory, in the place of an earlier version.
  void put(const std::string& name, const std::string& place = "plugin") {
    remove(place);
    fs::copy(fs::path(QUARRY_BUILD_DIR) / "tests/plugins" / name, root_ / "plugins" / place);
  }
  void remove(const std::string& place = "plugin") { fs::remove_all(root_ / "plugins" / place); }
  void edit(const std::string& from, const std::string& to) {
    auto text = *read_file(manifest());
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    std::ofstream(manifest()) << text.replace(at, from.size(), to);
  }
  fs::path manifest() const { return root_ / "plugins/plugin/plugin.toml"; }

  void load() { registry_ = Registry::load(options_); }
  /// Reloads and returns the changes as "id version kind".
  std::vector<std::string> reload() {
    registry_ = registry_->reload(options_);
    return changes();
  }
  std::vector<std::string> changes() const {
    std::vector<std::string> out;
    for (const auto& change : registry_->changes()) {
      out.push_back(change.id.substr(change.id.rfind('.') + 1) + ' ' + change.version + ' ' +
                    std::string(name_of(change.kind)));
    }
    return out;
  }
  std::string problem() const {
    const auto& problems = registry_->problems();
    return problems.size() == 1 ? problems.front().message
                                : std::to_string(problems.size()) + " problems";
  }
  std::shared_ptr<ResourceType> make() {
    auto made = registry_->make_resource_type("generation", "{}");
    return made ? *made : nullptr;
  }
  /// The version of the code that `type` runs.
  static std::string version_of(const std::shared_ptr<ResourceType>& type) {
    if (!type) return "none";
    const auto version = type->resolve({}, {}, {});
    return version ? version->id : version.error().message;
  }

  const fs::path root_ = test_directory();
  RegistryOptions options_;
  std::unique_ptr<Registry> registry_;
};

TEST_F(Reload, AnUnchangedPluginIsTheSameCode) {
  const auto type = make();
  EXPECT_THAT(reload(), IsEmpty());
  EXPECT_EQ(make()->describe().title, type->describe().title);
  EXPECT_EQ(registry_->plugins().size(), 1);
  EXPECT_THAT(registry_->problems(), IsEmpty());
}

TEST_F(Reload, AReplacedPluginRunsBesideTheOldOneWhileThatIsUsed) {
  const auto old = make();
  put("generation-2");
  EXPECT_THAT(reload(), ElementsAre("generation 2.0.0 replaced"));
  EXPECT_EQ(registry_->changes().front().before, "1.0.0");
  EXPECT_EQ(describe(registry_->changes().front()),
            "plugin org.example.generation 2.0.0 replaces 1.0.0");
  EXPECT_EQ(version_of(make()), "2.0.0");
  EXPECT_EQ(version_of(old), "1.0.0");
}

TEST_F(Reload, CodeIsUnloadedWithItsLastUse) {
  const auto mapped = [] {
    const auto maps = *read_file("/proc/self/maps");
    std::size_t count = 0;
    for (std::size_t at = 0; (at = maps.find("/memfd:org.example.generation", at)) != maps.npos;
         ++at) {
      ++count;
    }
    return count;
  };
  auto old = make();
  const auto one = mapped();
  put("generation-2");
  reload();
  registry_->end_reload();
  EXPECT_EQ(mapped(), 2 * one);
  old.reset();
  EXPECT_EQ(mapped(), one);
}

TEST_F(Reload, ANewPluginIsLoadedAndARemovedOneIsGone) {
  put("hello", "other");
  EXPECT_THAT(reload(), ElementsAre("hello 1.0.0 loaded"));
  remove("other");
  EXPECT_THAT(reload(), ElementsAre("hello 1.0.0 removed"));
  EXPECT_FALSE(registry_->make_resource_type("hello", "{}"));
  EXPECT_THAT(registry_->problems(), IsEmpty());
}

TEST_F(Reload, AnUnusableFileLeavesTheOldCodeInUse) {
  put("generation-2");
  std::ofstream(root_ / "plugins/plugin/generation-2.so", std::ios::app) << "more";
  EXPECT_THAT(reload(), ElementsAre("generation 1.0.0 kept"));
  EXPECT_THAT(problem(), HasSubstr("SHA-256"));
  EXPECT_THAT(problem(), HasSubstr("version 1.0.0, loaded before, stays in use"));
  EXPECT_EQ(version_of(make()), "1.0.0");
  put("generation-2");
  EXPECT_THAT(reload(), ElementsAre("generation 2.0.0 replaced"));
}

TEST_F(Reload, AnUnreadableManifestLeavesTheOldCodeInUse) {
  std::ofstream(manifest()) << "format = ";
  EXPECT_THAT(reload(), ElementsAre("generation 1.0.0 kept"));
  EXPECT_EQ(registry_->problems().size(), 2);
  EXPECT_THAT(registry_->problems().back().message,
              HasSubstr("generation cannot be loaded again; version 1.0.0"));
  EXPECT_EQ(version_of(make()), "1.0.0");
}

TEST_F(Reload, WhatTheOwnerForbidsIsNotKept) {
  options_.disabled = {"org.example.generation"};
  EXPECT_THAT(reload(), ElementsAre("generation 1.0.0 removed"));
  options_.disabled = {};
  EXPECT_THAT(reload(), ElementsAre("generation 1.0.0 loaded"));
  options_.pinned = {{"org.example.generation", std::string(64, '0')}};
  EXPECT_THAT(reload(), ElementsAre("generation 1.0.0 removed"));
  EXPECT_THAT(problem(), HasSubstr("is pinned to"));
}

TEST_F(Reload, APluginThatIsNotWantedIsNotKept) {
  options_.wanted = [](const Manifest&, const std::vector<Manifest>&) { return false; };
  EXPECT_THAT(reload(), ElementsAre("generation 1.0.0 removed"));
}

TEST_F(Reload, AnotherIsolationReplacesTheCode) {
  options_.isolation = {{"org.example.generation", "process"}};
  EXPECT_THAT(reload(), ElementsAre("generation 1.0.0 removed"))
      << "this registry cannot isolate, and the owner asks for it";
  EXPECT_THAT(problem(), HasSubstr("asks for isolation"));
}

TEST_F(Reload, AComponentThatTheNewCodeCannotMakeIsMadeByTheOldCode) {
  put("generation-3");
  EXPECT_THAT(reload(), ElementsAre("generation 3.0.0 replaced"));
  EXPECT_EQ(version_of(make()), "1.0.0");
  EXPECT_THAT(changes(), ElementsAre("generation 1.0.0 kept"));
  EXPECT_THAT(problem(), HasSubstr("creates nothing; version 1.0.0, loaded before, stays in use"));
  EXPECT_EQ(registry_->plugins().front().version, "1.0.0");
  registry_->end_reload();
  EXPECT_EQ(version_of(make()), "1.0.0");
}

TEST_F(Reload, AfterItsEndTheOldCodeIsNotUsedAgain) {
  put("generation-3");
  reload();
  registry_->end_reload();
  EXPECT_FALSE(make());
}

TEST_F(Reload, ComponentsThatBothCannotMakeFailWithTheNewError) {
  put("generation-3");
  load();
  edit("For tests", "Changed");
  EXPECT_THAT(reload(), ElementsAre("generation 3.0.0 replaced"));
  EXPECT_FALSE(make());
  EXPECT_THAT(changes(), ElementsAre("generation 3.0.0 replaced"));
  EXPECT_THAT(registry_->problems(), IsEmpty());
}

TEST_F(Reload, DestructionIsLeftToTheGivenFunction) {
  std::deque<std::function<void()>> waiting;
  options_.retire = [&](std::function<void()> destruction) {
    waiting.push_back(std::move(destruction));
  };
  load();
  auto type = make();
  type.reset();
  EXPECT_EQ(waiting.size(), 1) << "the instance";
  registry_.reset();
  EXPECT_EQ(waiting.size(), 1) << "its plugin waits for it";
  for (; !waiting.empty(); waiting.pop_front()) waiting.front()();
  EXPECT_EQ((*read_file("/proc/self/maps")).find("/memfd:org.example.generation"),
            std::string::npos);
}

}  // namespace
}  // namespace quarry::plugins
