#include "cli/key_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

std::string type(const char* schema) {
  return type_text(*parse_json(schema));
}

TEST(KeyText, DescribesTypesAndRanges) {
  EXPECT_EQ(type(R"({"type":"integer","minimum":1,"maximum":1000})"), "integer, 1 to 1,000");
  EXPECT_EQ(type(R"({"type":"integer","minimum":0})"), "integer, at least 0");
  EXPECT_EQ(type(R"({"type":"integer","minimum":1})"), "integer, at least 1");
  EXPECT_EQ(type(R"({"type":"number","minimum":0,"maximum":2})"), "number, 0 to 2");
  EXPECT_EQ(type(R"({"type":["number","string"],"format":"decimal","minimum":0})"),
            "number or decimal text, at least 0");
  EXPECT_EQ(type(R"({"type":["boolean","null"]})"), "boolean");
  EXPECT_EQ(type(R"({"type":"string","minLength":1,"maxLength":4096})"),
            "text, at most 4,096 characters");
  EXPECT_EQ(type(R"({"enum":["a","b","c"]})"), R"(`"a"`, `"b"` or `"c"`)");
  EXPECT_EQ(type(R"({"type":"string","writeOnly":true})"), "secret");
}

TEST(KeyText, DescribesListsAndTables) {
  EXPECT_EQ(type(R"({"type":"array","items":{"type":"string"}})"), "list of texts");
  EXPECT_EQ(type(R"({"type":"array","maxItems":64,"items":{"maxLength":256}})"),
            "list of texts, at most 64 of at most 256 characters");
  EXPECT_EQ(type(R"({"type":"array","minItems":1,"maxItems":64,"items":{"maxLength":2048}})"),
            "list of texts, 1 to 64 of at most 2,048 characters");
  EXPECT_EQ(type(R"({"type":"object","additionalProperties":{"type":"string","maxLength":9}})"),
            "table of texts, each at most 9 characters");
  EXPECT_EQ(type(R"({"type":"object","additionalProperties":{}})"), "table");
}

TEST(KeyText, JoinsAlternatives) {
  EXPECT_EQ(type(R"({"anyOf":[{"type":"string"},{"type":"array","minItems":1}]})"),
            "text or list of texts");
  EXPECT_EQ(type(R"({"anyOf":[{"type":"integer","minimum":2,"maximum":3},{"enum":["a"]}]})"),
            R"(integer, 2 to 3; or `"a"`)");
}

TEST(KeyText, DescribesDefaults) {
  EXPECT_EQ(default_text({{"default", "a"}}, false), R"(`"a"`)");
  EXPECT_EQ(default_text({{"default", 1}, {"defaultDescription", "all"}}, false), "all");
  EXPECT_EQ(default_text({{"default", 1}}, true), "required");
  EXPECT_EQ(default_text(Json::object(), false), "—");
}

TEST(KeyText, TakesTheMarksOffMarkdown) {
  EXPECT_EQ(plain_text("A `\"x\"`, in [the order](#models)."), "A \"x\", in the order.");
}

TEST(KeyText, NamesWhatAnUntrustedFileMaySet) {
  EXPECT_EQ(trust_text(""), "refused");
  EXPECT_EQ(trust_text("https"), "an https URL");
}

}  // namespace
}  // namespace quarry::cli
