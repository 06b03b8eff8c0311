#include "corpus/query/grep.h"

#include "base/testing/test_executors.h"
#include "corpus/index/trigram_index.h"
#include "corpus/query/testing/collection_fixture.h"
#include "corpus/segment/segment_writer.h"
#include "corpus/snapshot/snapshot_state.h"

#include <algorithm>
#include <atomic>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Grep : public CollectionFixture {
 protected:
  static std::vector<std::string> lines(const GrepResult& result) {
    std::vector<std::string> out;
    for (const GrepFile& file : result.files) {
      for (const GrepLine& line : file.lines) {
        out.push_back(file.path + (line.match ? ":" : "-") + std::to_string(line.number) + ":" +
                      line.text);
      }
    }
    return out;
  }
  static std::vector<std::string> lines(const Collection& collection, const GrepQuery& query) {
    ThreadPerJob executor;
    const auto result = grep(collection, query, executor, {});
    if (!result) return {"error: " + result.error().message};
    return lines(*result);
  }
  static GrepQuery query(std::string pattern) {
    GrepQuery query;
    query.pattern = std::move(pattern);
    return query;
  }

  /// Many files with a "needle" in every third line.
  Collection haystack() {
    auto writer = *SnapshotWriter::create(new_directory(), {}, {false, false, false});
    for (int file = 0; file < 300; ++file) {
      std::string text;
      for (int line = 0; line < 300; ++line) {
        text += line % 3 == 0 ? "a needle in the hay\n" : "nothing but hay, and more of the same\n";
      }
      EXPECT_TRUE(writer->add("f" + std::to_string(1000 + file), text));
    }
    return Collection({{"hay", *writer->finish()}});
  }
};

TEST_F(Grep, NumbersLinesAndKeepsTheOrderOfPaths) {
  const auto all = collection("r", {{"b", "one\ntwo\n"}, {"a/z", "x\ntwo"}, {"c", "two\n\ntwo"}});
  EXPECT_THAT(lines(all, query("two")),
              ElementsAre("r/a/z:2:two", "r/b:2:two", "r/c:1:two", "r/c:3:two"));
}

TEST_F(Grep, KnowsWordsBeyondAsciiAtTheEndsOfAPattern) {
  const auto all = collection("r", {{"f",
                                     "скажи привет миру\n"
                                     "привет\n"
                                     "приветствие\n"
                                     "un café noir\n"
                                     "cafés\n"
                                     "éa\n"}});
  EXPECT_THAT(lines(all, query(R"(\bпривет\b)")),
              ElementsAre("r/f:1:скажи привет миру", "r/f:2:привет"));
  EXPECT_THAT(lines(all, query(R"(\bприв)")),
              ElementsAre("r/f:1:скажи привет миру", "r/f:2:привет", "r/f:3:приветствие"));
  EXPECT_THAT(lines(all, query(R"(ривет\b)")),
              ElementsAre("r/f:1:скажи привет миру", "r/f:2:привет"));
  EXPECT_THAT(lines(all, query(R"(\bcafé\b)")), ElementsAre("r/f:4:un café noir"));
  EXPECT_THAT(lines(all, query(R"(\bривет)")), IsEmpty());
}

TEST_F(Grep, ShowsContextOnce) {
  const auto all = collection("r", {{"f", "1\nx\n3\n4\nx\n6\n7\n8\n9\nx"}});
  GrepQuery with_context = query("x");
  with_context.context = 1;
  EXPECT_THAT(lines(all, with_context), ElementsAre("r/f-1:1", "r/f:2:x", "r/f-3:3", "r/f-4:4",
                                                    "r/f:5:x", "r/f-6:6", "r/f-9:9", "r/f:10:x"));
}

TEST_F(Grep, LooksOnlyBeneathThePath) {
  const auto all = collection("r", {{"a/b.c", "x"}, {"a/d/e.h", "x"}, {"ab", "x"}});
  GrepQuery beneath = query("x");
  beneath.path = "r/a";
  EXPECT_THAT(lines(all, beneath), ElementsAre("r/a/b.c:1:x", "r/a/d/e.h:1:x"));
  beneath.path = "r/a/b.c";
  EXPECT_THAT(lines(all, beneath), ElementsAre("r/a/b.c:1:x"));
  beneath.path = "r/a/b.d";
  EXPECT_THAT(lines(all, beneath), ElementsAre(HasSubstr("there is no \"r/a/b.d\"")));
}

TEST_F(Grep, LooksOnlyInFilesThatFitTheGlob) {
  const auto all = collection("r", {{"a/b.c", "x"}, {"a/d/e.h", "x"}, {"f.c", "x"}});
  GrepQuery only = query("x");
  for (const std::string include : {"*.c", "r/**/*.c", "**/*.c"}) {
    only.include = include;
    EXPECT_THAT(lines(all, only), ElementsAre("r/a/b.c:1:x", "r/f.c:1:x")) << include;
  }
  only.path = "a";
  only.include = "d/*";
  EXPECT_THAT(lines(all, only), ElementsAre("r/a/d/e.h:1:x"));
  only.include = "[";
  EXPECT_THAT(lines(all, only), ElementsAre(HasSubstr("include")));
}

TEST_F(Grep, LooksInEverySourceInOrder) {
  const Collection both({{"two", snapshot({{"a", "x"}})}, {"one", snapshot({{"b", "x"}})}});
  EXPECT_THAT(lines(both, query("x")), ElementsAre("two/a:1:x", "one/b:1:x"));
}

