#include "corpus/query/line_pattern.h"

#include "base/executor.h"
#include "corpus/index/trigram_format.h"
#include "corpus/segment/testing/directory_fixture.h"
#include "corpus/text/literal_finder.h"

#include <random>

#include <gmock/gmock.h>
#include <re2/re2.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> found(std::string_view pattern, std::string_view block,
                               bool ignore_case = false) {
  const auto compiled = LinePattern::compile(pattern, ignore_case);
  if (!compiled) return {"error: " + compiled.error().message};
  std::vector<std::string> lines;
  compiled->scan(block, [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  });
  return lines;
}

std::string refusal(std::string_view pattern) {
  const auto compiled = LinePattern::compile(pattern, false);
  if (compiled) return "accepted";
  EXPECT_EQ(compiled.error().code, Code::kInvalidArgument);
  EXPECT_NE(compiled.error().hint, "");
  return compiled.error().message;
}

const std::string kTexts("one\ntwo\n\0three one\nfour\0\0five one", 34);

TEST(LinePattern, FindsALiteralInEveryText) {
  EXPECT_THAT(found("one", kTexts), ElementsAre("one", "three one", "five one"));
  EXPECT_THAT(found("ONE", kTexts, true), ElementsAre("one", "three one", "five one"));
  EXPECT_THAT(found("six", kTexts), IsEmpty());
}

TEST(LinePattern, AnchorsAtTheLinesOfEveryText) {
  EXPECT_THAT(found("^four$", kTexts), ElementsAre("four"));
  EXPECT_THAT(found("^(one|five)", kTexts), ElementsAre("one", "five one"));
  EXPECT_THAT(found("o$", kTexts), ElementsAre("two"));
  EXPECT_THAT(found(R"(\Afour\z)", kTexts), ElementsAre("four"));
}

TEST(LinePattern, NeverCrossesALine) {
  EXPECT_THAT(found(R"(one\s+two)", "one\ntwo"), IsEmpty());
  EXPECT_THAT(found("one[^x]two", std::string_view("one\ntwo\0one\0two", 15)), IsEmpty());
  EXPECT_THAT(found("(?s)one.two", "one\ntwo"), IsEmpty());
  EXPECT_THAT(found(R"([\n]|two)", "one\ntwo"), ElementsAre("two"));
}

