#include "corpus/query/symbol_name.h"

#include "corpus/query/word_finder.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SymbolNames parse(std::string_view text) {
  auto names = SymbolNames::parse(text);
  EXPECT_TRUE(names) << text;
  return names ? *names : SymbolNames();
}

TEST(SymbolName, HasScopesInEveryNotation) {
  for (const char* text : {"Outer::Parser::parse", "Outer.Parser.parse", "Outer::Parser#parse",
                           " Outer.Parser->parse() ", "Outer.Parser:parse(int, char)"}) {
    const auto names = parse(text);
    ASSERT_EQ(names.readings.size(), 2u) << text;
    EXPECT_THAT(names.readings[1].scopes, ElementsAre("Outer", "Parser")) << text;
    EXPECT_EQ(names.readings[1].name, "parse") << text;
  }
}

TEST(SymbolName, IsAlsoReadAsAWhole) {
  EXPECT_EQ(parse("v1.2 notes").readings[0].name, "v1.2 notes");
  const auto plain = parse("parse_date");
  ASSERT_EQ(plain.readings.size(), 1u);
  EXPECT_THAT(plain.readings[0].scopes, IsEmpty());
  for (const char* text : {"#render", "::render", ".render"}) {
    EXPECT_EQ(parse(text).readings[1].name, "render") << text;
    EXPECT_THAT(parse(text).readings[1].scopes, IsEmpty()) << text;
  }
}

TEST(SymbolName, MayBeThatOfAnOperator) {
  EXPECT_EQ(parse("operator()").readings[0].name, "operator()");
  EXPECT_EQ(parse("operator->").readings.size(), 1u);
  EXPECT_EQ(parse("Point::operator*").readings[1].name, "operator*");
  EXPECT_FALSE(parse("Point::operator*").is_prefix);
  EXPECT_EQ(parse("Parser::~Parser").readings[1].name, "~Parser");
}

TEST(SymbolName, WithAStarIsAPrefix) {
  const auto names = parse("Parser.par*");
  EXPECT_TRUE(names.is_prefix);
  EXPECT_EQ(names.readings[1].name, "par");
}

TEST(SymbolName, WithoutANameIsRefused) {
  for (const char* text : {"", " ", "::", "."}) {
    const auto names = SymbolNames::parse(text);
    ASSERT_FALSE(names) << text;
    EXPECT_TRUE(names.error().message.starts_with("name: ")) << text;
  }
}

TEST(SymbolName, MatchesByDegrees) {
  EXPECT_EQ(match_name("parse", "parse"), SymbolMatch::kExact);
  EXPECT_EQ(match_name("Parse", "parse"), SymbolMatch::kFolded);
  EXPECT_EQ(match_name("Parse_date", "parse"), SymbolMatch::kPrefix);
  EXPECT_EQ(match_name("pars", "parse"), std::nullopt);
  EXPECT_EQ(match_name("reparse", "parse"), std::nullopt);
}

std::optional<SymbolMatch> scopes(std::vector<std::string> wanted,
                                  std::vector<std::string_view> parents, std::string_view before,
                                  std::string_view path = "src/file.x") {
  const ScopeMatcher matcher(wanted);
  const auto match = matcher.match({parents, path, [before] { return before; }});
  WordMask words = words_mask(path) | words_mask(before);
  for (const auto parent : parents) words |= words_mask(parent);
  EXPECT_TRUE(!match || matcher.may_match(words)) << before;
  return match;
}

TEST(SymbolScopes, AreThoseOfWhatEncloses) {
  EXPECT_EQ(scopes({"Parser"}, {"Parser", "ns"}, ""), SymbolMatch::kExact);
  EXPECT_EQ(scopes({"ns", "Parser"}, {"Parser", "ns"}, ""), SymbolMatch::kExact);
  EXPECT_EQ(scopes({"NS", "Parser"}, {"Parser", "ns"}, ""), SymbolMatch::kFolded);
  EXPECT_EQ(scopes({"ns"}, {"Parser", "ns"}, ""), std::nullopt) << "the innermost comes first";
  EXPECT_EQ(scopes({"Other", "Parser"}, {"Parser"}, ""), std::nullopt);
}

