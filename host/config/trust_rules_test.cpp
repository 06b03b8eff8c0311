#include "config/trust_rules.h"

#include "base/schema.h"
#include "config/testing/config_fixture.h"

#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Every key of the schema with its rule, as a pointer with "*" for names that are open.
void collect(const Json& schema, const std::string& at, std::map<std::string, Json>& out) {
  const Json members = schema.value("properties", Json::object());
  for (const auto& [name, rule] : members.items()) {
    const std::string here = at + "/" + name;
    out[here] = rule;
    collect(rule, here, out);
    if (rule.contains("items")) collect(rule["items"], here + "/0", out);
  }
  const Json open = schema.value("additionalProperties", Json(false));
  if (open.is_object()) {
    out[at + "/*"] = open;
    collect(open, at + "/*", out);
  }
}

/// True for a table, or a list of tables, whose keys have their own rules.
bool is_walked(const Json& rule) {
  return rule.contains("properties") ||
         (rule.contains("items") && rule["items"].contains("properties"));
}

std::map<std::string, Json> all_keys() {
  std::map<std::string, Json> out;
  collect(whole_schema(), "", out);
  return out;
}

/// A document with `value` at `pointer`.
Document document_with(const std::string& pointer, const Json& value) {
  Document out;
  out.root[Json::json_pointer(pointer)] = value;
  return out;
}

/// Values of every kind; a key that needs trust needs it for each of them.
const std::vector<Json> kValues = {true,
                                   1,
                                   0,
                                   -1,
                                   1e9,
                                   "",
                                   "x",
                                   "https://x",
                                   "/",
                                   Json::array(),
                                   {"x"},
                                   Json::object(),
                                   {{"env", "K"}},
                                   {{"command", {"x"}}},
                                   {{"x", {{"y", 1}}}}};

class TrustRules : public InDirectory {
 protected:
  std::vector<TrustedKey> keys(const Document& document, const Json& below = Json::object()) {
    return keys_for_trust(document, below, root_, open_fields());
  }
  std::vector<TrustedKey> keys(const std::string& text, const Json& below = Json::object()) {
    return keys(*parse_document(text, root_ / "quarry.toml"), below);
  }
  std::vector<std::string> names(const std::string& text, const Json& below = Json::object()) {
    std::vector<std::string> out;
    for (const TrustedKey& key : keys(text, below)) out.push_back(key.name);
    return out;
  }
  bool is_open(const std::string& pointer, const Json& value) {
    return keys(document_with(pointer, value)).empty();
  }
  /// Of a field of a resource of that type.
  bool is_open(const Json& type, const std::string& field, const Json& value,
               const OpenFields& fields = open_fields()) {
    Document document = document_with("/resource/0/" + field, value);
    if (!type.is_null()) document.root["resource"][0]["type"] = type;
    return keys_for_trust(document, Json::object(), root_, fields).empty();
  }
};

TEST_F(TrustRules, EveryKeyButTheseNeedsTrustWhateverItIsSetTo) {
  const std::map<std::string, std::string> open = {
      {"/model/max_steps", "lower"},          {"/model/max_seconds", "lower"},
      {"/model/max_tokens", "lower"},         {"/model/max_cost_usd", "lower"},
      {"/model/monthly_budget_usd", "lower"}, {"/model/idle_seconds", "lower"},
      {"/server/max_questions", "lower"},     {"/server/max_event_bytes", "lower"},
      {"/resource/0/type", "plain"},          {"/resource/0/name", "new"},
      {"/resource/0/refresh", "plain"},       {"/resource/0/refreshInBackground", "plain"},
  };
  std::size_t seen = 0;
  for (const auto& [pointer, rule] : all_keys()) {
    const auto found = open.find(pointer);
    if (found != open.end()) {
      ++seen;
      EXPECT_EQ(rule.value("untrusted", ""), found->second) << pointer;
      continue;
    }
    EXPECT_FALSE(rule.contains("untrusted")) << pointer;
    if (is_walked(rule)) continue;
    for (const Json& value : kValues) EXPECT_FALSE(is_open(pointer, value)) << pointer << value;
  }
  EXPECT_EQ(seen, open.size());
  EXPECT_GT(all_keys().size(), 50u);
}

