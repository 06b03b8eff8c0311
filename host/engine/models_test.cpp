#include "engine/testing/engine_fixture.h"

#include <atomic>
#include <quarry_test.h>

#include <gmock/gmock.h>

// Choice and creation of the models that are asked.

namespace quarry::engine {
namespace {

using testing::Answer;
using ::testing::HasSubstr;
using testing::StreamServer;
using testing::work_key;

/// A server that answers "hello" and lists `models` with `status`.
StreamServer::Script says(const std::string& hello, const std::string& models = "[]",
                          int status = 200) {
  return [=](std::size_t, const std::string& request) -> Answer {
    if (request.starts_with("GET")) return {.status = status, .body = models};
    return {.body = R"({"say":")" + hello + "\"}\n{\"tokens\":[1000,10]}\n{\"end\":\"stop\"}\n"};
  };
}

Answer out_of_quota(std::size_t, const std::string&) {
  return {.status = 402, .body = "{\"error\":\"out of quota\"}\n"};
}

struct ModelsTest : testing::EngineTest {
  ModelsTest() {
    ::setenv("WORK_KEY", work_key().c_str(), 1);
    ::unsetenv("FIXTURE_LOCAL_URL");
  }
  ~ModelsTest() override {
    ::unsetenv("FIXTURE_LOCAL_URL");
    ::setenv("FIXTURE_KEY", test_key().c_str(), 1);
  }
  /// Names no model, and disables providers that may find a server on this machine.
  void configure_auto() {
    ::unsetenv("FIXTURE_KEY");
    configure("[plugins]\ndisabled = [\"io.quarry.model-openai\", \"io.quarry.model-ollama\"]\n");
  }
  static std::string instance(const std::string& name, const std::string& url,
                              const std::string& more = {}) {
    return "[model." + name + "]\nprovider = \"fixture\"\nbase_url = \"" + url + "\"\n" + more;
  }
  /// Asks one question and returns its last event.
  Json answer() { return ask({{"question", "How?"}}).back().json; }
  /// Asks one question and returns the model in its meta event.
  Json asked_model() {
    for (const auto& event : ask({{"question", "How?"}})) {
      if (event.type == "meta") return event.json["model"];
    }
    return {};
  }
  Json chosen() {
    const Json shown = call("config.show");
    return {shown["provider"], shown["model"]};
  }
};

TEST_F(ModelsTest, ANamedInstanceIsAskedAtItsOwnAddressWithItsOwnKey) {
  const StreamServer server(says("hello"));
  configure(
      "[model]\nprovider = \"work\"\n" +
      instance("work", server.url(), "name = \"org/m1\"\napi_key = { env = \"WORK_KEY\" }\n"));
  start();
  EXPECT_EQ(asked_model(), Json({{"provider", "work"}, {"model", "org/m1"}}));
  EXPECT_THAT(server.requests()[0], HasSubstr("Key " + work_key()));
  EXPECT_THAT(server.requests()[0], HasSubstr(R"("model":"org/m1")"));
}

TEST_F(ModelsTest, FallbacksAreInstancesAndProvidersWithModelsThatHoldSlashes) {
  const StreamServer down(out_of_quota);
  const StreamServer server(says("hello"));
  configure("[model]\nprovider = \"fixture\"\nname = \"m1\"\nbase_url = \"" + down.url() +
            "\"\nfallback = [\"nobody/x\", \"work/org/m2\", \"extractive\"]\n" +
            instance("work", server.url()));
  start();
  const Json done = answer();
  EXPECT_EQ(done["text"], "hello") << done;
  EXPECT_EQ(done["fallbacks"][0]["provider"], "fixture");
  EXPECT_THAT(server.requests()[0], HasSubstr(R"("model":"org/m2")"));
  EXPECT_EQ(call("models.list")["fallbacks"], Json::parse(R"([{"provider":"work","model":"org/m2"},
                            {"provider":"extractive","model":"extractive"}])"));
  const Json health = call("health");
  EXPECT_EQ(health["ready"], true);
  EXPECT_THAT(health["problems"].dump(),
              HasSubstr("quarry.toml:6:13: the fallback \\\"nobody/x\\\" cannot be used"));
}

TEST_F(ModelsTest, AProviderWithoutANamedModelIsAskedForItsDefault) {
  const StreamServer server(says("hello", R"(["first","second"])"));
  configure("[model]\nprovider = \"fixture\"\nlists = true\nbase_url = \"" + server.url() + "\"\n");
  start();
  EXPECT_EQ(chosen(), Json({"fixture", ""})) << "no provider was asked yet";
  EXPECT_EQ(asked_model()["model"], "first");
  EXPECT_EQ(chosen(), Json({"fixture", "first"}));
  answer();
  EXPECT_EQ(server.requests().size(), 3u) << "listed once, asked twice";
  engine.reset();

  configure(
      "[model]\nprovider = \"fixture\"\nlists = true\ndefault_model = \"best\"\nbase_url = \"" +
      server.url() + "\"\n");
  start();
  EXPECT_EQ(chosen(), Json({"fixture", "best"}));
}

TEST_F(ModelsTest, WhatCannotBeAskedIsToldBeforeTheQuestionBegins) {
  const StreamServer refuses(says("", "no such key", 401));
  const std::string options = "lists = true\nbase_url = \"" + refuses.url() + "\"\n";
  configure("[model]\nprovider = \"fixture\"\n" + options);
  start();
  Error error = failure("question.ask", {{"question", "How?"}});
  EXPECT_EQ(error.tag, "ProviderNotAuthenticatedError");
  EXPECT_EQ(error.message, "the model provider \"fixture\" cannot be asked: HTTP 401: no such key");
  engine.reset();

  ::unsetenv("FIXTURE_KEY");
  start();
  error = failure("question.ask", {{"question", "How?"}});
  EXPECT_EQ(error.tag, "ProviderNotConnectedError");
  EXPECT_THAT(error.message, HasSubstr("FIXTURE_KEY is not set"));
  EXPECT_THAT(error.hint, HasSubstr("api_key = { env = \"NAME\" }"));
  engine.reset();

  ::setenv("FIXTURE_KEY", test_key().c_str(), 1);
  const StreamServer empty(says("", "[]"));
  configure("[model]\nprovider = \"fixture\"\nlists = true\nbase_url = \"" + empty.url() + "\"\n");
  start();
  EXPECT_THAT(failure("question.ask", {{"question", "How?"}}).message,
              HasSubstr("it lists no model"));
}

TEST_F(ModelsTest, AListThatDoesNotComeIsAReasonForTheFallback) {
  const StreamServer down([](std::size_t, const std::string&) -> Answer {
    return {.status = 402, .body = "{\"error\":\"out of quota\"}\n"};
  });
  configure(
      "[model]\nprovider = \"fixture\"\nlists = true\nfallback = [\"extractive\"]\nbase_url = \"" +
      down.url() + "\"\n");
  start();
  const Json done = answer();
  EXPECT_EQ(done["type"], "done") << done;
  EXPECT_THAT(done["text"].get<std::string>(), HasSubstr("No model wrote this"));
}

TEST_F(ModelsTest, PricesAreTheUsersOwnOrTheVendorsButNeverThoseOfANameAlone) {
  const StreamServer server(says("hello"));
  const auto price = [&](const std::string& prices, const std::string& more = {}) {
    configure("[model]\nprovider = \"work\"\n" +
              instance("work", server.url(), "name = \"m\"\n" + more) + "[pricing.static]\n\"" +
              prices + "\" = { input = \"1\", output = \"2\" }\n");
    start();
    const Json done = answer();
    engine.reset();
    EXPECT_EQ(done["text"], "hello") << done;
    return done.value(Json::json_pointer("/metrics/pricing/costUsd/total"), Json());
  };
  EXPECT_EQ(price("work/m"), 0.00102);
  EXPECT_EQ(price("acme/m", "vendor = \"acme\"\n"), 0.00102);
  EXPECT_EQ(price("fixture/m"), Json());
}

TEST_F(ModelsTest, AutoTakesTheProviderWhoseKeyIsThereElseTheExtractiveOne) {
  configure_auto();
  ::setenv("FIXTURE_KEY", test_key().c_str(), 1);
  start();
  EXPECT_EQ(call("config.show")["provider"], "fixture");
  engine.reset();
  ::unsetenv("FIXTURE_KEY");
  start();
  EXPECT_EQ(chosen(), Json({"extractive", "extractive"}));
}

TEST_F(ModelsTest, AutoTakesALocalServerThatHasAModel) {
  configure_auto();
  const StreamServer server(says("hello from here", R"(["small"])"));
  ::setenv("FIXTURE_LOCAL_URL", server.url().c_str(), 1);
  start();
  EXPECT_EQ(chosen(), Json({"fixture-local", ""})) << "it accepts connections";
  EXPECT_TRUE(server.requests().empty()) << "no request at the start";
  const Json done = answer();
  EXPECT_EQ(done["text"], "hello from here");
  EXPECT_FALSE(done["metrics"].contains("pricing"));
  EXPECT_EQ(chosen(), Json({"fixture-local", "small"}));
}

TEST_F(ModelsTest, AutoPassesOverALocalServerUntilItHasAModel) {
  configure_auto();
  std::atomic<bool> installed = false;
  const StreamServer server([&](std::size_t number, const std::string& request) {
    return says("hello from here", installed ? R"(["small"])" : "[]")(number, request);
  });
  ::setenv("FIXTURE_LOCAL_URL", server.url().c_str(), 1);
  start();
  EXPECT_THAT(answer()["text"].get<std::string>(), HasSubstr("No model wrote this"));
  EXPECT_EQ(chosen(), Json({"extractive", "extractive"}));
  EXPECT_EQ(call("models.list")["chosen"]["provider"], "extractive");
  installed = true;
  EXPECT_EQ(call("models.list")["chosen"],
            Json({{"provider", "fixture-local"}, {"model", "small"}, {"priced", true}}));
  EXPECT_EQ(answer()["text"], "hello from here");
}

TEST_F(ModelsTest, AProviderThatIsNotThereIsToldAtItsPlaceAndTheRestWorks) {
  configure("[model]\nprovider = \"fixtur\"\n");
  start();
  EXPECT_EQ(call("health")["ready"], false);
  EXPECT_EQ(call("config.show")["provider"], "fixtur");
  const Error error = failure("question.ask", {{"question", "How?"}});
  EXPECT_EQ(error.tag, "ProviderNotFoundError");
  EXPECT_THAT(error.message,
              HasSubstr("quarry.toml:3:1: there is no model provider \"fixtur\"; did you "
                        "mean \"fixture\"?"));
  EXPECT_EQ(call("resources.list")["resources"].size(), 1u);
}

TEST_F(ModelsTest, AMistakeInOptionsEndsTheStartAndLeavesAReloadAsItWas) {
  start();
  configure("[model]\nprovider = \"fixture\"\nbase_ulr = \"x\"\n");
  const Error error = failure("config.reload");
  EXPECT_EQ(error.tag, "ConfigError");
  EXPECT_THAT(error.message, HasSubstr("quarry.toml:4:1: \"base_ulr\" is not known; did you mean "
                                       "\"base_url\"?"));
  EXPECT_FALSE(Engine::start(options()));
  configure("[model]\nprovider = \"fixtur\"\n");
  EXPECT_EQ(failure("config.reload").tag, "ProviderNotFoundError");
  EXPECT_EQ(chosen(), Json({"extractive", "extractive"}));
}

TEST_F(ModelsTest, ABrokenInstanceThatNobodyAsksIsAProblemOnly) {
  configure("[model]\nprovider = \"extractive\"\n[model.work]\nprovider = \"fixtur\"\n" +
            instance("odd", "nonsense"));
  start();
  const std::string problems = call("health")["problems"].dump();
  EXPECT_THAT(problems, HasSubstr("quarry.toml:5:1: there is no model provider"));
  EXPECT_THAT(problems, HasSubstr("the model provider odd: nonsense is no address"));
  EXPECT_EQ(call("health")["ready"], true);
}

}  // namespace
}  // namespace quarry::engine
