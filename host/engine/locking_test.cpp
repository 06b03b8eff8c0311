#include "engine/testing/engine_fixture.h"

#include <gmock/gmock.h>

namespace quarry::engine {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// An engine over a resource "zoo", whose source is a folder that the test changes, and a folder.
struct Locking : testing::EngineTest {
  Locking() {
    fs::create_directories(root / "source/files");
    write("source/files/a.md", "# The zebra\n\nThe zebra feature is off by default.\n");
    write("source/VERSION", "v1");
    write("source/INTEGRITY", "sha512-one");
    configure_zoo();
  }
  void configure_zoo(const std::string& more = {}, const std::string& name = "zoo") {
    write("quarry.toml",
          "[model]\nprovider = \"extractive\"\n\n[[resource]]\ntype = \"fixture\"\n"
          "name = \"" +
              name + "\"\nsource = \"" + source() + "\"\n" + more +
              "[[resource]]\ntype = \"local\"\nname = \"docs\"\npath = \"" +
              (root / "docs").string() + "\"\n");
  }
  std::string source() const { return (root / "source").string(); }
  void start_locked() {
    engine.reset();
    Options locked = options();
    locked.locked = true;
    auto started = Engine::start(locked);
    ASSERT_TRUE(started) << started.error().message;
    engine = std::move(*started);
  }
  std::string lock_file() { return *read_file(root / "quarry.lock"); }
  Json snapshots(const Json& resources = nullptr) {
    return meta_of({{"question", "zebra?"}, {"resources", resources}})["snapshots"];
  }
};

TEST_F(Locking, WritesTheVersionOfEveryResourceButFolders) {
  start();
  const Json said = call("resources.lock");
  EXPECT_EQ(said["file"], (root / "quarry.lock").string());
  EXPECT_EQ(said["written"], true);
  EXPECT_EQ(said["unlocked"], Json({"docs"}));
  EXPECT_EQ(said["resources"][0]["changed"], true);
  EXPECT_THAT(lock_file(),
              HasSubstr("\n[[resource]]\nname = \"zoo\"\nsource = { source = \"" + source() +
                        "\", type = \"fixture\" }\nversion = \"v1\"\n"
                        "display = \"version v1\"\nintegrity = \"sha512-one\"\n"));
  const std::string before = lock_file();
  EXPECT_EQ(call("resources.lock")["resources"][0]["changed"], false);
  EXPECT_EQ(lock_file(), before);
}

TEST_F(Locking, SaysWhatChangedAndWhatWent) {
  start();
  call("resources.lock");
  write("source/VERSION", "v2");
  const Json row = call("resources.lock")["resources"][0];
  EXPECT_EQ(row["was"], "version v1");
  EXPECT_EQ(row["display"], "version v2");
  engine.reset();
  configure_zoo("", "aviary");
  start();
  EXPECT_EQ(call("resources.lock")["removed"], Json({"zoo"}));
}

TEST_F(Locking, WritesNothingWhenOneResourceFails) {
  write("source/ERROR", R"({"status":5,"message":"no route to host"})");
  start();
  const Json said = call("resources.lock");
  EXPECT_EQ(said["written"], false);
  EXPECT_EQ(said["resources"][0]["error"]["code"], "unavailable");
  EXPECT_FALSE(fs::exists(root / "quarry.lock"));
}

TEST_F(Locking, WithoutAResourceSaysThatThereIsNone) {
  write("quarry.toml", "[model]\nprovider = \"extractive\"\n");
  start();
  EXPECT_THAT(failure("resources.lock").message, HasSubstr("no resource is configured"));
  EXPECT_FALSE(fs::exists(root / "quarry.lock"));
}

TEST_F(Locking, ReplacesADamagedFile) {
  write("quarry.lock", "<<<<<<< ours\n");
  start();
  EXPECT_EQ(call("resources.lock")["written"], true);
  start_locked();
}

TEST_F(Locking, HasNoSecrets) {
  configure_zoo("token = { env = \"QUARRY_TEST_KEY\" }\nrefresh = \"1h\"\n");
  start();
  call("resources.lock");
  EXPECT_EQ(lock_file().find("token"), std::string::npos);
  EXPECT_EQ(lock_file().find("refresh"), std::string::npos);
  start_locked();
  EXPECT_EQ(snapshots()[0]["version"], "v1");
}

TEST_F(Locking, AnswersFromExactlyTheLockedVersions) {
  start();
  call("resources.lock");
  write("source/VERSION", "v2");
  EXPECT_EQ(call("resources.sync", {{"name", "zoo"}})["resources"][0]["version"], "v2");
  start_locked();
  const Json locked = snapshots();
  EXPECT_EQ(locked[0]["version"], "v1");
  EXPECT_EQ(locked[0]["integrity"], "sha512-one");
  EXPECT_FALSE(locked[0].contains("unlocked"));
  EXPECT_EQ(locked[1]["resource"], "docs");
  EXPECT_EQ(locked[1]["unlocked"], true) << "folders are as they are now";
  EXPECT_EQ(failure("resources.sync").tag, "RequestError");
  EXPECT_EQ(failure("resources.lock").tag, "RequestError");
}

TEST_F(Locking, RefusesWhatIsNotLockedAndSaysWhatMoved) {
  start();
  call("resources.lock");
  configure_zoo("branch = \"next\"\n");
  start_locked();
  const Error moved = failure("question.ask", {{"question", "zebra?"}});
  EXPECT_EQ(moved.tag, "CollectionError");
  EXPECT_THAT(moved.message, HasSubstr("\"zoo\" differs from"));
  EXPECT_THAT(moved.message, HasSubstr("branch nothing is now \"next\""));
  EXPECT_THAT(moved.hint, HasSubstr("quarry lock"));
  configure_zoo("", "aviary");
  start_locked();
  EXPECT_THAT(failure("question.ask", {{"question", "zebra?"}}).message,
              HasSubstr("\"aviary\" is not in"));
}

TEST_F(Locking, AReferenceIsLockedByItsSource) {
  start();
  call("resources.lock");
  configure_zoo("branch = \"next\"\n");
  start_locked();
  EXPECT_EQ(snapshots({"fixture:" + source()})[0]["version"], "v1");
  const Error unknown =
      failure("question.ask", {{"question", "x"}, {"resources", {"fixture:" + root.string()}}});
  EXPECT_THAT(unknown.message, HasSubstr("is not in"));
  EXPECT_EQ(snapshots({(root / "more").string()}).size(), 1u) << "a folder is allowed";
}

TEST_F(Locking, AMissingOrDamagedFileEndsTheStart) {
  const auto complaint = [&] {
    Options locked = options();
    locked.locked = true;
    const auto started = Engine::start(locked);
    return started ? Error() : started.error();
  };
  EXPECT_EQ(complaint().tag, "ConfigError");
  EXPECT_THAT(complaint().hint, HasSubstr("quarry lock"));
  write("quarry.lock", "[[resource]]\nname = 3\n");
  EXPECT_THAT(complaint().message, HasSubstr("quarry.lock:"));
}

}  // namespace
}  // namespace quarry::engine
