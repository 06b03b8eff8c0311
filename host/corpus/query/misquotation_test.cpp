// Quotations of a real source text, true and with one thing changed, as answers have them.

#include "base/file.h"
#include "base/text.h"
#include "corpus/query/citations.h"
#include "corpus/query/testing/collection_fixture.h"

#include <algorithm>
#include <quarry_places.h>
#include <random>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A line of the source that has enough text to quote.
struct QuotableLine {
  std::string_view text;
  std::uint32_t number;
};

class Misquotations : public CollectionFixture {
 protected:
  void SetUp() override {
    CollectionFixture::SetUp();
    for (const auto* file : {"citation_text.cpp", "class_run.cpp", "grep.cpp", "ranking.cpp"}) {
      const std::string path = QUARRY_SOURCE_DIR "/host/corpus/query/" + std::string(file);
      files_.emplace_back(file, *read_file(path));
    }
    const auto& f = files_;
    const Files files = {{f[0].first, f[0].second},
                         {f[1].first, f[1].second},
                         {f[2].first, f[2].second},
                         {f[3].first, f[3].second}};
    collection_ = std::make_unique<Collection>(collection("q", files));
  }

  /// Lines of file `f` that quote something: at least 12 bytes besides white space and a letter.
  [[nodiscard]] std::vector<QuotableLine> lines_of(std::size_t f) const {
    std::vector<QuotableLine> out;
    std::uint32_t number = 0;
    for (const std::string_view line : split(files_[f].second, '\n')) {
      ++number;
      const std::string_view text = trim(line);
      if (text.size() >= 12 && text.size() <= 90 && !text.contains('`') && !text.contains('"') &&
          !text.starts_with("//") && !text.contains("...")) {
        out.push_back({text, number});
      }
    }
    return out;
  }

  [[nodiscard]] std::string place(std::size_t f, std::uint32_t line) const {
    return "[q:" + files_[f].first + "#L" + std::to_string(line) + "]";
  }

  /// The answer in the n-th way of quoting.
  static std::string answer(std::string_view quoted, const std::string& place, std::size_t way) {
    const std::string text(quoted);
    switch (way % 6) {
      case 0:
        return "It is done by `" + text + "` " + place + ".";
      case 1:
        return "As it says, \"" + text + "\". " + place;
      case 2:
        return "See " + place + ":\n\n```cpp\n" + text + "\n```\n";
      case 3:
        return "> " + text + "\n\n" + place + "\n";
      case 4:
        return "In " + place + ": `" + text + "`.";
      default:
        return "First comes `" + text + "`, which the rest of it depends on " + place + ".";
    }
  }

  [[nodiscard]] bool holds(const std::string& answer) const {
    const auto citations = check_citations(*collection_, answer);
    EXPECT_EQ(citations.size(), 1u) << answer;
    return citations.size() == 1 && citations[0].verified;
  }

  std::vector<std::pair<std::string, std::string>> files_;
  std::unique_ptr<Collection> collection_;
};

TEST_F(Misquotations, DoNotIncludeTrueQuotations) {
  std::size_t quoted = 0;
  for (std::size_t f = 0; f < files_.size(); ++f) {
    for (const QuotableLine& line : lines_of(f)) {
      const std::string text = answer(line.text, place(f, line.number), quoted++);
      EXPECT_TRUE(holds(text)) << text;
    }
  }
  EXPECT_GT(quoted, 400u);
}

/// The line with one digit changed, or one letter of a name, by the kind.
std::string altered(std::string_view line, bool digit, std::mt19937& random) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_digit = line[i] >= '0' && line[i] <= '9';
    const bool is_letter = line[i] >= 'a' && line[i] <= 'y';
    if (digit ? is_digit : is_letter) places.push_back(i);
  }
  if (places.empty()) return {};
  std::string out(line);
  char& changed = out[places[random() % places.size()]];
  changed = changed == '9' ? '0' : static_cast<char>(changed + 1);
  return out;
}

/// The line with a word of another one in the place of one of its words.
std::string renamed(std::string_view line, std::string_view other, std::mt19937& random) {
  const auto words = [](std::string_view text) {
    std::vector<std::string_view> out;
    for (const std::string_view word : split(text, ' ')) {
      if (word.size() > 3) out.push_back(word);
    }
    return out;
  };
  const auto here = words(line);
  const auto there = words(other);
  if (here.empty() || there.empty()) return {};
  const std::string_view out = here[random() % here.size()];
  const std::string_view in = there[random() % there.size()];
  if (in == out) return {};
  std::string text(line);
  return text.replace(static_cast<std::size_t>(out.data() - line.data()), out.size(), in);
}

