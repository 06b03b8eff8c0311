#include "config/nesting.h"

#include "config/document.h"

#include <gmock/gmock.h>

namespace quarry::config {
namespace {

std::string repeated(const std::string& text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

/// A key with `levels` parts.
std::string dotted(std::size_t levels) {
  return repeated("a.", levels - 1) + "a";
}

bool is_refused(const std::string& text) {
  const bool deep = nested_too_deep(text).has_value();
  EXPECT_EQ(deep, !parse_document(text, "q")) << text.substr(0, 200);
  return deep;
}

TEST(Nesting, HasTheSameLimitHoweverItIsWritten) {
  const std::size_t most = kMaxNesting;
  EXPECT_FALSE(is_refused(dotted(most) + " = 1"));
  EXPECT_TRUE(is_refused(dotted(most + 2) + " = 1"));
  EXPECT_FALSE(is_refused("[" + dotted(most) + "]\n"));
  EXPECT_TRUE(is_refused("[" + dotted(most + 2) + "]\n"));
  EXPECT_TRUE(is_refused("[[" + dotted(most + 2) + "]]\n"));
  EXPECT_FALSE(is_refused("a = " + repeated("[", most) + repeated("]", most)));
  EXPECT_TRUE(is_refused("a = " + repeated("[", most + 1) + repeated("]", most + 1)));
  EXPECT_FALSE(is_refused("a = " + repeated("{a = ", most) + "1" + repeated("}", most)));
  EXPECT_TRUE(is_refused("a = " + repeated("{a = ", most + 1) + "1" + repeated("}", most + 1)));
}

TEST(Nesting, CountsHeaderKeyAndValueTogether) {
  const std::string third = dotted(kMaxNesting / 3);
  EXPECT_FALSE(is_refused("[" + third + "]\nb." + third + " = {c." + third + " = 1}\n"));
  EXPECT_TRUE(
      is_refused("[" + third + "]\nb." + third + " = {c." + third + "." + third + " = 1}\n"));
  EXPECT_TRUE(is_refused("[" + third + "]\nb." + third + " = [{x = 1}, {c." + third + "." + third +
                         " = 1}]\n"));
}

TEST(Nesting, IsNotThatOfNeighbours) {
  EXPECT_FALSE(is_refused(repeated("[" + dotted(20) + "]\n", 1) + "x = 1.5\n" +
                          repeated("[[b.c]]\nd.e = [[1.5, 2.5], [3.5]]\n", 100)));
  EXPECT_FALSE(is_refused("a = [" + repeated("{b.c = [1.5], d.e = 2.5},\n", 200) + "]"));
}

TEST(Nesting, IsNotReadFromStringsAndComments) {
  const std::string deep = repeated("[", 100) + repeated("{", 100) + repeated(".", 100);
  EXPECT_FALSE(is_refused("# " + deep + "\na = 1 # " + deep + "\n"));
  EXPECT_FALSE(is_refused("a = \"\\\"" + deep + "\"\nb = '" + deep + "\\'\n"));
  EXPECT_FALSE(
      is_refused("a = \"\"\"\"\"" + deep + "\\\"\"\"" + deep + "\n" + deep + "\"\"\"\"\"\n"));
  EXPECT_FALSE(is_refused("a = '''\n'' " + deep + "\n'''''\n"));
  EXPECT_FALSE(is_refused("\"" + deep + "\".'" + deep + "' = \"\"\nb = ''\n"));
}

TEST(Nesting, IsFoundBehindStringsThatEndWithQuotes) {
  const std::string deep = " = " + repeated("[", 100) + repeated("]", 100) + "\n";
  EXPECT_TRUE(is_refused("a = \"\"\"x\"\"\"\"\"\nb" + deep));
  EXPECT_TRUE(is_refused("a = '''x'''''\nb" + deep));
  EXPECT_TRUE(is_refused("a = \"\\\\\"\nb" + deep));
  EXPECT_TRUE(is_refused("a = '\\'\nb" + deep));
  EXPECT_TRUE(is_refused("a = \"\"\nb" + deep));
  EXPECT_TRUE(is_refused("a = \"\"\"\\\n\"\"\"\nb" + deep));
}

TEST(Nesting, OfFiftyThousandLevelsIsAnErrorWithItsPlace) {
  constexpr std::size_t kMany = 50'000;
  for (const std::string& text :
       {dotted(kMany) + " = 1\n", "[" + dotted(kMany) + "]\n",
        "a = " + repeated("[", kMany) + repeated("]", kMany) + "\n",
        "a = " + repeated("{a = ", kMany) + "1" + repeated("}", kMany) + "\n"}) {
    const auto parsed = parse_document("# first\n" + text, "dir/quarry.toml");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().tag, "ConfigError");
    EXPECT_THAT(parsed.error().message, ::testing::StartsWith("dir/quarry.toml:2:"));
    EXPECT_THAT(parsed.error().message, ::testing::HasSubstr("nested deeper than 32 levels"));
  }
}

}  // namespace
}  // namespace quarry::config