TEST_F(TrustRules, AKeyThatTheSchemaDoesNotKnowNeedsTrust) {
  for (const char* pointer : {"/new", "/model/new", "/cache/new", "/server/new", "/resource/0/new",
                              "/transport/rest/new", "/plugins/new"}) {
    for (const Json& value : kValues) EXPECT_FALSE(is_open(pointer, value)) << pointer << value;
  }
}

TEST_F(TrustRules, AnOpenKeyTakesNoTablesAndNoReferencesToSecrets) {
  for (const auto& [pointer, rule] : all_keys()) {
    for (const Json& value : {Json{{"env", "K"}}, Json{{"file", "/f"}}, Json{{"command", {"x"}}},
                              Json::array({{{"env", "K"}}}), Json{{"x", 1}}}) {
      if (is_walked(rule)) continue;
      EXPECT_FALSE(is_open(pointer, value)) << pointer << value;
    }
  }
}

TEST_F(TrustRules, AFieldIsOpenAsItsTypeSaysAndForNoOtherType) {
  EXPECT_TRUE(is_open("git", "branch", "next"));
  EXPECT_TRUE(is_open("npm", "package", Json::array({"a", "b"})));
  for (const Json& type : {Json("npm"), Json("GIT"), Json("walk"), Json(), Json(7)}) {
    EXPECT_FALSE(is_open(type, "branch", "next")) << type;
    EXPECT_FALSE(is_open(type, "url", "https://x")) << type;
  }
  for (const auto& [type, fields] : open_fields()) {
    for (const auto& [field, rule] : fields) {
      for (const Json& value : {Json{{"env", "K"}}, Json{{"command", {"x"}}},
                                Json::array({{{"env", "K"}}}), Json{{"x", 1}}}) {
        EXPECT_FALSE(is_open(type, field, value)) << type << field << value;
      }
    }
  }
}

TEST_F(TrustRules, ATypeOpensItsOwnFieldsByThreeRulesOnly) {
  const OpenFields greedy = {{"walk",
                              {{"name", "plain"},
                               {"lowered", "lower"},
                               {"new", "new"},
                               {"none", ""},
                               {"other", "anything"},
                               {"place", "plain"}}}};
  EXPECT_TRUE(is_open("walk", "place", "forest", greedy));
  for (const char* field : {"lowered", "new", "none", "other"}) {
    for (const Json& value : kValues) EXPECT_FALSE(is_open("walk", field, value, greedy)) << field;
  }
  const Json below = {{"resource", {{{"name", "kit"}}}}};
  Document document = document_with("/resource/0", {{"type", "walk"}, {"name", "Kit"}});
  EXPECT_EQ(keys_for_trust(document, below, root_, greedy).size(), 1u);
  document = document_with("/model/place", "x");
  document.root["model"]["type"] = "walk";
  EXPECT_EQ(keys_for_trust(document, below, root_, greedy).size(), 2u);
}

TEST(RuleOfField, IsOneOfThreeAndNeverThatOfASecret) {
  for (const char* rule : {"plain", "https", "beneath"}) {
    EXPECT_EQ(rule_of_field({{"untrusted", rule}}), rule);
    EXPECT_EQ(rule_of_field({{"untrusted", rule}, {"writeOnly", false}}), rule);
    for (const Json& secret : {Json(true), Json("true"), Json(1), Json()}) {
      EXPECT_EQ(rule_of_field({{"untrusted", rule}, {"writeOnly", secret}}), "") << secret;
    }
  }
  for (const char* schema :
       {"{}", "null", "3", "[]", R"({"untrusted": "lower"})", R"({"untrusted": "new"})",
        R"({"untrusted": ""})", R"({"untrusted": true})", R"({"untrusted": ["plain"]})"}) {
    EXPECT_EQ(rule_of_field(*parse_json(schema)), "") << schema;
  }
}

