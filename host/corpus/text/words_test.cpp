#include "corpus/text/words.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  WordScanner scanner(text);
  for (std::string_view word; !(word = scanner.next()).empty();) words.push_back(word);
  return words;
}

TEST(Words, AreIdentifiersAndNumbersAsTheyStand) {
  EXPECT_THAT(words_in("int parse_request(const HTTPServer& s, 404);"),
              ElementsAre("int", "parse_request", "const", "HTTPServer", "s", "404"));
  EXPECT_THAT(words_in("a.b-c/d"), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(words_in(""), IsEmpty());
  EXPECT_THAT(words_in(" \n\t+-*/"), IsEmpty());
}

TEST(Words, OfOtherScriptsEndAtTheirPunctuation) {
  EXPECT_THAT(words_in("Größe « naïve »"), ElementsAre("Größe", "naïve"));
  EXPECT_THAT(words_in("one…two—three"), ElementsAre("one", "two", "three"));
  EXPECT_THAT(words_in("файл не найден"), ElementsAre("файл", "не", "найден"));
}

TEST(Words, WithoutSpacesComeAsPairs) {
  EXPECT_THAT(words_in("全文検索。"), ElementsAre("全文", "文検", "検索", "索"));
  EXPECT_THAT(words_in("use全"), ElementsAre("use", "全"));
}

TEST(Words, LongerThanAnyIdentifierAreSkipped) {
  EXPECT_THAT(words_in(std::string(65, 'x') + " end"), ElementsAre("end"));
  EXPECT_THAT(words_in(std::string(64, 'x')), ElementsAre(std::string(64, 'x')));
}

TEST(Words, SurviveBytesThatAreNotUtf8) {
  EXPECT_THAT(words_in("ok \xC3"), ElementsAre("ok", "\xC3"));
  EXPECT_THAT(words_in("\xF0\x9F"), ElementsAre("\xF0"));
}

TEST(Identifiers, AreCutWhereProgrammersJoin) {
  const std::pair<std::string_view, std::vector<std::string_view>> table[] = {
      {"parse_request", {"parse", "request"}},
      {"parseRequest", {"parse", "Request"}},
      {"HTTPServer", {"HTTP", "Server"}},
      {"HTTPServer2", {"HTTP", "Server", "2"}},
      {"base64Encode", {"base", "64", "Encode"}},
      {"__init__", {"init"}},
      {"MAX_SIZE", {"MAX", "SIZE"}},
      {"parseURLs", {"parse", "URLs"}},
      {"URLsOf", {"URLs", "Of"}},
      {"IOError", {"IO", "Error"}},
      {"x", {"x"}},
      {"___", {}},
  };
  for (const auto& [word, parts] : table) EXPECT_EQ(split_identifier(word), parts) << word;
}

TEST(Identifiers, AreFoundInAnyConvention) {
  for (const std::string_view word :
       {"parse_request", "parseRequest", "ParseRequest", "PARSE_REQUEST"}) {
    EXPECT_EQ(fold_identifier(word), "parserequest");
    EXPECT_THAT(terms_of(word).parts, ElementsAre("pars", "request"));
    EXPECT_EQ(terms_of(word).whole, "parsrequest");
  }
  EXPECT_EQ(join_stems("ParsingRequests"), "parsrequest");
}

TEST(Terms, LeaveOutSingleLettersAndLongNumbers) {
  EXPECT_THAT(terms_of("x").parts, IsEmpty());
  EXPECT_THAT(terms_of("123456").parts, IsEmpty());
  EXPECT_THAT(terms_of("404").parts, ElementsAre("404"));
  EXPECT_EQ(terms_of("utf8").whole, "utf8") << "a digit still belongs to the whole";
  EXPECT_EQ(terms_of("simple").whole, "") << "one part needs no second term";
}

TEST(LowerCase, CoversLatinGreekAndCyrillic) {
  EXPECT_EQ(lower_word("GRÖSSE"), "grösse");
  EXPECT_EQ(lower_word("ΑΒΓ"), "αβγ");
  EXPECT_EQ(lower_word("ФАЙЛ"), "файл");
  EXPECT_EQ(lower_word("ČŠ"), "čš");
  EXPECT_EQ(lower_word("全文"), "全文");
}

}  // namespace
}  // namespace quarry::corpus
