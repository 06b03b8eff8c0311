#include "config/check.h"

#include "config/testing/config_fixture.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::config {
namespace {

using ::testing::ElementsAre;

/// `text` as a document, without its violations.
Json pruned(const std::string& text) {
  auto document = *parse_document(text, "quarry.toml");
  remove_violations(document.root, violations_in(document));
  return std::move(document.root);
}

TEST(Check, KeepsTheValuesWithoutViolations) {
  EXPECT_EQ(pruned("[model]\nmax_steps = 0\nmax_seconds = 5\n[sever]\nx = 1\n"),
            *parse_json(R"({"model":{"max_seconds":5}})"));
  EXPECT_EQ(pruned("resource = 1\nplugin_path = [1, \"/p\"]\nlocal_roots = [\"/r\"]\n"),
            *parse_json(R"({"local_roots":["/r"]})"));
}

TEST(Check, KeepsAResourceThatCanBeRead) {
  EXPECT_EQ(pruned("[[resource]]\ntype = 'git'\nname = '../a'\nrefresh = 'soon'\nurl = 1\n"
                   "[[resource]]\ntype = 'git'\n[[resource]]\ntype = 2\nname = 'b'\n"),
            *parse_json(R"({"resource":[{"type":"git","name":"../a","url":1},null,null]})"));
}

TEST(Check, RemovesTheOptionsOfAWrongProvider) {
  EXPECT_EQ(pruned("[store]\nprovider = 1\nurl = 'x'\n[model.a]\nprovider = 1\nbase_url = 'x'\n"
                   "[model.B]\nprovider = 'openai'\n"),
            *parse_json(R"({"model":{"B":{"provider":"openai"}}})"));
}

TEST(Check, NamesKeysAsTheyStandInAFile) {
  const Json root = *parse_json(R"({"resource":[{"name":"kit"},{"name":"@a/b"},{}]})");
  EXPECT_EQ(dotted_key(root, "/model/max_steps"), "model.max_steps");
  EXPECT_EQ(dotted_key(root, "/resource/0/url"), "resource.kit.url");
  EXPECT_EQ(dotted_key(root, "/resource/1/url"), "resource.\"@a/b\".url");
  EXPECT_EQ(dotted_key(root, "/resource/2/url"), "resource.2.url");
  EXPECT_EQ(dotted_key(root, "/pricing/static/a~1b"), "pricing.static.\"a/b\"");
  EXPECT_EQ(dotted_key(root, ""), "");
}

TEST(Check, PlacesTheMistakesOfATable) {
  Table table;
  table.places = {{"", {"f", 1, 1}}, {"/listen", {"f", 2, 1}}};
  const auto found =
      at_places(table, "transport.rest", {{"/listen", "is wrong"}, {"/x", "is required"}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].place.text(), "f:2:1");
  EXPECT_EQ(found[0].key, "transport.rest.listen");
  EXPECT_EQ(found[0].message, "\"listen\" is wrong");
  EXPECT_EQ(found[1].place.text(), "f:1:1");
}

TEST(Check, MakesOneErrorOfMistakes) {
  const Error error =
      mistakes_error({{{"f", 2, 1}, "a", "is wrong", ""}, {{}, "b", "too", "Say b"}});
  EXPECT_EQ(error.message, "f:2:1: is wrong\ntoo; Say b");
  EXPECT_EQ(error.tag, "ConfigError");
  EXPECT_EQ(error.details.size(), 2u);
}

}  // namespace
}  // namespace quarry::config
