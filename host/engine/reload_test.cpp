#include "engine/testing/engine_fixture.h"
#include "runner/sandbox.h"

#include <atomic>
#include <semaphore>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

namespace fs = std::filesystem;
using testing::EngineTest;
using ::testing::HasSubstr;

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++count;
  return count;
}

/// Generations of "generation" that are mapped, of which each has several mappings.
std::size_t generation_mappings() {
  return count_of("/memfd:org.example.generation", *read_file("/proc/self/maps"));
}

/// An engine with the plugins that its questions need and "generation", which is replaced.
class ReloadTest : public EngineTest {
 protected:
  ReloadTest() {
    fs::create_directories(root / "own");
    const fs::path built(QUARRY_BUILD_DIR);
    for (const char* name :
         {"lib/quarry/plugins/model-extractive", "lib/quarry/plugins/resource-local",
          "tests/fixtures/model-exchange-fixture"}) {
      fs::copy(built / name, root / "own" / fs::path(name).filename());
    }
    for (const char* name : {"generation-1", "generation-2", "generation-3"}) {
      fs::create_directories(root / "built");
      fs::copy(fs::path(QUARRY_BUILD_DIR) / "tests/plugins" / name, root / "built" / name,
               fs::copy_options::recursive);
    }
    put(1);
  }
  /// Replaces the folder of the plugin in one step, if there is one.
  void put(int generation) {
    fs::create_directories(root / "plugins");
    const auto fresh = root / "plugins/.new";
    fs::remove_all(fresh);
    fs::copy(root / "built" / ("generation-" + std::to_string(generation)), fresh);
    const auto place = root / "plugins/generation";
    const auto old = root / "plugins/.old";
    fs::remove_all(old);
    if (fs::exists(place)) fs::rename(place, old);
    fs::rename(fresh, place);
  }
  void configure_generation(const std::string& model) {
    configure(model);
    std::ofstream(root / "quarry.toml", std::ios::app)
        << "\n[[resource]]\ntype = \"generation\"\nname = \"g\"\n";
  }
  void start(const std::string& model = "[model]\nprovider = \"extractive\"\n") {
    configure_generation(model);
    auto with = options();
    with.plugin_directories = {root / "own", root / "plugins"};
    with.config.flags.emplace_back("log.level", "error");
    auto started = Engine::start(std::move(with));
    ASSERT_TRUE(started) << started.error().message;
    engine = std::move(*started);
    ASSERT_TRUE(engine->problems().empty()) << engine->problems().front();
  }
  Json reload() { return call("plugins.reload"); }
  /// The version of the code that answers now.
  std::string version() {
    return call("resources.sync", {{"name", "g"}})["resources"][0].value("version", "none");
  }
};

TEST_F(ReloadTest, ReplacesAPluginAndSaysSo) {
  start();
  EXPECT_EQ(version(), "1.0.0");
  put(2);
  EXPECT_EQ(reload(), Json({{"plugins",
                             {{{"id", "org.example.generation"},
                               {"version", "2.0.0"},
                               {"change", "replaced"},
                               {"before", "1.0.0"}}}},
                            {"problems", Json::array()}}));
  EXPECT_EQ(version(), "2.0.0");
  EXPECT_EQ(reload(), Json({{"plugins", Json::array()}, {"problems", Json::array()}}));
}

TEST_F(ReloadTest, TheConfigurationsReloadReplacesPluginsToo) {
  start();
  put(2);
  EXPECT_EQ(call("config.reload")["resources"], Json({"docs", "g"}));
  EXPECT_EQ(version(), "2.0.0");
}

TEST_F(ReloadTest, ABrokenOneLeavesTheOldCodeAndSaysSoOnce) {
  start();
  put(2);
  std::ofstream(root / "plugins/generation/generation-2.so", std::ios::app) << "more";
  Json said = reload();
  EXPECT_EQ(said["plugins"][0]["change"], "kept");
  ASSERT_EQ(said["problems"].size(), 1);
  EXPECT_THAT(said["problems"][0], HasSubstr("version 1.0.0, loaded before, stays in use"));
  EXPECT_EQ(version(), "1.0.0");
  EXPECT_THAT(engine->problems(), ::testing::Contains(HasSubstr("stays in use")));
  said = reload();
  EXPECT_EQ(said["problems"], Json::array()) << "it is known";
  EXPECT_EQ(said["plugins"][0]["change"], "kept");
}

