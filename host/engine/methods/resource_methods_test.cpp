#include "engine/testing/engine_fixture.h"

#include <future>
#include <mutex>
#include <quarry_test.h>

#include <gmock/gmock.h>

namespace quarry::engine {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// An engine over resources whose source is a folder that the test changes (tests/fixtures).
struct ResourceMethods : testing::EngineTest {
  ResourceMethods() {
    fs::create_directories(root / "source/files");
    write("source/files/a.md", "# The zebra\n\nThe zebra feature is off by default.\n");
    write("source/VERSION", "v1");
  }
  /// A configuration with one such resource, `more` in its table, and `tables` after it.
  void configure_fixture(const std::string& more = {}, const std::string& tables = {}) {
    write("quarry.toml",
          "[model]\nprovider = \"extractive\"\n\n[[resource]]\ntype = \"fixture\"\nname = \"zoo\"\n"
          "source = \"" +
              source() + "\"\n" + more + tables);
  }
  std::string source() const { return (root / "source").string(); }
  std::string said_by_the_source() {
    const Json done = ask({{"question", "What does said.txt say of a token?"}}).back().json;
    return done.value("text", done.dump());
  }
  /// Clears one snapshot; waits for the indexing lease, which keeps it until its indexes are built.
  void clear_one(const Json& params) {
    Json cleared = 0;
    while (cleared == 0) cleared = call("cache.clear", params)["cleared"];
    EXPECT_EQ(cleared, 1);
  }
  /// Error message of the start; "" if the engine starts.
  std::string complaint() {
    const auto started = Engine::start(options());
    return started ? "" : started.error().message;
  }
  std::string file() const { return (root / "quarry.toml").string(); }
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
  configure_fixture("token = { env = \"QUARRY_TEST_KEY\" }\n");
  start();
  EXPECT_THAT(said_by_the_source(), HasSubstr("token resource.zoo.token"));
}

TEST_F(ResourceMethods, ASecretIsNeverTakenFromTheWire) {
  configure_fixture("token = { env = \"QUARRY_TEST_KEY\" }\n");
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
  configure_fixture("token = { env = \"QUARRY_TEST_KEY\" }\n");
  start();
  std::string all = call("resources.list").dump() + call("schemas").dump() +
                    call("config.show").dump() +
                    call("resources.recognise", {{"reference", "fixture:" + source()}}).dump();
  all += call("resources.add", {{"type", "fixture"}, {"name", "b"}, {"source", source()}}).dump();
  for (const auto& event : ask({{"question", "zebra?"}})) all += event.json.dump();
  EXPECT_EQ(all.find("\"token\""), std::string::npos) << all;
  EXPECT_EQ(all.find(test_key()), std::string::npos);
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

TEST_F(ResourceMethods, AResourceIsShownWithWhatRulesLeaveOutOfItsFolder) {
  configure_fixture("", "[[resource]]\ntype = \"local\"\nname = \"notes\"\npath = \"" +
                            (root / "notes").string() + "\"\n");
  std::filesystem::create_directory(root / "notes");
  write("notes/a.md", "# A\n");
  write("notes/b.log", "b\n");
  write("notes/.ignore", "*.log\n");
  start();
  EXPECT_EQ(call("resources.kept")["resources"], Json::array());
  Json shown = call("resources.show", {{"name", "notes"}});
  const Json kept = call("resources.kept")["resources"];
  ASSERT_EQ(kept.size(), 1u) << "zoo was not read";
  EXPECT_EQ(kept[0]["name"], "notes");
  EXPECT_EQ(kept[0]["version"], shown["version"]);
  EXPECT_EQ(kept[0]["files"], 2);
  EXPECT_EQ(kept[0]["bytes"], 10);
  EXPECT_EQ(shown["type"], "local");
  EXPECT_EQ(shown["folder"], (root / "notes").string());
  EXPECT_EQ(shown["files"], 2);
  EXPECT_EQ(shown["leftOut"],
            (Json{{{"rule", "\"*.log\" in .ignore:1"}, {"entries", 1}, {"examples", {"b.log"}}}}));
  shown = call("resources.show", {{"name", "zoo"}});
  EXPECT_FALSE(shown.contains("folder"));
  EXPECT_EQ(shown["leftOut"], Json::array());
  EXPECT_EQ(shown["display"], "version v1");
  EXPECT_EQ(failure("resources.show", {{"name", "not"}}).tag, "ConfigError");
}

TEST_F(ResourceMethods, AResourceIsSyncedAndSaysWhatChanged) {
  configure_fixture();
  start();
  const auto sync = [&] { return call("resources.sync", {{"name", "zoo"}})["resources"][0]; };
  Json row = sync();
  EXPECT_EQ(row["version"], "v1");
  EXPECT_EQ(row["changed"], true);
  EXPECT_EQ(sync()["changed"], false);
  write("source/VERSION", "v2");
  row = call("resources.sync")["resources"][0];
  EXPECT_EQ(row["display"], "version v2");
  EXPECT_EQ(row["changed"], true);
  EXPECT_TRUE(row["fetchedAt"].get<std::string>().ends_with("Z"));
}

TEST_F(ResourceMethods, OneSourceThatFailsDoesNotKeepTheOthersFromBeingSynced) {
  configure_fixture("", "[[resource]]\ntype = \"fixture\"\nname = \"gone\"\nsource = \"" +
                            root.string() + "/gone\"\n");
  fs::create_directories(root / "gone");
  write("gone/ERROR", R"({"status":4,"message":"401 from the source","hint":"Set a token."})");
  start();
  const Json rows = call("resources.sync")["resources"];
  EXPECT_EQ(rows[0]["version"], "v1");
  EXPECT_EQ(rows[1]["name"], "gone");
  EXPECT_EQ(rows[1]["error"]["tag"], "CollectionError");
  EXPECT_EQ(rows[1]["error"]["code"], "unauthenticated");
  EXPECT_EQ(rows[1]["error"]["hint"], "Set a token.");
  EXPECT_THAT(rows[1]["error"]["message"].get<std::string>(), HasSubstr("401 from the source"));
}

TEST_F(ResourceMethods, ASourceThatCannotBeReachedIsNotSyncedThoughAnOlderStateAnswers) {
  configure_fixture();
  start();
  call("resources.sync");
  write("source/ERROR", R"({"status":5,"message":"no route to host"})");
  const Json row = call("resources.sync")["resources"][0];
  EXPECT_EQ(row["error"]["code"], "unavailable");
  EXPECT_THAT(row["error"]["message"].get<std::string>(), HasSubstr("no route to host"));
  const Json meta = meta_of({{"question", "zebra?"}, {"sync", true}});
  EXPECT_THAT(meta["snapshots"][0]["stale"].get<std::string>(), HasSubstr("ago"));
}

TEST_F(ResourceMethods, AnUnknownNameIsNotSynced) {
  configure_fixture();
  start();
  for (const char* method : {"resources.sync", "cache.clear"}) {
    const Error unknown = failure(method, {{"name", "zo"}});
    EXPECT_EQ(unknown.tag, "ConfigError");
    EXPECT_EQ(unknown.code, Code::kNotFound);
    EXPECT_THAT(unknown.hint, HasSubstr("Did you mean \"zoo\"?"));
    EXPECT_EQ(failure(method, {{"name", 1}}).tag, "RequestError");
  }
}

TEST_F(ResourceMethods, ASyncTellsHowFarItIsAndCanBeCancelled) {
  configure_fixture();
  write("source/BUSY", "");
  start();
  std::promise<std::string> progress;
  std::promise<Result<std::string>> reply;
  std::once_flag once;
  const auto handle = engine->call(
      "resources.sync", "{}", [&](Result<std::string> result) { reply.set_value(result); },
      [&](std::string_view json) {
        std::call_once(once, [&] { progress.set_value(std::string(json)); });
      });
  const Json first = *parse_json(progress.get_future().get());
  EXPECT_EQ(first["type"], "resource.progress");
  EXPECT_EQ(first["resource"], "zoo");
  EXPECT_EQ(first["message"], "receiving");
  engine->cancel(handle);
  const auto result = reply.get_future().get();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ((*parse_json(*result))["resources"][0]["error"]["code"], "cancelled");
}

TEST_F(ResourceMethods, AQuestionMayCheckTheSourceForUpdatesOrNot) {
  configure_fixture("refresh = \"never\"\n");
  start();
  const auto version = [&](const Json& sync) {
    Json question = {{"question", "zebra?"}};
    if (!sync.is_null()) question["sync"] = sync;
    return meta_of(question)["snapshots"][0]["version"];
  };
  EXPECT_EQ(version(nullptr), "v1");
  write("source/VERSION", "v2");
  EXPECT_EQ(version(nullptr), "v1") << "by the policy of the resource";
  EXPECT_EQ(version(false), "v1");
  EXPECT_EQ(version(true), "v2");
  EXPECT_EQ(failure("question.ask", {{"question", "x"}, {"sync", "yes"}}).details[0].field,
            "/sync");
}

TEST_F(ResourceMethods, ASnapshotSaysWhatWasLearntOfItsSource) {
  configure_fixture();
  write("source/HEAD", "trunk");
  write("source/INTEGRITY", "sha512-x");
  write("source/NOTES", "Submodule vendor is not part of this snapshot.\nOne file is too large.");
  start();
  const Json meta = meta_of({{"question", "zebra?"}});
  EXPECT_EQ(meta["resources"], Json({"zoo"})) << "names, as clients know it";
  const Json snapshot = meta["snapshots"][0];
  EXPECT_EQ(snapshot["fields"]["branch"], "trunk");
  EXPECT_EQ(snapshot["integrity"], "sha512-x");
  EXPECT_EQ(snapshot["notes"].size(), 2u);
  EXPECT_FALSE(snapshot.contains("stale"));
}

TEST_F(ResourceMethods, WhatNobodyKnowsIsToldTheFormsThatThereAre) {
  configure_fixture();
  start();
  for (const Error& error :
       {failure("question.ask", {{"question", "x"}, {"resources", {"what:is/this"}}}),
        failure("resources.recognise", {{"reference", "what:is/this"}})}) {
    EXPECT_THAT(error.hint, HasSubstr("fixture:/a/folder"));
    EXPECT_THAT(error.hint, HasSubstr("./docs"));
  }
}

TEST_F(ResourceMethods, TheSnapshotsOfOneResourceAreCleared) {
  configure_fixture("", "[[resource]]\ntype = \"local\"\nname = \"docs\"\npath = \"" +
                            (root / "docs").string() + "\"\n");
  start();
  ask({{"question", "zebra?"}});
  clear_one({{"name", "ZOO"}});
  EXPECT_EQ(call("cache.clear", {{"name", "zoo"}})["cleared"], 0);
  clear_one({{"name", nullptr}});
}

TEST_F(ResourceMethods, WhenToAskTheSourceIsAMemberOfEveryResource) {
  configure_fixture("refresh = \"soon\"\n");
  EXPECT_THAT(complaint(), AllOf(HasSubstr(file() + ":8:1: "), HasSubstr("must be \"always\"")));
  configure_fixture();
  start();
  const Json added = call("resources.add", {{"type", "fixture"},
                                            {"name", "b"},
                                            {"source", source()},
                                            {"refresh", "1h"},
                                            {"refreshInBackground", true}});
  EXPECT_EQ(added["refresh"], "1h");
  EXPECT_EQ(added["refreshInBackground"], true);
  EXPECT_THAT(*read_file(root / "quarry.toml"), HasSubstr("refresh = \"1h\"\n"));
  EXPECT_TRUE(call("resources.add", {{"type", "fixture"},
                                     {"name", "c"},
                                     {"source", source()},
                                     {"refresh", nullptr},
                                     {"refreshInBackground", nullptr}})["refresh"]
                  .is_null());
  EXPECT_EQ(failure("resources.add",
                    {{"type", "fixture"}, {"name", "d"}, {"source", source()}, {"refresh", "soon"}})
                .details[0]
                .field,
            "/refresh");
}

}  // namespace
}  // namespace quarry::engine
