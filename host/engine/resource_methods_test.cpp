#include "engine/testing.h"

#include <gmock/gmock.h>

namespace quarry::engine {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// An engine over resources whose source is a folder in the test's hands (tests/fixtures).
struct ResourceMethods : testing::EngineTest {
  ResourceMethods() {
    ::setenv("QUARRY_TEST_TOKEN", "tok-canary", 1);
    fs::create_directories(root.path() / "source/files");
    write("source/files/a.md", "# The zebra\n\nThe zebra feature is off by default.\n");
    write("source/VERSION", "v1");
  }
  /// A configuration with one such resource, `more` in its table, and `tables` behind it.
  void configure_fixture(const std::string& more = {}, const std::string& tables = {}) {
    write("quarry.toml",
          "[model]\nprovider = \"extractive\"\n\n[[resource]]\ntype = \"fixture\"\nname = \"zoo\"\n"
          "source = \"" +
              source() + "\"\n" + more + tables);
  }
  std::string source() const { return (root.path() / "source").string(); }
  std::string said_by_the_source() {
    const Json done = ask({{"question", "What does said.txt say of a token?"}}).back().json;
    return done.value("text", done.dump());
  }
  /// Why the engine does not start.
  std::string complaint() {
    const auto started = Engine::start(options());
    return started ? "" : started.error().message;
  }
  std::string file() const { return (root.path() / "quarry.toml").string(); }
};

TEST_F(ResourceMethods, ATypeOfResourceIsMadeFromItsTable) {
  configure_fixture("", "[resource_type.fixture]\ngreeting = \"good day\"\n");
  start();
  EXPECT_THAT(said_by_the_source(), HasSubstr("good day"));
}

TEST_F(ResourceMethods, MistakesInTheTableOfATypeAreToldAtTheirPlace) {
  configure_fixture("", "[resource_type.fixture]\ngreting = \"x\"\n");
  EXPECT_THAT(complaint(), HasSubstr(file() + ":9:1: \"greting\" "));
  EXPECT_THAT(complaint(), HasSubstr("did you mean \"greeting\""));
  configure_fixture("", "[resource_type.fixture]\ngreeting = \"bad\"\n");
  EXPECT_EQ(complaint(), file() + ":9:1: \"greeting\" is not polite");
  configure_fixture("", "[resource_type.fixtur]\n");
  start();
  EXPECT_THAT(call("health")["problems"].dump(), HasSubstr("did you mean \\\"fixture\\\"?"));
}

TEST_F(ResourceMethods, ASecretOfAResourceReachesItsPluginByName) {
  configure_fixture("token = { env = \"QUARRY_TEST_TOKEN\" }\n");
  start();
  EXPECT_THAT(said_by_the_source(), HasSubstr("token resource.zoo.token"));
}

TEST_F(ResourceMethods, ASecretIsNeverTakenFromTheWire) {
  configure_fixture("token = { env = \"QUARRY_TEST_TOKEN\" }\n");
  start();
  const Json thief = {{"type", "fixture"},
                      {"name", "thief"},
                      {"source", source()},
                      {"token", "resource.zoo.token"}};
  const Error refused = failure("resources.add", thief);
  EXPECT_EQ(refused.tag, "ConfigError");
  ASSERT_EQ(refused.details.size(), 1u);
  EXPECT_EQ(refused.details[0].field, "/token");
  EXPECT_THAT(refused.message,
              HasSubstr("set it in quarry.toml, as in token = { env = \"NAME\" }"));
  EXPECT_EQ(call("resources.list")["resources"].size(), 1u);

  Json honest = thief;
  honest["token"] = nullptr;
  EXPECT_EQ(call("resources.add", honest)["name"], "thief");
}

TEST_F(ResourceMethods, ASecretIsNeverShownOnTheWire) {
  configure_fixture("token = { env = \"QUARRY_TEST_TOKEN\" }\n");
  start();
  std::string all = call("resources.list").dump() + call("schemas").dump() +
                    call("config.show").dump() +
                    call("resources.recognise", {{"reference", "fixture:" + source()}}).dump();
  all += call("resources.add", {{"type", "fixture"}, {"name", "b"}, {"source", source()}}).dump();
  for (const auto& event : ask({{"question", "zebra?"}})) all += event.json.dump();
  EXPECT_EQ(all.find("\"token\""), std::string::npos) << all;
  EXPECT_EQ(all.find("tok-canary"), std::string::npos);
}

TEST_F(ResourceMethods, ATextThatNamesASecretInTheFileIsRefused) {
  configure_fixture("token = \"resource.other.token\"\n");
  EXPECT_THAT(complaint(), HasSubstr(file() + ":8:1"));
  EXPECT_THAT(complaint(), HasSubstr("must be a reference"));
}

TEST_F(ResourceMethods, TheWireShowsTheDefaultOfAFieldThatIsNotSet) {
  configure_fixture();
  start();
  const Json listed = call("resources.list")["resources"][0];
  EXPECT_EQ(listed["branch"], "main");
  EXPECT_TRUE(listed["specialNotes"].is_null());
  const Json added =
      call("resources.add",
           {{"type", "fixture"}, {"name", "b"}, {"source", source()}, {"branch", nullptr}});
  EXPECT_EQ(added["branch"], "main");
  EXPECT_EQ(
      call(
          "resources.add",
          {{"type", "fixture"}, {"name", "c"}, {"source", source()}, {"branch", "next"}})["branch"],
      "next");
}

}  // namespace
}  // namespace quarry::engine
