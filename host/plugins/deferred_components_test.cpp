#include "base/file.h"
#include "base/json.h"
#include "plugins/registry.h"
#include "plugins/testing/plugins_fixture.h"

#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Starts of a host with plugins that came with it and may be loaded by their first use.
class DeferredPlugins : public Plugins {
 protected:
  void SetUp() override {
    Plugins::SetUp();
    options_.own_directories = 1;
    options_.descriptions = descriptions();
    ::unsetenv("QUARRY_TEST_TITLE");
  }
  void TearDown() override {
    ::unsetenv("QUARRY_TEST_TITLE");
    Plugins::TearDown();
  }
  [[nodiscard]] fs::path descriptions() const { return root_ / "state/descriptions"; }

  fs::path add_deferred(const std::string& name) {
    const auto directory = add(name);
    std::ofstream(directory / "plugin.toml", std::ios::app)
        << "\n[extra.deferred]\nenvironment = [\"QUARRY_TEST_TITLE\"]\n";
    return directory;
  }
  /// A start that makes the component, and ends.
  void start_once() {
    const auto registry = Registry::load(options_);
    ASSERT_TRUE(registry->make_resource_type("generation", "{}"));
    ASSERT_TRUE(registry->problems().empty()) << registry->problems().front().message;
  }
  std::shared_ptr<ResourceType> start() {
    registry_ = Registry::load(options_);
    const auto type = registry_->make_resource_type("generation", "{}");
    return type ? *type : nullptr;
  }
  static bool is_loaded(const std::string& plugin = "generation") {
    return read_file("/proc/self/maps")->contains("/memfd:org.example." + plugin);
  }
  static std::string version_of(const std::shared_ptr<ResourceType>& type) {
    const auto version = type->resolve({}, {}, {});
    return version ? version->id : version.error().message;
  }

  std::unique_ptr<Registry> registry_;
};

TEST_F(DeferredPlugins, AreLoadedByTheirFirstUseOnceTheyAreKnown) {
  add_deferred("generation-1");
  start_once();
  const auto type = start();
  ASSERT_TRUE(type);
  EXPECT_FALSE(is_loaded());
  EXPECT_EQ(type->describe().title, "Generation 1.0.0");
  EXPECT_EQ(type->describe().plugin, "org.example.generation");
  EXPECT_EQ(registry_->names(QUARRY_RESOURCE), std::vector<std::string>{"generation"});
  EXPECT_EQ(registry_->plugins().size(), 1u);
  EXPECT_FALSE(is_loaded()) << "no question needs its code";
  EXPECT_EQ(version_of(type), "1.0.0");
  EXPECT_TRUE(is_loaded());
  EXPECT_EQ(type->unusable(), nullptr);
}

TEST_F(DeferredPlugins, AreLoadedAtTheStartForATableThatIsNew) {
  add_deferred("generation-1");
  start_once();
  const auto registry = Registry::load(options_);
  EXPECT_TRUE(registry->make_resource_type("generation", R"({"new":1})"));
  EXPECT_TRUE(is_loaded());
}

TEST_F(DeferredPlugins, AreLoadedAtTheStartWhenTheirFileOrAVariableHasChanged) {
  const auto directory = add_deferred("generation-1");
  start_once();
  ::setenv("QUARRY_TEST_TITLE", "other", 1);
  ASSERT_TRUE(start());
  EXPECT_TRUE(is_loaded());
  registry_.reset();
  ::unsetenv("QUARRY_TEST_TITLE");
  std::ofstream(directory / "generation-1.so", std::ios::app) << "more";
  EXPECT_THAT(problem(), HasSubstr("SHA-256")) << "a start names what it cannot use";
}

TEST_F(DeferredPlugins, AreOnlyThoseOfTheHostWhoseManifestPermitsIt) {
  const auto directory = add_deferred("generation-1");
  options_.own_directories = 0;
  start_once();
  ASSERT_TRUE(start());
  EXPECT_TRUE(is_loaded()) << "a stranger's";
  registry_.reset();
  options_.own_directories = 1;
  edit(directory / "plugin.toml", "[extra.deferred]\nenvironment = [\"QUARRY_TEST_TITLE\"]", "");
  start_once();
  ASSERT_TRUE(start());
  EXPECT_TRUE(is_loaded());
}

TEST_F(DeferredPlugins, AreLoadedFromTheFileOfTheStartAlthoughItWasReplaced) {
  const auto directory = add_deferred("generation-1");
  start_once();
  const auto type = start();
  fs::rename(directory, root_ / "before");
  fs::remove_all(root_ / "before");
  add_deferred("generation-2");
  EXPECT_FALSE(is_loaded());
  EXPECT_EQ(version_of(type), "1.0.0");
}

