#include "engine/testing/engine_fixture.h"

#include <future>
#include <quarry_test.h>

#include <gmock/gmock.h>

// Tests of models.list and models.select.

namespace quarry::engine {
namespace {

using testing::Answer;
using ::testing::HasSubstr;
using testing::StreamServer;
using testing::work_key;

struct ModelMethods : testing::EngineTest {
  ModelMethods() {
    ::setenv("WORK_KEY", work_key().c_str(), 1);
    ::unsetenv("FIXTURE_LOCAL_URL");
  }
  ~ModelMethods() override { ::setenv("FIXTURE_KEY", test_key().c_str(), 1); }

  /// The entry of one provider in models.list.
  Json provider(const std::string& id) {
    const Json list = call("models.list");
    for (const Json& one : list["providers"]) {
      if (one["id"] == id) return one;
    }
    ADD_FAILURE() << id << " is not in " << list;
    return {};
  }
  static bool holds(const Json& list, const std::string& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  }
  std::string file() { return *read_file(root / "quarry.toml"); }
  static std::string work(const std::string& url, const std::string& more = {}) {
    return "[model.work]\nprovider = \"fixture\"\nbase_url = \"" + url + "\"\n" + more;
  }
};

StreamServer::Script lists(const std::string& body, int status = 200) {
  return
      [=](std::size_t, const std::string&) -> Answer { return {.status = status, .body = body}; };
}

TEST_F(ModelMethods, TellWhichModelsCanBeReachedAndWhyOthersCannot) {
  const StreamServer good(lists(R"(["m1","m2"])"));
  const StreamServer refuses(lists("bad key", 401));
  std::string gone;
  {
    const StreamServer server(lists("[]"));
    gone = server.url();
  }
  configure("[model]\nprovider = \"work\"\nfallback = [\"refused/x\"]\n" +
            work(good.url(), "lists = true\n") +
            "[model.refused]\nprovider = \"fixture\"\nlists = true\nbase_url = \"" + refuses.url() +
            "\"\n[model.gone]\nprovider = \"fixture\"\nlists = true\nbase_url = \"" + gone +
            "\"\n[model.keyless]\nprovider = \"fixture\"\napi_key = { env = \"NO_KEY\" }\n"
            "[model.odd]\nprovider = \"fixture\"\nbase_url = \"nonsense\"\n");
  start();
  EXPECT_EQ(provider("work"), Json({{"id", "work"},
                                    {"provider", "fixture"},
                                    {"model", "m1"},
                                    {"models", {"m1", "m2"}},
                                    {"reachable", true},
                                    {"local", false},
                                    {"address", good.url()},
                                    {"keys", Json::array({"FIXTURE_KEY"})}}));
  EXPECT_EQ(provider("refused")["reason"], "HTTP 401: bad key");
  EXPECT_EQ(provider("refused")["reachable"], false);
  EXPECT_EQ(provider("gone")["reason"], "connection refused at " + gone);
  EXPECT_EQ(provider("keyless")["reason"], "NO_KEY is not set");
  EXPECT_THAT(provider("odd")["reason"].get<std::string>(), HasSubstr("nonsense is no address"));
  EXPECT_EQ(provider("extractive")["models"], Json({"extractive"}));
  const Json list = call("models.list");
  EXPECT_EQ(list["chosen"], Json({{"provider", "work"}, {"model", "m1"}, {"priced", false}}));
  EXPECT_EQ(list["fallbacks"], Json::parse(R"([{"provider":"refused","model":"x"}])"));
  for (const char* id : {"extractive", "work", "refused", "fixture"}) {
    EXPECT_TRUE(holds(list["connected"], id)) << id;
  }
  for (const char* id : {"gone", "keyless", "odd"})
    EXPECT_FALSE(holds(list["connected"], id)) << id;
}

TEST_F(ModelMethods, TellThatTheChosenModelCannotCallTools) {
  const StreamServer server(lists(R"(["m1","no-tools"])"));
  configure("[model]\nprovider = \"work\"\n" +
            work(server.url(), "lists = true\nname = \"no-tools\"\n"));
  start();
  EXPECT_EQ(
      call("models.list")["chosen"],
      Json({{"provider", "work"}, {"model", "no-tools"}, {"priced", false}, {"tools", false}}));
}

TEST_F(ModelMethods, AListIsGivenUpWithItsCall) {
  const StreamServer hangs(
      [](std::size_t, const std::string&) -> Answer { return {.body = "[", .hang = true}; });
  configure("[model]\nprovider = \"work\"\n" + work(hangs.url(), "lists = true\n"));
  start();
  std::promise<Result<std::string>> ended;
  const auto handle = engine->call(
      "models.list", "{}", [&](Result<std::string> result) { ended.set_value(std::move(result)); });
  hangs.wait_for_a_request();
  engine->cancel(handle);
  const auto result = ended.get_future().get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kCancelled);
}

TEST_F(ModelMethods, SelectChangesTheFileAndLeavesNothingOfTheProviderBefore) {
  const StreamServer server(lists("[]"));
  use_fixture(server.url());
  start();
  EXPECT_EQ(call("models.select", {{"provider", "extractive"}, {"model", ""}}),
            Json({{"provider", "extractive"},
                  {"model", "extractive"},
                  {"savedTo", (root / "quarry.toml").string()}}));
  EXPECT_THAT(file(), HasSubstr("# kept\n[model]\nprovider = \"extractive\"\n"));
  EXPECT_THAT(file(), ::testing::Not(HasSubstr("base_url")));
  EXPECT_EQ(call("config.show")["provider"], "extractive");
  EXPECT_EQ(call("models.select", {{"provider", "auto"}, {"model", ""}})["provider"], "fixture");
}

TEST_F(ModelMethods, SelectTakesInstancesAndOptionsWithSecrets) {
  configure("[model]\nprovider = \"extractive\"\n" + work("http://127.0.0.1:1"));
  start();
  EXPECT_EQ(call("models.select", {{"provider", "work"}, {"model", "m1"}})["model"], "m1");
  EXPECT_THAT(file(), HasSubstr("provider = \"work\""));
  call("models.select", {{"provider", "fixture"},
                         {"model", "m2"},
                         {"providerOptions", {{"api_key", {{"env", "WORK_KEY"}}}}}});
  EXPECT_THAT(file(), HasSubstr("api_key = { env = \"WORK_KEY\" }"));
  EXPECT_THAT(file(), HasSubstr("[model.work]"));
  EXPECT_EQ(call("config.show")["model"], "m2");
}

TEST_F(ModelMethods, SelectRefusesWhatCouldNotBeAskedAndWritesNothing) {
  start();
  const std::string before = file();
  const auto select = [&](const std::string& provider, const Json& options = Json::object()) {
    return failure("models.select",
                   {{"provider", provider}, {"model", "m"}, {"providerOptions", options}});
  };
  Error error = select("fixtur");
  EXPECT_EQ(error.tag, "ProviderNotFoundError");
  EXPECT_THAT(error.message, HasSubstr("did you mean \"fixture\"?"));
  error = select("fixture", {{"base_ulr", "x"}});
  EXPECT_EQ(error.tag, "ProviderOptionsError");
  EXPECT_EQ(error.details[0].field, "/base_ulr");
  EXPECT_THAT(error.message, HasSubstr("did you mean \"base_url\"?"));
  EXPECT_EQ(select("fixture", {{"base_url", "nonsense"}}).tag, "ProviderOptionsError");
  EXPECT_EQ(select("fixture", {{"fallback", "x"}}).tag, "ProviderOptionsError");
  EXPECT_EQ(select("auto", {{"base_url", "x"}}).tag, "ProviderOptionsError");
  error = select("fixture", {{"api_key", test_key()}});
  EXPECT_THAT(error.message, HasSubstr("must be a reference"));
  EXPECT_THAT(error.message, ::testing::Not(HasSubstr(test_key())));
  error = select("fixture", {{"api_key", {{"env", "NO_KEY"}}}});
  EXPECT_EQ(error.tag, "ProviderNotConnectedError");
  EXPECT_THAT(error.message, HasSubstr("NO_KEY is not set"));
  engine.reset();
  ::unsetenv("FIXTURE_KEY");
  start();
  EXPECT_EQ(select("fixture").tag, "ProviderNotConnectedError");
  EXPECT_EQ(file(), before);
}

TEST_F(ModelMethods, SelectSaysWhenAModelIsNotListedOrAnotherLayerStandsOverIt) {
  const StreamServer server(lists(R"(["gpt-4","llama3:latest"])"));
  configure("[model]\nprovider = \"extractive\"\n" + work(server.url(), "lists = true\n"));
  start();
  Json answer = call("models.select", {{"provider", "work"}, {"model", "gpt-5"}});
  EXPECT_EQ(answer["hint"], "work lists no model \"gpt-5\"; did you mean \"gpt-4\"?");
  answer = call("models.select", {{"provider", "work"}, {"model", "llama3"}});
  EXPECT_FALSE(answer.contains("hint"));
  engine.reset();

  Options with_flag = options();
  with_flag.config.flags.emplace_back("model.provider", "extractive");
  auto started = Engine::start(std::move(with_flag));
  ASSERT_TRUE(started);
  engine = std::move(*started);
  answer = call("models.select", {{"provider", "work"}, {"model", "gpt-4"}});
  EXPECT_EQ(answer["provider"], "extractive");
  EXPECT_EQ(answer["hint"],
            "flag model.provider names \"extractive\", which overrides the saved choice.");
}

TEST_F(ModelMethods, ARunningQuestionFinishesOnTheModelItBeganWith) {
  std::promise<void> switched;
  const auto go_on = switched.get_future().share();
  const StreamServer before([go_on](std::size_t number, const std::string&) -> Answer {
    if (number == 0) {
      go_on.wait();
      return {.body =
                  "{\"call\":0,\"name\":\"read\",\"arguments\":\"{\\\"path\\\":"
                  "\\\"docs/parser.md\\\"}\"}\n{\"end\":\"tools\"}\n"};
    }
    return {.body = "{\"say\":\"the old one\"}\n{\"end\":\"stop\"}\n"};
  });
  const StreamServer after([](std::size_t, const std::string&) -> Answer {
    return {.body = "{\"say\":\"the new one\"}\n{\"end\":\"stop\"}\n"};
  });
  configure(
      "[model]\nprovider = \"fixture\"\nname = \"m1\"\napi_key = { env = \"FIXTURE_KEY\" }\n"
      "base_url = \"" +
      before.url() + "\"\n");
  start();
  const std::string id = begin({{"question", "How?"}});
  before.wait_for_a_request();
  call("models.select",
       {{"provider", "fixture"},
        {"model", "m2"},
        {"providerOptions", {{"base_url", after.url()}, {"api_key", {{"env", "WORK_KEY"}}}}}});
  EXPECT_EQ(ask({{"question", "And?"}}).back().json["text"], "the new one");
  EXPECT_THAT(after.requests()[0], HasSubstr("Key " + work_key()));
  switched.set_value();
  EXPECT_EQ(events(id).back().json["text"], "the old one");
  ASSERT_EQ(before.requests().size(), 2u);
  EXPECT_THAT(before.requests()[1], HasSubstr("Key " + test_key()));
  EXPECT_THAT(before.requests()[1], HasSubstr(R"("model":"m1")"));
}

}  // namespace
}  // namespace quarry::engine