TEST(LinePattern, AnEmptyMatchIsOnEveryLine) {
  EXPECT_THAT(found("x*", "a\n\nb\n"), ElementsAre("a", "", "b"));
  EXPECT_THAT(found("", "a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(found("^$", "a\n\nb\n"), ElementsAre(""));
  EXPECT_THAT(found("$", ""), IsEmpty());
}

// dgopsq/netgrep#44, rust-lang/regex#244
TEST(LinePattern, EndsALineBeforeCarriageReturnAndNewline) {
  EXPECT_THAT(found("one$", "one\r\ntwo\r\n"), ElementsAre("one\r"));
  EXPECT_THAT(found("(?i)ONE$", "one\r\n"), ElementsAre("one\r"));
  EXPECT_THAT(found("[a-z]$", "one\r\n2\r\n"), ElementsAre("one\r"));
  EXPECT_THAT(found("one$", "one\r"), ElementsAre("one\r")) << "the last line";
}

// BurntSushi/ripgrep#1568: a whole line; 0x7c13/Notepads#645: ^…$; casey/just#292: the line's end
TEST(LinePattern, MatchesWholeAndEmptyLinesOfFilesWithCrlf) {
  EXPECT_THAT(found("^one$", "one\r\none two\r\n"), ElementsAre("one\r"));
  EXPECT_THAT(found("^$", "one\r\n\r\ntwo\r\n"), ElementsAre("\r"));
  EXPECT_THAT(found(R"(\Aone\z)", "one\r\n"), ElementsAre("one\r"));
  EXPECT_THAT(found("[^;]$", "one;\r\ntwo\r\n"), ElementsAre("two\r")) << "no CR for a character";
  EXPECT_THAT(found(R"(\s$)", "one\r\ntwo \r\n"), ElementsAre("two \r"));
}

TEST(LinePattern, FindsTheCarriageReturnThatItNames) {
  for (const char* pattern :
       {R"(e\r$)", "e\r", R"(e\x0d)", R"(e\x{D}$)", R"(e[\r;]$)", R"(e\u000d)"}) {
    EXPECT_THAT(found(pattern, "one\r\none\n"), ElementsAre("one\r")) << pattern;
  }
  EXPECT_THAT(found(R"(one\r?$)", "one\r\none\n"), ElementsAre("one\r", "one"));
  EXPECT_THAT(found(R"(one\\r)", "one\r\n"), IsEmpty()) << "a backslash and r";
}

TEST(LinePattern, ClassesAreThoseOfUnicode) {
  EXPECT_THAT(found(R"(^\w+$)", "stra\u00DFe\nno no\n"), ElementsAre("stra\u00DFe"));
  EXPECT_THAT(found(R"(^\W$)", "\u00E9\n-\n"), ElementsAre("-"));
  EXPECT_THAT(found(R"(^\d$)", "\u0663\n"), ElementsAre("\u0663"));
  EXPECT_THAT(found(R"(^[\d]$)", "\u0663\nx\n"), ElementsAre("\u0663"));
  EXPECT_THAT(found(R"(a\sb)", "a\u00A0b\na\vb\n"), ElementsAre("a\u00A0b", "a\vb"));
  EXPECT_THAT(found(R"(a[\S]b)", "a\u00A0b\na-b\n"), ElementsAre("a-b"));
  EXPECT_THAT(found(R"(^[^\w]$)", "\u00E9\n-\n"), ElementsAre("-"));
}

TEST(LinePattern, FoldsLettersThatAreNotAscii) {
  EXPECT_THAT(found("kiss", "\u212Ai\u017Fs\nKISS\n", true), ElementsAre("\u212Ai\u017Fs", "KISS"));
  EXPECT_THAT(found("x(?i:kiss)", "x\u212Ai\u017Fs\nKISS\n"), ElementsAre("x\u212Ai\u017Fs"));
  for (const char* kelvin : {"\u212Aiss", "\\x{212A}iss", "\\u212aiss", "[\u212A]iss"}) {
    EXPECT_THAT(found(kelvin, "\u212Aiss\nkiss\n"), ElementsAre("\u212Aiss")) << kelvin;
  }
  EXPECT_THAT(found("kiss|mask", "\u212Aiss\nma\u017Fk\nkiss\n"), ElementsAre("kiss"));
  EXPECT_THAT(found("STRA\u00DFE", "stra\u1E9Ee\n", true), ElementsAre("stra\u1E9Ee"));
  EXPECT_THAT(found("\u00C9t\u00E9", "\u00E9T\u00C9\n", true), ElementsAre("\u00E9T\u00C9"));
}

TEST(LinePattern, UnderstandsSpellingsOfOtherLanguages) {
  EXPECT_THAT(found(R"(\u00e9|\u{e8})", "\u00E9\n\u00E8\ne\n"), ElementsAre("\u00E9", "\u00E8"));
  EXPECT_THAT(found(R"((?<word>on)e)", "one\n"), ElementsAre("one"));
  EXPECT_THAT(found(R"(\Qa.b\E)", "a.b\naxb\n"), ElementsAre("a.b"));
  EXPECT_THAT(found(R"(main\(\) \{)", "main() {\n"), ElementsAre("main() {"));
}

TEST(LinePattern, StopsWhenToldTo) {
  int calls = 0;
  for (const std::string_view pattern : {"o", "[o]+", R"(\Ao|o)"}) {
    LinePattern::compile(pattern, false)->scan("o\no\no\n", [&](std::string_view) {
      ++calls;
      return false;
    });
  }
  EXPECT_EQ(calls, 3);
}

TEST(LinePattern, SaysWhereItFirstMatches) {
  const auto pattern = *LinePattern::compile("b+", false);
  EXPECT_EQ(pattern.find("aabb"), 2u);
  EXPECT_EQ(pattern.find("aa"), std::string_view::npos);
}

TEST(LinePattern, SaysWhatIsWrong) {
  EXPECT_THAT(refusal("(one"), HasSubstr("missing )"));
  EXPECT_THAT(refusal("a**"), HasSubstr("**"));
  EXPECT_THAT(refusal("(?=x)"), HasSubstr("(?="));
  EXPECT_THAT(refusal(R"((a)\1)"), HasSubstr(R"(\1)"));
  EXPECT_THAT(refusal(R"(a\nb)"), HasSubstr("newline"));
  EXPECT_THAT(refusal("a\nb"), HasSubstr("newline"));
  EXPECT_THAT(refusal(R"(\Ca)"), HasSubstr("\\C"));
  EXPECT_THAT(refusal(R"(((\w{100}){100}){100})"), HasSubstr("repetition"));
  EXPECT_THAT(refusal(R"((\pL{500}|\w{500}))"), HasSubstr("too large"));
  EXPECT_THAT(refusal("["), HasSubstr("missing ]"));
  EXPECT_THAT(refusal("\\"), HasSubstr("trailing"));
}

TEST(LinePattern, StaysLinearOnPatternsThatExplodeElsewhere) {
  const std::string line = std::string(1 << 20, 'a') + "!";
  EXPECT_THAT(found("(a+)+$", line), IsEmpty());
  EXPECT_THAT(found("(a|aa)*b", line), IsEmpty());
  EXPECT_THAT(found("(a*)*(a*)*[b-z]", line), IsEmpty());
  EXPECT_EQ(found("x{1000}|a{1000}", line).size(), 1u);
  EXPECT_THAT(found("(a|b|ab)*c", line), IsEmpty());
}

class Narrowing : public DirectoryFixture {
 protected:
  std::vector<FileId> candidates(std::string_view pattern, bool ignore_case = false) {
    const std::vector<std::string_view> texts = {"alpha beta", "gamma beta", "gamma delta", "Alpha",
                                                 "\u212Aappa"};
    const TrigramShape shape{texts.size(), 100};
    const auto out = new_directory() / "trigrams";
    InlineExecutor executor;
    EXPECT_TRUE(write_trigrams(texts, shape, out, executor, {}));
    const auto index = *open_trigrams(out, shape);
    const auto which = LinePattern::compile(pattern, ignore_case)->candidates(*index, 5);
    std::vector<FileId> files;
    for (FileId file = 0; file < 5; ++file) {
      if (!which || (*which)[file]) files.push_back(file);
    }
    return files;
  }
};

TEST_F(Narrowing, FollowsTheLogicOfThePattern) {
  EXPECT_THAT(candidates("alpha|delta"), ElementsAre(0, 2, 3));
  EXPECT_THAT(candidates("gamma.*beta"), ElementsAre(1));
  EXPECT_THAT(candidates("(alpha|gamma) beta"), ElementsAre(0, 1));
  EXPECT_THAT(candidates("omega"), IsEmpty());
  EXPECT_THAT(candidates("[a-z]+"), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(candidates("(alpha)?"), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(Narrowing, ReadsFilesWhoseLettersFoldOnlyWhenThePatternDoes) {
  EXPECT_THAT(candidates("kappa|delta"), ElementsAre(2));
  EXPECT_THAT(candidates("kappa|delta", true), ElementsAre(2, 4));
  EXPECT_THAT(candidates("(?i)kappa"), ElementsAre(4));
  EXPECT_THAT(candidates("(?i:k)appa"), ElementsAre(4));
  EXPECT_THAT(candidates("\u212Aappa"), ElementsAre(4));
  EXPECT_THAT(candidates("\\x{212A}appa"), ElementsAre(4));
}

/// Every method of scanning must find the same as RE2 applied to each line.
TEST(LinePattern, FindsWhatALineByLineLookFinds) {
  std::mt19937 random(11);
  const auto pick = [&](auto&&... of) {
    const std::string_view all[] = {of...};
    return all[random() % std::size(all)];
  };
  std::string text;
  for (int i = 0; i < 4000; ++i) {
    text += pick("ab", "ba", "Abc", "k", "s", "\u017F", "\u212A", " ", "x1", "22", "\r");
    if (random() % 6 == 0) text += '\n';
    if (random() % 90 == 0) text += '\0';
  }
  for (int round = 0; round < 400; ++round) {
    std::string pattern = "(?m)";
    for (unsigned parts = 1 + random() % 3; parts > 0; --parts) {
      pattern += pick("ab", "bab", "abc", "k", "s", "kk", "x1", "[^b]", ".", "\\r", "2+", "(ab|ba)",
                      "(abc|x|k)?", "^", "$", "[0-9]", "b{1,2}", "\\b", ".*");
    }
    const bool ignore_case = random() % 2 == 0;
    RE2::Options options;
    options.set_case_sensitive(!ignore_case);
    const RE2 regex(pattern, options);
    std::vector<std::string> expected;
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end =
          std::min(text.find_first_of(std::string_view("\n\0", 2), from), text.size());
      const bool line = end > from || text[end] == '\n';
      const bool returns = end > from && text[end - 1] == '\r';
      const bool matches =
          RE2::PartialMatch({text.data() + from, end - from - (returns ? 1 : 0)}, regex) ||
          (pattern.contains("\\r") && RE2::PartialMatch({text.data() + from, end - from}, regex));
      if (line && matches) {
        expected.push_back(text.substr(from, end - from));
      }
      from = end + 1;
    }
    EXPECT_EQ(found(pattern.substr(4), text, ignore_case), expected) << pattern;
  }
}

TEST(LinePattern, FindsTheSameWhereMostPlacesDoNotMatch) {
  std::string text;
  for (int line = 1; line <= 20'000; ++line) {
    text += line % 1000 == 0 ? "abc 123x\n" : "abc 12 x\n";
    if (line % 3000 == 0) text += '\0';
  }
  EXPECT_EQ(found("abc.*[0-9]{3}x", text).size(), 20u) << "a literal";
  EXPECT_EQ(found("^[a-c]{3} [0-9]+x$", text).size(), 20u) << "a run of classes";
  EXPECT_EQ(found("\\Aabc.*[0-9]{3}x", text).size(), 20u) << "line by line";
}

TEST(LiteralFinder, FindsWhatAPlainSearchFinds) {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 200, ' ');
    for (char& byte : text) byte = "abcABC"[random() % 6];
    std::string literal(1 + random() % 5, ' ');
    for (char& byte : literal) byte = "abc"[random() % 3];
    const std::size_t from = random() % 220;
    EXPECT_EQ(LiteralFinder(literal, false).find(text, from), text.find(literal, from));
    std::string lower = text;
    for (char& byte : lower) byte = static_cast<char>(byte | 0x20);
    EXPECT_EQ(LiteralFinder(literal, true).find(text, from), lower.find(literal, from));
  }
}

TEST(LiteralFinder, DoesNotTakePunctuationForLetters) {
  EXPECT_EQ(LiteralFinder("[a", true).find("{A [A", 0), 3u);
  EXPECT_EQ(LiteralFinder("@", true).find("`@", 0), 1u);
}

}  // namespace
}  // namespace quarry::corpus
