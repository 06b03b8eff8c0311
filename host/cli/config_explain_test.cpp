#include "cli/config_explain.h"

#include "base/file.h"

#include <quarry_test.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Plugins with a transport "rest", providers "lines" and "words", and a resource type "notes".
class ConfigExplain : public ::testing::Test {
 protected:
  ConfigExplain() {
    write("plugin/rest.json", R"({"type":"object","properties":{
      "listen":{"type":"string","description":"Where.","default":"127.0.0.1:1"}}})");
    write("plugin/lines.json", R"({"type":"object","properties":{
      "url":{"type":"string","description":"Of the server."},
      "api_key":{"type":"string","writeOnly":true,"description":"The key."}}})");
    write("plugin/notes.json", R"({"type":"object","required":["path"],"properties":{
      "path":{"type":"string","description":"Of the notes.","untrusted":"beneath"},
      "odd":{"untrusted":["new"]},"key":{"writeOnly":true,"untrusted":"plain"}}})");
    write("plugin/rates.json", R"({"type":"object",
      "propertyNames":{"title":"<provider>/<model>"},"additionalProperties":{"type":"object",
      "properties":{"input":{"type":"string","description":"Of the input."}}}})");
    plugins::Manifest manifest;
    manifest.path = root_ / "plugin/plugin.toml";
    manifest.components = {{"quarry.transport/1", "rest", "rest.json", "", true},
                           {"quarry.model/1", "lines", "lines.json"},
                           {"quarry.pricing/1", "rates", "rates.json"},
                           {"quarry.model/1", "words", "lines.json"},
                           {"quarry.resource/1", "notes", "notes.json", "rest.json"},
                           {"quarry.resource/1", "broken", "none.json"}};
    found_.manifests = {manifest};
  }

  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    EXPECT_TRUE(write_file_atomically(root_ / name, text));
  }
  config::Inspection read(const std::string& text) {
    write("quarry.toml", text);
    config::Sources sources;
    sources.file = root_ / "quarry.toml";
    sources.environment = environment_;
    return config::inspect(sources);
  }
  Result<std::vector<ConfigKey>> find(const std::string& name, const std::string& text = "") {
    return find_key(list_keys(found_), name, read(text));
  }
  /// The one explanation of the key.
  Json explained(const std::string& name, const std::string& text = "") {
    const auto keys = find(name, text);
    EXPECT_TRUE(keys) << name;
    if (!keys) return nullptr;
    EXPECT_EQ(keys->size(), 1u) << name;
    return explanation(keys->front(), read(text));
  }

  const std::filesystem::path root_ = test_directory();
  std::map<std::string, std::string> environment_;
  plugins::Found found_;
};

TEST_F(ConfigExplain, TellsEverythingAboutAKeyOfTheHost) {
  const Json all = explained("model.max_steps", "[model]\nmax_steps = 7\n");
  EXPECT_EQ(all["table"], "[model]");
  EXPECT_EQ(all["type"], "integer, 1 to 1,000");
  EXPECT_EQ(all["default"], "`40`");
  EXPECT_EQ(all["description"], "Model calls of one question.");
  EXPECT_EQ(all["environment"], "QUARRY_MODEL_MAX_STEPS");
  EXPECT_EQ(all["untrusted"], "lower");
  ASSERT_EQ(all["values"].size(), 1u);
  EXPECT_EQ(all["values"][0]["value"], "7");
  EXPECT_EQ(all["values"][0]["source"], (root_ / "quarry.toml").string());
  EXPECT_EQ(all["values"][0]["line"], 2);
  EXPECT_EQ(all["values"][0]["column"], 1);
}

TEST_F(ConfigExplain, NamesTheSourceOutsideFiles) {
  environment_ = {{"QUARRY_LOG_LEVEL", "error"}};
  EXPECT_EQ(explained("log.level")["values"][0]["source"], "environment QUARRY_LOG_LEVEL");
  EXPECT_TRUE(explained("log.level")["values"][0].contains("value"));
  EXPECT_TRUE(explained("cache.max_size")["values"].empty());
}

TEST_F(ConfigExplain, ExplainsKeysOfPluginsFromTheirSchemas) {
  const Json listen = explained("transport.rest.listen", "[transport.rest]\nlisten = \"x\"\n");
  EXPECT_EQ(listen["description"], "Where.");
  EXPECT_EQ(listen["default"], "`\"127.0.0.1:1\"`");
  EXPECT_EQ(listen["values"][0]["value"], "\"x\"");
  EXPECT_FALSE(listen.contains("environment"));
  EXPECT_EQ(explained("transport.rest.enabled")["default"], "`false`");
  EXPECT_EQ(explained("resource_type.notes.listen")["table"], "[resource_type.notes]");
  EXPECT_FALSE(explained("resource_type.notes.listen").contains("untrusted"));
}

