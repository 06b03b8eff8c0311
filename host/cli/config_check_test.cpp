#include "cli/config_check.h"

#include "base/file.h"

#include <quarry_test.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Plugins with a transport "rest", a provider "lines" and a resource type "notes".
class ConfigCheck : public ::testing::Test {
 protected:
  ConfigCheck() {
    write("plugin/schema.json", R"({"type":"object","additionalProperties":false,
      "properties":{"listen":{"type":"string"},"path":{"type":"string"}}})");
    write("plugin/broken.json", "{");
    plugins::Manifest manifest;
    manifest.id = "org.example.all";
    manifest.path = root_ / "plugin/plugin.toml";
    manifest.components = {{"quarry.transport/1", "rest", "schema.json"},
                           {"quarry.transport/1", "broken", "broken.json"},
                           {"quarry.model/1", "lines", "schema.json"},
                           {"quarry.store.draft/1", "sqlite", ""},
                           {"quarry.embedding.draft/1", "vectors", "schema.json"},
                           {"quarry.rerank.draft/1", "scores", "schema.json"},
                           {"quarry.resource/1", "notes", "schema.json", "schema.json"}};
    found_.manifests = {manifest};
  }

  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    EXPECT_TRUE(write_file_atomically(root_ / name, text));
  }
  CheckReport report(const std::string& text) {
    write("quarry.toml", text);
    config::Sources sources;
    sources.file = root_ / "quarry.toml";
    return check(config::inspect(sources), found_);
  }
  /// Mistakes in `text` as "<line> <key>".
  std::vector<std::string> keys(const std::string& text) {
    std::vector<std::string> out;
    for (const auto& mistake : report(text).mistakes) {
      out.push_back(std::to_string(mistake.place.line) + " " + mistake.key);
    }
    return out;
  }

  const std::filesystem::path root_ = test_directory();
  plugins::Found found_;
};

TEST_F(ConfigCheck, ReportsTheMistakesOfHostAndPluginsInOrderOfLines) {
  EXPECT_THAT(keys("[transport.rest]\nlsten = 1\nlisten = 2\n[model]\nmax_steps = 0\n"
                   "provider = \"lines\"\nother = 1\n[model.work]\nprovider = \"lnes\"\n"
                   "[[resource]]\ntype = \"notes\"\nname = \"a\"\npaht = \"/\"\nrefresh = 1\n"
                   "[resource_type.notes]\nx = 1\n[pricing.none]\n"
                   "[network]\nprivate_hosts = [\"10.0.0.0/8\", \"10.0.0.0/99\", \"a b\"]\n"),
              ElementsAre("2 transport.rest.lsten", "3 transport.rest.listen", "5 model.max_steps",
                          "7 model.other", "9 model.work.provider", "13 resource.a.paht",
                          "14 resource.a.refresh", "16 resource_type.notes.x", "17 pricing.none",
                          "19 network.private_hosts", "19 network.private_hosts"));
}

TEST_F(ConfigCheck, PassesWhatIsRight) {
  EXPECT_TRUE(report("[transport.rest]\nlisten = \"x\"\nenabled = true\n").passed());
  EXPECT_TRUE(report("").passed());
}

TEST_F(ConfigCheck, NamesTheNearestComponent) {
  const auto found = report("[transport.rst]\n");
  ASSERT_EQ(found.mistakes.size(), 1u);
  EXPECT_EQ(found.mistakes[0].message,
            "no plugin offers the transport \"rst\"; did you mean \"rest\"?");
}

TEST_F(ConfigCheck, SuggestsAProviderForATableThatIsNoOption) {
  const auto found = report("[model]\nprovider = \"lines\"\n[model.work]\npath = \"x\"\n");
  ASSERT_EQ(found.mistakes.size(), 1u);
  EXPECT_EQ(found.mistakes[0].key, "model.work");
  EXPECT_THAT(found.mistakes[0].hint, HasSubstr("has a \"provider\""));
}

TEST_F(ConfigCheck, ReportsMistakesInTheProvidersOfSearches) {
  EXPECT_THAT(keys("[search]\nembedding = \"vctors/m\"\nrerank = \"m\"\n"
                   "[embedding.vectors]\npath = \"x\"\n[embedding.work]\nprovider = \"none\"\n"
                   "[rerank.scores]\npaht = \"x\"\n"),
              ElementsAre("2 search.embedding", "3 search.rerank", "7 embedding.work.provider",
                          "9 rerank.scores.paht"));
  EXPECT_TRUE(report("[search]\nembedding = \"work/m\"\nrerank = \"scores/m\"\n"
                     "[embedding.work]\nprovider = \"vectors\"\n")
                  .passed());
  const auto found = report("[search]\nembedding = \"vctors/m\"\n");
  ASSERT_EQ(found.mistakes.size(), 1u);
  EXPECT_EQ(found.mistakes[0].message,
            "no plugin offers the embedding provider \"vctors\"; did you mean \"vectors\"?");
}

TEST_F(ConfigCheck, MissesNoComponentWhileAFileIsNotRead) {
  const auto found = report("[transport.rst]\nx = \n");
  EXPECT_THAT(found.mistakes, IsEmpty());
  EXPECT_EQ(found.unread.size(), 1u);
  EXPECT_FALSE(found.passed());
}

TEST_F(ConfigCheck, ReportsASchemaThatCannotBeRead) {
  const auto found = report("[transport.broken]\n");
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_FALSE(found.passed());
}

TEST_F(ConfigCheck, PrintsEveryMistakeAsJson) {
  const Json list = to_json(report("[model]\nmax_steps = 0\n"))["mistakes"];
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["file"], (root_ / "quarry.toml").string());
  EXPECT_EQ(list[0]["line"], 2);
  EXPECT_EQ(list[0]["column"], 1);
  EXPECT_EQ(list[0]["key"], "model.max_steps");
  EXPECT_THAT(list[0]["message"].get<std::string>(), HasSubstr("must be at least 1"));
  EXPECT_FALSE(list[0]["hint"].get<std::string>().empty());
  const Json unread = to_json(report("x = \n"))["mistakes"];
  ASSERT_EQ(unread.size(), 1u);
  EXPECT_EQ(unread[0]["line"], 1);
  EXPECT_FALSE(unread[0].contains("key"));
}

}  // namespace
}  // namespace quarry::cli