TEST_F(ReloadTest, CodeThatMakesNothingLeavesTheOldCodeInUse) {
  start();
  put(3);
  const Json said = reload();
  EXPECT_EQ(said["plugins"][0],
            Json({{"id", "org.example.generation"}, {"version", "1.0.0"}, {"change", "kept"}}));
  EXPECT_THAT(said["problems"][0], HasSubstr("creates nothing"));
  EXPECT_EQ(version(), "1.0.0");
}

TEST_F(ReloadTest, AMistakeInTheConfigurationChangesNoPlugin) {
  start();
  put(2);
  configure_generation("[model]\nprovider = \"extractive\"\nmax_steps = \"many\"\n");
  EXPECT_EQ(failure("plugins.reload").tag, "ConfigError");
  EXPECT_EQ(version(), "1.0.0");
  configure_generation("[model]\nprovider = \"extractive\"\n");
  EXPECT_EQ(reload()["plugins"][0]["change"], "replaced");
}

TEST_F(ReloadTest, OfAPluginThatWasRemovedCostsItsResourcesAlone) {
  start();
  fs::remove_all(root / "plugins/generation");
  const Json said = reload();
  EXPECT_EQ(said["plugins"][0]["change"], "removed");
  EXPECT_THAT(said["problems"].dump(), HasSubstr("no plugin offers"));
  EXPECT_EQ(version(), "none");
  EXPECT_EQ(call("resources.list")["resources"].back()["name"], "g");
  put(2);
  reload();
  EXPECT_EQ(version(), "2.0.0");
}

std::size_t open_descriptors() {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

TEST_F(ReloadTest, LeavesNeitherCodeNorDescriptorsBehind) {
  const auto descriptors_after = [&](int reloads) {
    start();
    for (int i = 0; i < reloads; ++i) {
      put(1 + (i + 1) % 2);
      EXPECT_EQ(reload()["plugins"].size(), 1);
    }
    engine.reset();
    EXPECT_EQ(generation_mappings(), 0);
    return open_descriptors();
  };
  EXPECT_EQ(descriptors_after(2), descriptors_after(20));
}

TEST_F(ReloadTest, NoQuestionIsLostInAThousandReloads) {
  constexpr int kReloads = runner::kLimitsMemory ? 1'000 : 100;  // fewer under a sanitizer
  constexpr int kAskers = 32;
  // Answers one question after each reload: the others run meanwhile.
  std::counting_semaphore<> may_answer(0);
  std::atomic<bool> over = false;
  const testing::StreamServer server([&](std::size_t, const std::string&) -> testing::Answer {
    if (!over) may_answer.acquire();
    return {.body = "{\"say\":\"Of this one.\"}\n{\"end\":\"stop\"}\n"};
  });
  start("[model]\nprovider = \"fixture\"\nname = \"m1\"\nbase_url = \"" + server.url() + "\"\n");
  std::atomic<int> answered = 0;
  std::vector<std::jthread> askers;
  for (int i = 0; i < kAskers; ++i) {
    askers.emplace_back([&] {
      while (!over) {
        const auto all = ask({{"question", "Of which version is the parser?"}, {"sync", true}});
        EXPECT_EQ(all.back().type, "done") << all.back().json;
        ++answered;
      }
    });
  }
  for (int i = 0; i < kReloads; ++i) {
    put(1 + (i + 1) % 2);
    const Json said = reload();
    EXPECT_EQ(said["plugins"][0]["change"], "replaced") << said;
    EXPECT_EQ(said["problems"], Json::array());
    may_answer.release();
  }
  over = true;
  may_answer.release(kAskers);
  askers.clear();
  EXPECT_GE(answered, kReloads);
}

}  // namespace
}  // namespace quarry::engine