TEST_F(DeferredPlugins, NameTheCauseWhereAQuestionNeedsThemWhenTheirFileWasWrittenTo) {
  const auto directory = add_deferred("generation-1");
  start_once();
  const auto type = start();
  std::ofstream(directory / "generation-1.so", std::ios::app) << "more";
  EXPECT_EQ(type->unusable(), nullptr);
  const auto failed = type->resolve({}, {}, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kUnavailable);
  EXPECT_THAT(failed.error().message, HasSubstr("plugin org.example.generation"));
  EXPECT_THAT(failed.error().message, HasSubstr("SHA-256"));
  EXPECT_THAT(failed.error().hint, HasSubstr("quarry plugins reload"));
  ASSERT_NE(type->unusable(), nullptr);
  EXPECT_EQ(type->unusable()->message, failed.error().message);
}

TEST_F(DeferredPlugins, ADescriptionThatIsNotTheirsIsFoundByTheFirstUse) {
  add_deferred("generation-1");
  start_once();
  edit(descriptions(), "Generation 1.0.0", "Something else");
  const auto type = start();
  EXPECT_EQ(type->describe().title, "Something else");
  EXPECT_THAT(version_of(type), HasSubstr("org.example.generation describes quarry.resource/1 "
                                          "\"generation\" otherwise"));
  registry_.reset();
  const auto again = start();
  EXPECT_EQ(again->describe().title, "Generation 1.0.0");
  EXPECT_EQ(version_of(again), "1.0.0");
}

TEST_F(DeferredPlugins, AFileOfDescriptionsThatCannotBeReadIsNone) {
  add_deferred("generation-1");
  start_once();
  const std::string text = *read_file(descriptions());
  for (const std::string& broken : {text.substr(0, text.size() / 2), std::string("x\n\n"),
                                    text.substr(0, 130) + "{\"facts\":\"provider\"}\n",
                                    text.substr(0, 130) + "[]\n", std::string(2u << 20, 'x')}) {
    std::ofstream(descriptions()) << broken;
    const auto type = start();
    ASSERT_TRUE(type);
    EXPECT_EQ(type->describe().title, "Generation 1.0.0");
    EXPECT_EQ(version_of(type), "1.0.0");
    registry_.reset();
  }
  ASSERT_TRUE(start());
  EXPECT_FALSE(is_loaded()) << "it was written again";
}

TEST_F(DeferredPlugins, StayAsTheyAreInAReloadThatChangesNothing) {
  add_deferred("generation-1");
  start_once();
  const auto type = start();
  const auto next = registry_->reload(options_);
  const auto again = next->make_resource_type("generation", "{}");
  ASSERT_TRUE(again);
  EXPECT_TRUE(next->changes().empty());
  EXPECT_FALSE(is_loaded());
  EXPECT_EQ(version_of(*again), "1.0.0");
}

TEST_F(DeferredPlugins, ThatWereNeverUsedStandInForAnUnusableReplacement) {
  const auto directory = add_deferred("generation-1");
  start_once();
  const auto type = start();
  fs::remove_all(directory);
  fs::rename(add_deferred("generation-3"), directory);
  const auto next = registry_->reload(options_);
  const auto made = next->make_resource_type("generation", "{}");
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(next->changes().size(), 1u);
  EXPECT_EQ(next->changes().front().kind, PluginChange::Kind::kKept);
  EXPECT_EQ(version_of(*made), "1.0.0");
}

TEST_F(DeferredPlugins, ModelsAndPricesAreLoadedByTheirFirstUseToo) {
  add_deferred("models");
  std::string title;
  {
    const auto first = Registry::load(options_);
    const auto exchange = first->make_model_provider("exchange", "{}");
    ASSERT_TRUE(exchange) << exchange.error().message;
    ASSERT_TRUE(first->make_pricing("prices", "{}"));
    title = (*exchange)->describe().title;
  }
  const auto registry = Registry::load(options_);
  const auto exchange = registry->make_model_provider("exchange", "{}");
  const auto prices = registry->make_pricing("prices", "{}");
  ASSERT_TRUE(exchange && prices);
  EXPECT_FALSE(is_loaded("models"));
  EXPECT_EQ((*exchange)->describe().title, title);
  EXPECT_EQ((*exchange)->form(), ModelProvider::Form::kExchange);
  EXPECT_TRUE((*exchange)->is_called_at_once());
  EXPECT_TRUE((*exchange)->prepare());
  EXPECT_TRUE((*prices)->rates("p", "m"));
}

}  // namespace
}  // namespace quarry::plugins