TEST_F(Misquotations, AreCaught) {
  std::mt19937 random(20);
  std::size_t planted = 0;
  std::vector<std::string> missed;
  const auto plant = [&](const std::string& text, const std::string& place) {
    std::string written = answer(text, place, planted++);
    if (holds(written)) missed.push_back(std::move(written));
  };
  for (std::size_t f = 0; f < files_.size(); ++f) {
    const auto lines = lines_of(f);
    const std::size_t other = (f + 1) % files_.size();
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      const QuotableLine& line = lines[i];
      const std::string here = place(f, line.number);
      if (auto digit = altered(line.text, true, random); !digit.empty()) plant(digit, here);
      if (i % 2 == 0) plant(altered(line.text, false, random), here);
      if (auto name = renamed(line.text, lines[i + 1].text, random);
          i % 2 == 1 && name.size() >= 12 && name != line.text) {
        plant(name, here);
      }
      const auto there = files_[other].second;
      const auto below = split(files_[f].second, '\n')[line.number];
      if (i % 3 == 0 && !std::string_view(below).contains(line.text)) {
        plant(std::string(line.text), place(f, line.number + 1));
      }
      if (i % 3 == 1 && !there.contains(line.text)) {
        plant(std::string(line.text), place(other, line.number % 100 + 1));
      }
    }
  }
  EXPECT_GE(planted, 500u);
  EXPECT_LE(missed.size() * 100, planted) << ::testing::PrintToString(missed);
}

/// A quotation in the n-th place of a sentence.
std::string placed(const std::string& text, const std::string& place, std::size_t form) {
  switch (form % 4) {
    case 0:
      return "It is done by `" + text + "` " + place + ".";
    case 1:
      return "In " + place + ", the line reads `" + text + "`.";
    case 2:
      return "`" + text + "`. That is how it works " + place + ".";
    default:
      return place + " says what holds: \"" + text + "\".";
  }
}

TEST_F(Misquotations, AreCaughtInEveryPlaceOfASentence) {
  std::mt19937 random(34);
  std::size_t planted = 0;
  std::size_t quoted = 0;
  std::vector<std::string> missed;
  std::vector<std::string> refused;
  for (std::size_t f = 0; f < files_.size(); ++f) {
    for (const QuotableLine& line : lines_of(f)) {
      const std::string here = place(f, line.number);
      const std::string true_one = placed(std::string(line.text), here, quoted++);
      if (!holds(true_one)) refused.push_back(true_one);
      std::string text = altered(line.text, quoted % 2 == 0, random);
      if (text.empty()) continue;
      std::string false_one = placed(text, here, planted++);
      if (holds(false_one)) missed.push_back(std::move(false_one));
    }
  }
  EXPECT_GE(planted, 240u);
  EXPECT_LE(missed.size() * 100, planted) << ::testing::PrintToString(missed);
  EXPECT_LE(refused.size() * 200, quoted) << ::testing::PrintToString(refused);
}

TEST_F(Misquotations, IncludeBareNumbers) {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    text += "limit_" + std::string(1, static_cast<char>('a' + i % 26)) + " = " +
            std::to_string(7 * i + 13) + "\n";
  }
  collection_ = std::make_unique<Collection>(collection("kit", {{"limits.conf", text}}));
  std::size_t caught = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string here = "[kit:limits.conf#L" + std::to_string(i + 1) + "]";
    EXPECT_TRUE(holds("The limit is " + std::to_string(7 * i + 13) + " " + here + ".")) << i;
    EXPECT_TRUE(holds("At most " + std::to_string(7 * i + 13) + " are kept by default " + here));
    caught += holds("The limit is " + std::to_string(7 * i + 14) + " " + here + ".") ? 0 : 1;
  }
  EXPECT_EQ(caught, 60u);
}

TEST_F(Misquotations, DoNotIncludeNumbersThatTheLinesNeedNotHave) {
  collection_ = std::make_unique<Collection>(collection(
      "kit", {{"net.c", "int wait(int a, int b, int ms = 60000);\nreturn two(a);\nx = 1'000;\n"}}));
  for (const char* said :
       {"It takes 3 parameters [kit:net.c#L1].", "It waits 1 minute, 60 s [kit:net.c#L1].",
        "See step 4 [kit:net.c#L1].", "As in line 12 [kit:net.c#L1].", "1. [kit:net.c#L1]",
        "It is 5 [kit:net.c#L2].", "The size is 1,000 [kit:net.c#L3].",
        "utf8 is read [kit:net.c#L1]."}) {
    EXPECT_TRUE(holds(said)) << said;
  }
}