TEST_F(Grep, SeesOnlyTheLiveFilesOfSeveralSegmentsInOrder) {
  const auto directory = new_directory();
  auto first = *SegmentWriter::create(segment_directory(directory, 1));
  ASSERT_TRUE(first.add("a", FileKind::kText, 1, "x a"));
  ASSERT_TRUE(first.add("b", FileKind::kText, 1, "x old"));
  ASSERT_TRUE(first.add("c", FileKind::kText, 1, "x c"));
  ASSERT_TRUE(std::move(first).finish());
  auto second = *SegmentWriter::create(segment_directory(directory, 2));
  ASSERT_TRUE(second.add("b", FileKind::kText, 1, "x new"));
  ASSERT_TRUE(std::move(second).finish());
  const std::uint32_t numbers[] = {1, 2};
  const FileRef files[] = {{0, 0}, {1, 0}, {0, 2}};
  ASSERT_TRUE(write_snapshot_table(directory, numbers, files, {}));
  const Collection all({{"r", *Snapshot::open(directory)}});
  EXPECT_THAT(lines(all, query("x")), ElementsAre("r/a:1:x a", "r/b:1:x new", "r/c:1:x c"));
}

TEST_F(Grep, FindsTheSameWithAnIndex) {
  const auto tree = snapshot({{"a", "alpha"}, {"b", "beta"}, {"c", "Alphabet"}});
  const Segment& segment = *tree->segments().front();
  InlineExecutor executor;
  ASSERT_TRUE(
      TrigramIndex::build(segment, segment.directory() / TrigramIndex::kFileName, executor, {}));
  const Collection all({{"r", *Snapshot::open(tree->directory())}});
  GrepQuery any_case = query("alpha");
  any_case.ignore_case = true;
  EXPECT_THAT(lines(all, query("alpha")), ElementsAre("r/a:1:alpha"));
  EXPECT_THAT(lines(all, any_case), ElementsAre("r/a:1:alpha", "r/c:1:Alphabet"));
  EXPECT_THAT(lines(all, query("al[p]+ha|beta")), ElementsAre("r/a:1:alpha", "r/b:1:beta"));
  EXPECT_THAT(lines(all, query("gamma")), IsEmpty());
}

TEST_F(Grep, GivesTheFirstMatchesWhateverTheThreadsDo) {
  const Collection hay = haystack();
  InlineExecutor alone;
  for (const std::string pattern : {"needle", "n[e]+dle", "(?i)NEEDLE", "[a-z]+ needle"}) {
    GrepQuery some = query(pattern);
    some.limit = 730;
    const auto expected = grep(hay, some, alone, {});
    ASSERT_TRUE(expected);
    EXPECT_EQ(expected->matches, 730u);
    EXPECT_TRUE(expected->truncated);
    EXPECT_EQ(expected->files.size(), 8u);
    for (int round = 0; round < 5; ++round) EXPECT_EQ(lines(hay, some), lines(*expected));
  }
}

// All matches were kept up to the last one of the page, 32 bytes each.
TEST_F(Grep, SkipsMatchesWhateverTheThreadsDo) {
  const Collection hay = haystack();
  constexpr std::uint32_t kAll = 30'000;
  GrepQuery rest = query("needle");
  rest.limit = 1'000;
  for (const std::uint32_t skip : {1u, 99u, 100u, 12'345u, 29'990u, kAll, 1'000'000'000u}) {
    rest.skip = skip;
    ThreadPerJob executor;
    const auto result = *grep(hay, rest, executor, {});
    EXPECT_EQ(result.matches, std::min(rest.limit, kAll - std::min(skip, kAll))) << skip;
    EXPECT_EQ(result.truncated, skip + rest.limit < kAll) << skip;
    if (result.files.empty()) continue;
    EXPECT_EQ(result.files[0].path, "hay/f" + std::to_string(1'000 + skip / 100));
    EXPECT_EQ(result.files[0].lines[0].number, skip % 100 * 3 + 1);
  }
}

TEST_F(Grep, IsNotTruncatedByExactlyTheLimit) {
  const auto all = collection("r", {{"f", "x\nx\n"}});
  InlineExecutor executor;
  GrepQuery two = query("x");
  two.limit = 2;
  EXPECT_FALSE(grep(all, two, executor, {})->truncated);
  two.limit = 1;
  EXPECT_TRUE(grep(all, two, executor, {})->truncated);
}

TEST_F(Grep, CanBeCancelled) {
  std::stop_source source;
  source.request_stop();
  ThreadPerJob executor;
  const auto result = grep(haystack(), query("(a|b)*c"), executor, source.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kCancelled);
}

TEST_F(Grep, CutsLongLinesAroundTheMatch) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "\u00E9";
  const auto all = collection("r", {{"f", text + "needle" + text}, {"g", text.substr(0, 4000)}});
  InlineExecutor executor;
  const auto result = *grep(all, query("needle|^\u00E9{5}"), executor, {});
  ASSERT_EQ(result.files.size(), 2u);
  EXPECT_THAT(result.files[0].lines[0].text, StartsWith("\u00E9"));
  EXPECT_EQ(result.files[1].lines[0].text, text.substr(0, 4000)) << "2,000 characters fit";
  const auto around = *grep(all, query("needle"), executor, {});
  EXPECT_THAT(around.files[0].lines[0].text, StartsWith("\u2026\u00E9"));
  EXPECT_THAT(around.files[0].lines[0].text, HasSubstr("\u00E9needle\u00E9"));
  EXPECT_EQ(around.files[0].lines[0].text.size(), 2000u * 2 - 6 + 2 * 3);
}

TEST_F(Grep, DropsTheCarriageReturn) {
  EXPECT_THAT(lines(collection("r", {{"f", "one\r\ntwo\r\n"}}), query("o")),
              ElementsAre("r/f:1:one", "r/f:2:two"));
}

}  // namespace
}  // namespace quarry::corpus
