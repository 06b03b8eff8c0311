#include "engine/wanted_plugins.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/store.h>
#include <quarry/resource.h>
#include <quarry/transport.h>

#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

plugins::Manifest offering(std::string kind, std::string name, bool opt_in = false) {
  plugins::Manifest manifest;
  plugins::ManifestComponent component;
  component.kind = std::move(kind);
  component.name = std::move(name);
  component.opt_in = opt_in;
  manifest.components = {component};
  return manifest;
}

constexpr Serves kQuestions;
constexpr Serves kTransports{.transports = true};
constexpr Serves kTokens{.tokens = true};

TEST(WantedPlugins, ATransportIsWantedWhereOneIsStartedUnlessItIsDisabled) {
  config::Config config;
  EXPECT_TRUE(is_wanted(config, offering(QUARRY_TRANSPORT, "rest"), kTransports));
  EXPECT_FALSE(is_wanted(config, offering(QUARRY_TRANSPORT, "rest"), kQuestions));
  config.disabled_transports = {"rest"};
  EXPECT_FALSE(is_wanted(config, offering(QUARRY_TRANSPORT, "rest"), kTransports));
}

TEST(WantedPlugins, OneThatIsOptInIsWantedWhereItIsEnabled) {
  config::Config config;
  const auto cloud = offering(QUARRY_TRANSPORT, "cloud", true);
  EXPECT_FALSE(is_wanted(config, cloud, kTransports));
  EXPECT_FALSE(serves_tokens(config, {cloud}));
  config.enabled_transports = {"cloud"};
  EXPECT_TRUE(is_wanted(config, cloud, kTransports));
  EXPECT_TRUE(serves_tokens(config, {cloud}));
}

TEST(WantedPlugins, EnablingWhatRunsAnywayBringsNoTokens) {
  config::Config config;
  config.enabled_transports = {"rest"};
  EXPECT_FALSE(serves_tokens(config, {offering(QUARRY_TRANSPORT, "rest")}));
}

TEST(WantedPlugins, OnlyTheChosenStoreIsAndOnlyForTokens) {
  config::Config config;
  EXPECT_FALSE(is_wanted(config, offering(QUARRY_STORE, "sqlite"), kQuestions));
  EXPECT_TRUE(is_wanted(config, offering(QUARRY_STORE, "sqlite"), kTokens));
  EXPECT_FALSE(is_wanted(config, offering(QUARRY_STORE, "postgresql"), kTokens));
}

TEST(WantedPlugins, NoStoreMeansNoTokens) {
  config::Config config;
  config.enabled_transports = {"stdio"};
  config.store.provider = "none";
  EXPECT_FALSE(serves_tokens(config, {offering(QUARRY_TRANSPORT, "stdio", true)}));
}

TEST(WantedPlugins, EverythingElseIs) {
  EXPECT_TRUE(is_wanted({}, offering(QUARRY_RESOURCE, "git"), kQuestions));
}

TEST(WantedPlugins, AreThoseOfSearchesThatAreConfigured) {
  config::Config config;
  EXPECT_FALSE(is_wanted(config, offering(QUARRY_EMBEDDING, "openai"), kQuestions));
  EXPECT_FALSE(is_wanted(config, offering(QUARRY_RERANK, "cohere"), kQuestions));
  config.search.embedding = "work/m";
  EXPECT_TRUE(is_wanted(config, offering(QUARRY_EMBEDDING, "openai"), kQuestions));
  EXPECT_FALSE(is_wanted(config, offering(QUARRY_RERANK, "cohere"), kQuestions));
  config.search.rerank = "cohere/m";
  EXPECT_TRUE(is_wanted(config, offering(QUARRY_RERANK, "cohere"), kQuestions));
}

}  // namespace
}  // namespace quarry::engine