TEST_F(TrustRules, ALimitMayBeLoweredAndNotRaised) {
  EXPECT_THAT(names("[model]\nmax_steps = 40\nmax_tokens = 9\nmax_cost_usd = 1e9\n"), IsEmpty());
  EXPECT_THAT(names("[model]\nmax_steps = 41\nmax_seconds = 601\nidle_seconds = 121\n"),
              ElementsAre("model.max_steps", "model.max_seconds", "model.idle_seconds"));
  const Json below = {{"model", {{"max_steps", 90}, {"max_cost_usd", "0.5"}, {"max_tokens", 7}}}};
  EXPECT_THAT(names("[model]\nmax_steps = 90\nmax_cost_usd = 0.5\nmax_tokens = 7\n", below),
              IsEmpty());
  EXPECT_THAT(names("[model]\nmax_steps = 91\nmax_cost_usd = \"0.51\"\nmax_tokens = 8\n", below),
              ElementsAre("model.max_steps", "model.max_cost_usd", "model.max_tokens"));
  EXPECT_THAT(keys("[model]\nmax_steps = 91\n", below)[0].why, HasSubstr("higher than 90"));
}

TEST_F(TrustRules, AResourceDoesNotTakeTheNameOfOneBelow) {
  const Json below = {{"resource", {{{"name", "Kit"}, {"type", "npm"}, {"package", "kit"}}}}};
  const std::string other = "[[resource]]\nname = \"kit-2\"\ntype = \"npm\"\npackage = \"k\"\n";
  EXPECT_THAT(names(other, below), IsEmpty());
  const std::string same = "[[resource]]\nname = \"KIT\"\ntype = \"npm\"\npackage = \"evil\"\n";
  EXPECT_THAT(names(same), IsEmpty());
  const auto found = keys(same, below);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "resource.KIT.name");
  EXPECT_THAT(found[0].why, HasSubstr("name of a resource that exists without this file"));
}

TEST_F(TrustRules, TheDefaultsOfLimitsAreThoseThatHold) {
  const Config config = *load({root_, {}, {}, {}, {}, {}, {}});
  const auto limit = [](const char* pointer) {
    return whole_schema()[Json::json_pointer(pointer)].value("default", 0ull);
  };
  EXPECT_EQ(limit("/properties/model/properties/max_steps"), config.model.max_steps);
  EXPECT_EQ(limit("/properties/model/properties/max_seconds"), config.model.max_time.count());
  EXPECT_EQ(limit("/properties/model/properties/max_tokens"), config.model.max_tokens);
  EXPECT_EQ(limit("/properties/model/properties/idle_seconds"), config.model.idle.count());
  EXPECT_EQ(limit("/properties/server/properties/max_questions"), config.server.max_questions);
  EXPECT_EQ(limit("/properties/server/properties/max_event_bytes"), config.server.max_event_bytes);
  EXPECT_FALSE(config.model.max_cost);
  EXPECT_FALSE(config.model.monthly_budget);
}

TEST_F(TrustRules, AFolderIsNamedBeneathTheFilesDirectoryAlone) {
  std::filesystem::create_directories(root_ / "docs");
  std::filesystem::create_directories(root_.string() + "-beside");
  std::filesystem::create_symlink("/etc", root_ / "out");
  const auto path = [&](const std::string& value) { return is_open("local", "path", value); };
  EXPECT_TRUE(path(root_ / "docs"));
  EXPECT_TRUE(path(root_ / "not/yet"));
  EXPECT_TRUE(path(root_));
  for (const std::string& value :
       {std::string("/etc"), std::string("/"), std::string("~"), std::string("~/docs"),
        std::string("docs"), std::string("../docs"), std::string(""), root_.string() + "-beside",
        (root_ / "..").string(), (root_ / "docs/../../x").string(), (root_ / "out").string(),
        (root_ / "out/ssh").string(), (root_ / "none/../../x").string()}) {
    EXPECT_FALSE(path(value)) << value;
  }
  const auto relative = keys("[[resource]]\ntype = \"local\"\nname = \"a\"\npath = \"docs\"\n");
  ASSERT_EQ(relative.size(), 1u);
  EXPECT_THAT(relative[0].why, HasSubstr("is not absolute"));
}

