#include "cli/mcp/jsonc_edit.h"

#include <random>

#include <gmock/gmock.h>

namespace quarry::cli {
namespace {

using ::testing::HasSubstr;

const Json kEntry{{"command", "quarry"}, {"args", {"mcp"}}};

JsoncEdit open(std::string text) {
  auto edit = JsoncEdit::of(std::move(text), JsonDialect::kWithComments, "f.json");
  if (!edit) ADD_FAILURE() << edit.error().message;
  return std::move(*edit);
}

/// `text` after merging `kEntry` at servers.q.
std::string merged(std::string text) {
  JsoncEdit edit = open(std::move(text));
  const Status done = edit.merge({"servers", "q"}, kEntry);
  if (!done) ADD_FAILURE() << done.error().message;
  EXPECT_EQ(edit.value()["servers"]["q"]["args"], Json({"mcp"}));
  return edit.text();
}

std::string removed(std::string text, const JsoncEdit::Path& path) {
  JsoncEdit edit = open(std::move(text));
  EXPECT_TRUE(edit.remove(path));
  return edit.text();
}

TEST(JsoncEdit, MakesAFileThatIsNotThere) {
  const std::string want =
      "{\n  \"servers\": {\n    \"q\": {\n      \"args\": [\"mcp\"],\n"
      "      \"command\": \"quarry\"\n    }\n  }\n}\n";
  EXPECT_EQ(merged(""), want);
  EXPECT_EQ(merged("{}\n"), want);
  EXPECT_EQ(merged(want), want) << "once is enough";
}

TEST(JsoncEdit, KeepsCommentsOrderAndIndentation) {
  EXPECT_EQ(
      merged("// mine\n{\n\t\"z\": 1, // last\n\t\"a\": [1,2] /* odd */ // yes\n\t// end\n}\n"),
      "// mine\n{\n\t\"z\": 1, // last\n\t\"a\": [1,2], /* odd */ // yes\n"
      "\t\"servers\": {\n\t\t\"q\": {\n\t\t\t\"args\": [\"mcp\"],\n"
      "\t\t\t\"command\": \"quarry\"\n\t\t}\n\t}\n\t// end\n}\n");
}

TEST(JsoncEdit, AddsBesideOthersWithAndWithoutACommaAtTheEnd) {
  EXPECT_EQ(merged("{\n  \"servers\": {\n    \"x\": {}\n  }\n}"),
            "{\n  \"servers\": {\n    \"x\": {},\n    \"q\": {\n      \"args\": [\"mcp\"],\n"
            "      \"command\": \"quarry\"\n    }\n  }\n}");
  EXPECT_EQ(merged("{\n  \"servers\": {\n    \"x\": {}, // that\n  },\n}"),
            "{\n  \"servers\": {\n    \"x\": {}, // that\n    \"q\": {\n"
            "      \"args\": [\"mcp\"],\n      \"command\": \"quarry\"\n    }\n  },\n}");
}

TEST(JsoncEdit, KeepsTheEndsOfLines) {
  const std::string text = merged("{\r\n  \"a\": 1 // x\r\n}\r\n");
  EXPECT_THAT(text, HasSubstr("{\r\n  \"a\": 1, // x\r\n  \"servers\": {\r\n    \"q\""));
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at) {
    EXPECT_EQ(text[at - 1], '\r');
  }
}

TEST(JsoncEdit, TakesTextsOfOneLine) {
  EXPECT_THAT(merged("{\"a\": 1}"), ::testing::StartsWith("{\"a\": 1, \"servers\": {"));
  EXPECT_THAT(merged("{\"a\": 1,}"), ::testing::StartsWith("{\"a\": 1, \"servers\": {"));
  EXPECT_THAT(merged("{\"servers\": {}}"), HasSubstr("\"q\""));
  EXPECT_THAT(merged("{ /* none */ }"), HasSubstr("/* none */"));
  EXPECT_THAT(merged("// none yet"), HasSubstr("// none yet\n{"));
}

TEST(JsoncEdit, ChangesOnlyTheMembersThatDiffer) {
  EXPECT_EQ(merged("{\"servers\": {\"q\": {\"env\": {\"A\": \"b\"}, \"command\": \"old\" /* c */,"
                   " \"args\": [ \"mcp\" ]}}}"),
            "{\"servers\": {\"q\": {\"env\": {\"A\": \"b\"}, \"command\": \"quarry\" /* c */,"
            " \"args\": [ \"mcp\" ]}}}");
}

TEST(JsoncEdit, MergesObjectsWithinObjects) {
  JsoncEdit edit = open("{\"q\": {\"headers\": {\"X\": \"1\"}}}");
  ASSERT_TRUE(edit.merge({"q"}, Json{{"headers", {{"A", "2"}}}}));
  EXPECT_EQ(edit.text(), "{\"q\": {\"headers\": {\"X\": \"1\", \"A\": \"2\"}}}");
}

TEST(JsoncEdit, AppendsToAList) {
  JsoncEdit edit = open("{\n  \"list\": [\n    {\"id\": 1} // one\n  ]\n}\n");
  ASSERT_TRUE(edit.append({"list"}, Json{{"id", 2}}));
  EXPECT_EQ(edit.text(),
            "{\n  \"list\": [\n    {\n      \"id\": 2\n    },\n    {\"id\": 1} // one\n  ]\n}\n");
  ASSERT_TRUE(edit.append({"new"}, "x"));
  EXPECT_EQ(edit.value()["new"], Json({"x"}));
  EXPECT_FALSE(edit.append({"list", "0"}, 1));
}

TEST(JsoncEdit, RemovesAMemberAndNothingElse) {
  const char* lines = "{\n  \"a\": 1, // one\n  \"b\": {\n    \"c\": 2\n  },\n  \"d\": 3\n}\n";
  EXPECT_EQ(removed(lines, {"b"}), "{\n  \"a\": 1, // one\n  \"d\": 3\n}\n");
  EXPECT_EQ(removed(lines, {"d"}), "{\n  \"a\": 1, // one\n  \"b\": {\n    \"c\": 2\n  }\n}\n");
  EXPECT_EQ(removed(lines, {"b", "c"}), "{\n  \"a\": 1, // one\n  \"b\": {\n  },\n  \"d\": 3\n}\n");
  EXPECT_EQ(removed("{\"a\": 1, \"b\": 2}", {"a"}), "{\"b\": 2}");
  EXPECT_EQ(removed("{\"a\": 1, \"b\": 2}", {"b"}), "{\"a\": 1 }");
  EXPECT_EQ(removed("{\n  \"a\": 1 // x, y\n  , \"b\": 2\n}", {"b"}),
            "{\n  \"a\": 1 // x, y\n   \n}");
  EXPECT_EQ(removed(lines, {"x"}), lines);
  EXPECT_EQ(removed(lines, {"x", "y"}), lines);
}

TEST(JsoncEdit, RefusesWhatItCannotKeep) {
  JsoncEdit edit = open("{\"servers\": []}");
  EXPECT_THAT(edit.merge({"servers", "q"}, kEntry).error().message,
              HasSubstr("f.json: servers is not an object"));
  const auto list = JsoncEdit::of("[]", JsonDialect::kWithComments, "f.json");
  EXPECT_THAT(list.error().message, HasSubstr("not an object"));
  const auto broken = JsoncEdit::of("{", JsonDialect::kWithComments, "f.json");
  EXPECT_THAT(broken.error().message, HasSubstr("f.json:1:2"));
}

/// A random object with comments, one line or many, and trailing commas.
std::string some_object(std::minstd_rand& random, int depth) {
  const auto pick = [&](std::initializer_list<const char*> from) {
    return std::string(from.begin()[random() % from.size()]);
  };
  std::string out = "{" + pick({"", " ", "\n", "\n  ", " // a, \"b\": {\n", "/* } */"});
  const std::size_t count = random() % 4;
  for (std::size_t i = 0; i < count; ++i) {
    out += '"' + std::string(1, static_cast<char>('a' + i)) + "\"" + pick({":", " : ", ":/* , */"});
    out += depth > 0 && random() % 2 == 0
               ? some_object(random, depth - 1)
               : pick({"1", "\"x, } // y\"", "[1, {\"a\": 2}]", "{}", "null"});
    out += pick({"", " ", " // c, d\n", "/* , */", "\n"});
    if (i + 1 < count || random() % 2 == 0) out += "," + pick({"", " ", "\n\t", " // e\n", "\r\n"});
  }
  return out + "}";
}

TEST(JsoncEdit, MeansWhatItShouldWhateverTheTextLooksLike) {
  std::minstd_rand random(7);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = some_object(random, 3);
    SCOPED_TRACE(text);
    JsoncEdit edit = open(text);
    Json want = edit.value();
    if (!want.contains("b") || want["b"].is_object()) {
      ASSERT_TRUE(edit.merge({"b", "q"}, kEntry));
      want["b"]["q"].update(kEntry);
      ASSERT_EQ(edit.value(), want);
      ASSERT_TRUE(edit.remove({"b", "q", "args"}));
      want["b"]["q"].erase("args");
      ASSERT_EQ(edit.value(), want);
    }
    for (const char* name : {"c", "a", "b"}) {
      ASSERT_TRUE(edit.remove({name}));
      want.erase(name);
      ASSERT_EQ(edit.value(), want);
    }
  }
}

}  // namespace
}  // namespace quarry::cli
