#include "corpus/query/class_run.h"

#include "corpus/query/class_run_finder.h"
#include "corpus/query/line_pattern.h"

#include <random>

#include <gtest/gtest.h>
#include <re2/re2.h>

namespace quarry::corpus {
namespace {

/// A run as text: the ranges of each class, "+" for bytes beyond ASCII, separated by spaces.
std::string run_of(std::string_view pattern, bool ignore_case = false) {
  std::string out;
  for (const ByteClass& bytes : required_run(pattern, ignore_case)) {
    if (!out.empty()) out += ' ';
    for (unsigned byte = 0; byte < 128; ++byte) {
      if (!bytes.ascii[byte]) continue;
      const unsigned first = byte;
      while (byte + 1 < 128 && bytes.ascii[byte + 1]) ++byte;
      out += static_cast<char>(first);
      if (byte > first) out += std::string("-") + static_cast<char>(byte);
    }
    if (bytes.beyond) out += '+';
  }
  return out;
}

TEST(RequiredRun, IsTheRarestPartOfAConcatenation) {
  EXPECT_EQ(run_of("[0-9]{4}"), "0-9 0-9 0-9 0-9");
  EXPECT_EQ(run_of("[A-Z][a-z]+[0-9]{4}[A-Z]"), "a-z 0-9 0-9 0-9 0-9 A-Z");
  EXPECT_EQ(run_of("[a-z]*[A-Z]{3}[a-z]*"), "A-Z A-Z A-Z");
  EXPECT_EQ(run_of("[0-9]{2,5}:[0-9]{2}"), "0-9 0-9 : 0-9 0-9");
  EXPECT_EQ(run_of("[0-9]{20}"), "0-9 0-9 0-9 0-9 0-9 0-9 0-9 0-9 0-9 0-9 0-9 0-9 0-9 0-9 0-9 0-9");
  EXPECT_EQ(run_of("^#[A-F]\\b"), "# A-F");
  EXPECT_EQ(run_of("x.[0-9][0-9][0-9]"), "0-9 0-9 0-9");
  EXPECT_EQ(run_of("(a|b)[0-9]{3}"), "0-9 0-9 0-9");
  EXPECT_EQ(run_of("[0-9]{3}([)a]|\\))+?x"), "0-9 0-9 0-9");
}

TEST(RequiredRun, ReadsClassesAsTheEngineDoes) {
  EXPECT_EQ(run_of("\\d\\d\\d"), "0-9+ 0-9+ 0-9+");
  EXPECT_EQ(run_of("[\\d.-]{3}"), "--.0-9+ --.0-9+ --.0-9+");
  EXPECT_EQ(run_of("[]A]{3}"), "A] A] A]");
  EXPECT_EQ(run_of("[^\\x00-\\x7f]{3}"), "+ + +");
  EXPECT_EQ(run_of("[\\x{4e00}-\\u9fff]{3}"), "+ + +");
  EXPECT_EQ(run_of("\\x41\\x{2a}[\\u0030-\\u{39}][0-9]"), "A * 0-9 0-9");
  EXPECT_EQ(run_of("\\p{Greek}[\\p{Han}0-9]{2}"), "+ 0-9+ 0-9+");
  EXPECT_EQ(run_of("é[ü0-9][0-9]"), "+ 0-9+ 0-9");
  EXPECT_EQ(run_of("[0-9]é[0-9]"), "0-9 +") << "the letter is several bytes long";
  EXPECT_EQ(run_of("\\$\\{[A-Z]"), "$ { A-Z");
  EXPECT_EQ(run_of("\\W\\W"), "") << "nearly everywhere";
}

TEST(RequiredRun, FoldsCaseWithTheCharactersThatFoldToAscii) {
  EXPECT_EQ(run_of("[0-9][x][0-9]", true), "0-9 Xx 0-9");
  EXPECT_EQ(run_of("[0-9][0-9][k]", true), "0-9 0-9 Kk+");
  EXPECT_EQ(run_of("[0-9][0-9]\u212A", true), "0-9 0-9 Kk+");
  EXPECT_EQ(run_of("[0-9][0-9][\\x{100}-\\x{200}]", true), "0-9 0-9 Ss+");
}

TEST(RequiredRun, DoesNotReachAcrossACharacterOfSeveralBytes) {
  EXPECT_EQ(run_of("#\\d#[A-Z]"), "0-9+ # A-Z") << "the digit may be several bytes long";
  EXPECT_EQ(run_of("\\d#[A-Z]\\d"), "0-9+ # A-Z 0-9+");
}

TEST(RequiredRun, IsNotKnownOfWhatIsNotUnderstood) {
  for (const char* pattern :
       {"[0-9]{4}|x", "(?i)[0-9]{4}", "[[:digit:]]{4}", "\\p{Nd}{4}", "[\\pL]{4}", "\\P{Greek}{4}",
        "\\x4[0-9]{4}", "\\x{41[0-9]{4}", "[0-9]{4}\\Qa", "[0-9]{4}(", "[0-9]{4}[", "[9-0]{4}",
        "[0-9]{4}**", "[0-9]{a}", "", "[0-9]{4}(?i:x)", "[0-9]{4}\\", "[a-z]+", ".*"}) {
    EXPECT_EQ(run_of(pattern), "") << pattern;
  }
}

TEST(ClassRunFinder, FindsTheFirstPlaceWhereverItLies) {
  const auto finder = ClassRunFinder::make(required_run("[0-9][A-Z]\\d", false));
  if (!finder) GTEST_SKIP() << "this machine has no AVX2";
  for (std::size_t size = 0; size < 140; ++size) {
    const std::string text(size, 'a');
    EXPECT_EQ(finder->find(text, 0), ClassRunFinder::npos);
    for (std::size_t at = 0; at + 3 <= size; ++at) {
      std::string with = text;
      with.replace(at, 3, "7X\xd9");
      EXPECT_EQ(finder->find(with, 0), at);
      EXPECT_EQ(finder->find(with, at), at);
      EXPECT_EQ(finder->find(with, at + 1), ClassRunFinder::npos);
    }
  }
}

/// Random expressions and texts of a few characters, some of them beyond ASCII.
class RandomCase {
 public:
  explicit RandomCase(unsigned seed) : random_(seed) {}
  std::string pattern() {
    static const std::vector<std::string> kAtoms = {
        "[0-9]",  "\\d",       "[A-Z]",          "[^a]",   "#",
        "\\w",    "\\s",       "(a|#)",          "k",      ".",
        "\\W",    "[k#]",      "[^\\x00-\\x7F]", "\u00e9", "[\u00e8-\u00ea#]",
        "\u212a", "\\x{212a}", "\\p{Arabic}"};
    static const std::vector<std::string> kCounts = {"",  "",    "",     "+",     "*",
                                                     "?", "{2}", "{1,}", "{2,3}", "+?"};
    std::string out;
    for (std::size_t i = 0; i < 1 + pick(5); ++i) {
      out += kAtoms[pick(kAtoms.size())] + kCounts[pick(kCounts.size())];
    }
    return out;
  }
  std::string text() {
    static const std::vector<std::string> kParts = {"1", "2",      "A",      "#",      "a", "\n",
                                                    " ", "\u0663", "\u212a", "\u00e9", "K", "k"};
    std::string out;
    for (std::size_t i = 0; i < 200; ++i) out += kParts[pick(kParts.size())];
    return out;
  }
  bool coin() { return pick(2) == 0; }

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }
  std::mt19937 random_;
};

TEST(RequiredRun, NeverHidesAMatch) {
  RandomCase random(7);
  std::size_t known = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::string pattern = random.pattern();
    const bool ignore_case = random.coin();
    const auto finder = ClassRunFinder::make(required_run(pattern, ignore_case));
    if (!finder) continue;
    ++known;
    const auto compiled = LinePattern::compile(pattern, ignore_case);
    ASSERT_TRUE(compiled) << pattern;
    const std::string text = random.text();
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      const std::string_view line = std::string_view(text).substr(from, end - from);
      if (compiled->find(line) != line.npos) {
        EXPECT_NE(finder->find(line, 0), ClassRunFinder::npos) << pattern << " in " << line;
      }
      from = end + 1;
    }
  }
  if (ClassRunFinder::make({ByteClass{}})) {
    EXPECT_GT(known, 500u);
  }
}

}  // namespace
}  // namespace quarry::corpus
