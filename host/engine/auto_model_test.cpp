#include "engine/auto_model.h"

#include "engine/testing/fake_providers.h"

#include <set>

#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

using testing::FakeProvider;
using Names = std::vector<std::string>;

struct Auto : ::testing::Test {
  void add(const std::string& id, plugins::ModelDescription described,
           const std::string& provider = {}) {
    sources.emplace(id, ModelSource{id, provider.empty() ? id : provider, "", "{}",
                                    std::make_shared<FakeProvider>(std::move(described))});
  }
  AutoModel choose() {
    return choose_auto(
        sources, [&](const std::string& secret) { return secrets.contains(secret); },
        [&](const services::Endpoint& endpoint) {
          connected.push_back(endpoint.port);
          return open.contains(endpoint.port);
        });
  }

  ModelSources sources;
  std::set<std::string> secrets;
  std::set<int> open;
  std::vector<int> connected;
};

TEST_F(Auto, IsTheExtractiveOneWhenThereIsNothingElse) {
  EXPECT_EQ(choose().id, "extractive");
  EXPECT_TRUE(choose().servers.empty());
}

TEST_F(Auto, TakesProvidersWithTheirSecretsInAFixedOrder) {
  add("acme", testing::needing({"A"}));
  add("gemini", testing::needing({"G"}));
  add("anthropic", testing::needing({"C"}));
  add("openai", testing::needing({"O", "ORGANISATION"}));
  add("free", {});
  EXPECT_EQ(choose().id, "extractive");
  secrets = {"A"};
  EXPECT_EQ(choose().id, "acme");
  secrets = {"A", "G", "O"};
  EXPECT_EQ(choose().id, "gemini") << "openai needs two";
  secrets = {"A", "G", "O", "ORGANISATION"};
  EXPECT_EQ(choose().id, "openai");
  secrets.insert("C");
  EXPECT_EQ(choose().id, "anthropic");
  EXPECT_TRUE(connected.empty());
}

TEST_F(Auto, TakesAServerOfThisMachineThatAcceptsConnections) {
  add("a-server", testing::serving("http://127.0.0.1:3"));
  add("llamacpp", testing::serving("http://127.0.0.1:2/v1"));
  add("ollama", testing::serving("http://localhost:1"));
  EXPECT_EQ(choose().id, "extractive");
  EXPECT_EQ(connected, (std::vector<int>{1, 2, 3}));
  open = {2, 3};
  EXPECT_EQ(choose().id, "llamacpp");
  EXPECT_EQ(choose().servers, (Names{"llamacpp", "a-server"}));
}

TEST_F(Auto, ConnectsToNoOtherMachineAndToNoServerThatCosts) {
  add("far", testing::serving("http://10.0.0.1:1"));
  auto paid = testing::serving("http://127.0.0.1:1");
  auto keyed = paid;
  paid.local = false;
  keyed.needs = {"K"};
  add("paid", paid);
  add("keyed", keyed);
  add("vague", testing::serving(""));
  open = {1};
  EXPECT_EQ(choose().id, "extractive");
  EXPECT_TRUE(connected.empty());
}

TEST_F(Auto, LeavesInstancesUnderOtherNamesAlone) {
  add("work", testing::needing({"W"}), "openai");
  sources.emplace("broken", Error{Code::kInternal, "broken"});
  secrets = {"W"};
  EXPECT_EQ(choose().id, "extractive");
}

}  // namespace
}  // namespace quarry::engine