TEST_F(TrustRules, AnAddressIsHttps) {
  EXPECT_TRUE(is_open("git", "url", "https://git.example/x"));
  for (const char* value :
       {"http://x", "ssh://x", "git@h:p", "file:///etc", "/etc", "ext::sh", ""}) {
    EXPECT_FALSE(is_open("git", "url", value)) << value;
  }
}

TEST_F(TrustRules, KeysAreNamedInTheOrderOfTheFileWithTheirPlacesAndValues) {
  const auto found = keys(
      "[model]\nbase_url = 'http://x'\napi_key = { command = ['sh', '-c'] }\n"
      "[model.work.headers]\nx = '1'\n[transport.rest]\n"
      "[[resource]]\ntype = 'git'\nname = 'kit'\ntoken = { env = 'T' }\n");
  std::vector<std::string> lines;
  for (const TrustedKey& key : found) {
    lines.push_back(std::to_string(key.place.line) + " " + key.name + " = " + key.value);
  }
  EXPECT_THAT(lines, ElementsAre("2 model.base_url = \"http://x\"",
                                 "3 model.api_key = { command = [\"sh\", \"-c\"] }",
                                 "5 model.work.headers.x = \"1\"", "6 transport.rest = {}",
                                 "10 resource.kit.token = { env = \"T\" }"));
}

TEST_F(TrustRules, ASecretInPlainTextIsNotShown) {
  const auto found = keys("[model]\napi_key = 'sk-canary'\nlist = [{ token = 'sk-canary' }]\n");
  ASSERT_EQ(found.size(), 2u);
  for (const TrustedKey& key : found) EXPECT_THAT(key.value, ::testing::Not(HasSubstr("canary")));
}

TEST_F(TrustRules, WhatIsShownCannotSteerATerminalOrForgeALine) {
  const auto found =
      keys("[model]\nbase_url = \"x\\u009b31m\\u202e\\n\\u001b[2J\"\n\"a\\nb\" = 1\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].value, R"("x\u009B31m\u202E\n\u001b[2J")");
  EXPECT_EQ(found[1].name, R"(model."a\nb")");
}

TEST_F(TrustRules, TheRefusalListsKeysWithPlacesAndTheCommand) {
  const auto file = root_ / "quarry.toml";
  const Error error =
      not_trusted(file, keys("[log]\nlevel = 'info'\n[model]\nmax_steps = 99\n"), false);
  EXPECT_EQ(error.message,
            file.string() +
                " is not trusted, and sets values that only a trusted file may set:\n  " +
                file.string() + ":2:1: log.level\n  " + file.string() +
                ":4:1: model.max_steps is higher than 40, which applies without this file");
  EXPECT_THAT(error.hint, ::testing::EndsWith("quarry trust " + file.string()));
  EXPECT_EQ(error.tag, "ConfigError");
  EXPECT_THAT(not_trusted("/it's a/q", {}, true).hint, ::testing::EndsWith("'/it'\\''s a/q'"));
  EXPECT_THAT(not_trusted(file, {}, true).message, HasSubstr("has changed since it was trusted"));
}

TEST_F(TrustRules, TheRefusalOfAHostileFileHasABound) {
  std::string text = "[model]\n";
  for (int i = 0; i < 5000; ++i) text += std::string(300, 'k') + std::to_string(i) + " = 1\n";
  const Error error = not_trusted(root_ / "quarry.toml", keys(text), false);
  EXPECT_LT(error.message.size(), 10'000u);
  EXPECT_THAT(error.message, HasSubstr("and 4980 more"));
}

}  // namespace
}  // namespace quarry::config