TEST_F(Misquotations, AreOfTheirOwnCitation) {
  collection_ = std::make_unique<Collection>(
      collection("kit", {{"net.h", "int limit = 30;\nint least = 20;\n"}}));
  const auto all_hold = [&](std::string_view answer) {
    const auto citations = check_citations(*collection_, answer);
    return std::ranges::all_of(citations, &Citation::verified);
  };
  EXPECT_TRUE(
      all_hold("In [kit:net.h#L1], the line reads `int limit = 30;`. Then comes "
               "[kit:net.h#L2]."));
  EXPECT_TRUE(all_hold("[kit:net.h#L1] comes before `int least = 20;` [kit:net.h#L2]."));
  EXPECT_TRUE(all_hold("`int limit = 30;` [kit:net.h#L1]. It is used there [kit:net.h#L2]."));
  EXPECT_FALSE(all_hold("In [kit:net.h#L1], the line reads `int limit = 20;`."));
}

TEST_F(Misquotations, SayWhatStandsThere) {
  collection_ = std::make_unique<Collection>(
      collection("kit", {{"net.h", "constexpr int kLimit = 30;\n// Waits for a reply.\n"}}));
  const auto citations =
      check_citations(*collection_,
                      "The limit is `kLimit = 50` [kit:net.h#L1], and \"it sends no "
                      "answer at all\" [kit:net.h#L2].");
  ASSERT_EQ(citations.size(), 2u);
  EXPECT_EQ(citations[0].misquotation, (Misquotation{"kLimit = 50", "kLimit = 30"}));
  EXPECT_EQ(citations[1].misquotation, (Misquotation{"it sends no answer at all", ""}));
  EXPECT_FALSE(check_citations(*collection_, "[kit:net.h#L9] `a = 1`")[0].misquotation)
      << "no such line";
}

class Mentions : public CollectionFixture {
 protected:
  [[nodiscard]] std::vector<bool> verified(std::string_view answer) {
    const Collection all = collection(
        "kit", {{"src/load.cpp", "void load_all() {\n  check(path);\n  open(path, 3);\n}\n"},
                {"src/other.cpp", "void other_one();\n"}});
    std::vector<bool> out;
    for (const Citation& citation : check_citations(all, answer)) out.push_back(citation.verified);
    return out;
  }
};

TEST_F(Mentions, OfANameAreNoQuotation) {
  EXPECT_THAT(verified("`load_all` calls it after the check [kit:src/load.cpp#L2-L3]."),
              ElementsAre(true))
      << "in the file, and not adjacent";
  EXPECT_THAT(verified("`Registry` does the same [kit:src/load.cpp#L2]."), ElementsAre(true));
  EXPECT_THAT(verified("`Loader::check()` is there [kit:src/load.cpp#L2]."), ElementsAre(true));
  EXPECT_THAT(verified("The \"smart\" way is this [kit:src/load.cpp#L2]."), ElementsAre(true));
  EXPECT_THAT(verified("See `src/load.cpp` [kit:src/load.cpp#L2], `load.cpp` [kit:src/load.cpp#L3] "
                       "and `src/` of `kit` [kit:src/load.cpp#L4]."),
              ElementsAre(true, true, true));
}

TEST_F(Mentions, MustStandThereIfAdjacentOrAlmostRight) {
  EXPECT_THAT(verified("It is checked by `load_all` [kit:src/load.cpp#L2]."), ElementsAre(false));
  EXPECT_THAT(verified("It is checked by `check` [kit:src/load.cpp#L2]."), ElementsAre(true));
  EXPECT_THAT(verified("`check2` is what tests it [kit:src/load.cpp#L2]."), ElementsAre(false))
      << "almost what stands there";
  EXPECT_THAT(verified("`pad.cpp` [kit:src/load.cpp#L2]."), ElementsAre(false))
      << "not the name of the file";
}

TEST_F(Mentions, OfOneGroupMayStandInAnyOfItsPlaces) {
  EXPECT_THAT(verified("`check(path)` and `open(path, 3)` [kit:src/load.cpp#L2] "
                       "[kit:src/load.cpp#L3]."),
              ElementsAre(true, true));
  EXPECT_THAT(verified("`check(path)` and `open(path, 4)` [kit:src/load.cpp#L2, #L3]."),
              ElementsAre(false, false));
  EXPECT_THAT(verified("`open(path, 3)` [kit:src/load.cpp#L9] [kit:src/load.cpp#L3]."),
              ElementsAre(false, true))
      << "one place does not exist";
  EXPECT_THAT(verified("`check(path)` [kit:src/load.cpp#L2] and `open(path, 3)` "
                       "[kit:src/load.cpp#L3]."),
              ElementsAre(true, true));
}

TEST_F(Mentions, AreCheckedEachTimeThatAPlaceIsCited) {
  EXPECT_THAT(verified("`check(path)` [kit:src/load.cpp#L2]. `open(path)` [kit:src/load.cpp#L2]."),
              ElementsAre(false));
  EXPECT_THAT(verified("`open(path)` [kit:src/load.cpp#L2]. `check(path)` [kit:src/load.cpp#L2]."),
              ElementsAre(false));
  EXPECT_THAT(verified("Prose [kit] and `a = 1` [note: this]."), IsEmpty());
}

}  // namespace
}  // namespace quarry::corpus