TEST(SymbolScopes, MayStandBeforeTheName) {
  EXPECT_EQ(scopes({"Parser"}, {}, "void Parser::"), SymbolMatch::kExact);
  EXPECT_EQ(scopes({"Parser"}, {}, "func (p *Parser) "), SymbolMatch::kExact);
  EXPECT_EQ(scopes({"ns", "Parser"}, {"ns"}, "void Parser::"), SymbolMatch::kExact);
  EXPECT_EQ(scopes({"Parser"}, {}, "void SubParser::"), std::nullopt) << "as a word";
}

TEST(SymbolScopes, MayBeThoseOfTheFile) {
  EXPECT_EQ(scopes({"json", "decoder"}, {}, "", "Lib/json/decoder.py"), SymbolMatch::kExact);
  EXPECT_EQ(scopes({"decoder", "Reader"}, {"Reader"}, "", "Lib/json/decoder.py"),
            SymbolMatch::kExact);
  EXPECT_EQ(scopes({"http"}, {}, "", "net/http/server.go"), SymbolMatch::kExact);
  EXPECT_EQ(scopes({"net"}, {}, "", "net/http/server.go"), std::nullopt);
  EXPECT_EQ(scopes({"file"}, {}, "", "file.x"), SymbolMatch::kExact);
}

TEST(SymbolScopes, MayBeOfAnyBytes) {
  EXPECT_EQ(scopes({"my-app"}, {}, "", "my-app/file.x"), SymbolMatch::kExact);
  EXPECT_EQ(scopes({"operator()"}, {"operator()"}, ""), SymbolMatch::kExact);
  EXPECT_EQ(scopes({"@scope"}, {}, "@scope/"), SymbolMatch::kExact);
  EXPECT_EQ(scopes({"()"}, {"()"}, ""), SymbolMatch::kExact);
}

TEST(SymbolScopes, AreToldApartByTheirWords) {
  const std::vector<std::string> wanted{"ns", "Parser"};
  const ScopeMatcher matcher(wanted);
  EXPECT_TRUE(matcher.may_match(words_mask("void NS::Parser::")));
  EXPECT_FALSE(matcher.may_match(words_mask("Parser")));
  EXPECT_FALSE(matcher.may_match(words_mask("ns")));
}

TEST(WordFinder, FindsWholeWords) {
  const WordFinder finder("parse");
  EXPECT_EQ(finder.find("reparse parse_x (parse)", 0), 17u);
  EXPECT_EQ(finder.find("parse", 0), 0u);
  EXPECT_EQ(finder.find("parse", 1), WordFinder::npos);
  EXPECT_FALSE(finder.is_in("Parse"));
  EXPECT_FALSE(finder.is_in("parse\xC3\xA9"));
  EXPECT_TRUE(finder.is_in("$parse"));
}

TEST(WordFinder, FindsOtherSpellings) {
  using Spelling = WordFinder::Spelling;
  EXPECT_TRUE(WordFinder("Parse", Spelling::kFolded).is_in("x = PARSE;"));
  EXPECT_FALSE(WordFinder("Parse", Spelling::kFolded).is_in("parser"));
  EXPECT_TRUE(WordFinder("Parse", Spelling::kPrefix).is_in("parser"));
  EXPECT_FALSE(WordFinder("Parse", Spelling::kPrefix).is_in("reparse"));
}

TEST(WordFinder, TakesNamesThatAreNoIdentifiers) {
  EXPECT_TRUE(WordFinder("~Parser").is_in("Parser::~Parser()"));
  EXPECT_TRUE(WordFinder("operator<<").is_in("operator<<x"));
  EXPECT_FALSE(WordFinder("~Parser").is_in("~Parsers"));
}

}  // namespace
}  // namespace quarry::corpus