TEST_F(ConfigExplain, ShowsTheFieldOfEveryResourceThatHasIt) {
  const std::string text =
      "[[resource]]\ntype = \"notes\"\nname = \"a\"\npath = \"/a\"\n"
      "[[resource]]\ntype = \"other\"\nname = \"b\"\npath = \"/b\"\n";
  const Json path = explained("resource.notes.path", text);
  EXPECT_EQ(path["default"], "required");
  EXPECT_EQ(path["untrusted"], "beneath");
  EXPECT_FALSE(explained("resource.notes.odd").contains("untrusted"));
  EXPECT_FALSE(explained("resource.notes.key").contains("untrusted"));
  EXPECT_EQ(explained("resource.name")["untrusted"], "new");
  ASSERT_EQ(path["values"].size(), 1u);
  EXPECT_EQ(path["values"][0]["of"], "a");
  EXPECT_EQ(explained("resource.a.path", text)["values"][0]["line"], 4);
  EXPECT_EQ(explained("resource.name", text)["values"].size(), 2u);
}

TEST_F(ConfigExplain, FindsAnOptionByItsProvider) {
  EXPECT_EQ(find("model.url")->size(), 2u);
  EXPECT_EQ(find("model.url", "[model]\nprovider = \"words\"\n")->size(), 1u);
  const std::string text = "[model.work]\nprovider = \"lines\"\nurl = \"u\"\n";
  EXPECT_EQ(explained("model.work.url", text)["values"][0]["line"], 3);
  EXPECT_EQ(explained("model.work.provider", text)["values"][0]["value"], "\"lines\"");
  const std::string both = explanation_text(*find("model.url"), read(""));
  EXPECT_THAT(both, HasSubstr("[model] with provider = \"lines\", \"words\""));
}

TEST_F(ConfigExplain, ExplainsKeysOfTablesWithAnyName) {
  const std::string text =
      "[pricing.rates.\"a/b\"]\ninput = \"1\"\n[pricing.rates.c]\ninput = \"2\"\n"
      "[model.work]\nprovider = \"lines\"\n";
  const Json all = explained("pricing.rates.\"<provider>/<model>\".input", text);
  EXPECT_EQ(all["values"].size(), 2u);
  EXPECT_EQ(all["values"][0]["of"], "a/b");
  const Json one = explained("pricing.rates.\"a/b\".input", text);
  ASSERT_EQ(one["values"].size(), 1u);
  EXPECT_EQ(one["values"][0]["line"], 2);
  EXPECT_EQ(explained("model.<name>.provider", text)["values"][0]["of"], "work");
  EXPECT_EQ(explained("model.other.provider", text)["table"], "[model.<name>]");
  EXPECT_FALSE(find("model.a.b.provider", text));
}

TEST_F(ConfigExplain, NamesNoVariableForTablesAndSecrets) {
  EXPECT_FALSE(explained("plugins.pinned").contains("environment"));
  EXPECT_FALSE(explained("access.secrets_key").contains("environment"));
  EXPECT_FALSE(
      explained("model.api_key", "[model]\nprovider = \"lines\"\n").contains("environment"));
}

TEST_F(ConfigExplain, ShowsNoSecret) {
  const std::string reference = "[model]\nprovider = \"lines\"\napi_key = { env = \"KEY\" }\n";
  EXPECT_EQ(explained("model.api_key", reference)["values"][0]["value"], "{ env = \"KEY\" }");
  const std::string plain = "[model]\nprovider = \"lines\"\napi_key = \"canary\"\n";
  EXPECT_THAT(to_text(explained("model.api_key", plain)), Not(HasSubstr("canary")));
  EXPECT_THAT(key_table(list_keys(found_), read(plain)), Not(HasSubstr("canary")));
}

TEST_F(ConfigExplain, SuggestsTheNearestKey) {
  const auto wrong = find("model.max_step");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message,
            "there is no key \"model.max_step\"; did you mean \"model.max_steps\"?");
  EXPECT_THAT(wrong.error().hint, HasSubstr("quarry config explain"));
}

TEST_F(ConfigExplain, ListsEveryKeyOnce) {
  const std::string table = key_table(list_keys(found_), read("[log]\nlevel = \"error\"\n"));
  EXPECT_THAT(table, HasSubstr("quarry.toml:2:1"));
  for (const char* key : {"model.url", "transport.rest.listen", "resource.notes.path"}) {
    EXPECT_EQ(table.find(key), table.rfind(key)) << key;
    EXPECT_THAT(table, HasSubstr(key));
  }
}

}  // namespace
}  // namespace quarry::cli
