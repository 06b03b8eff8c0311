#include "corpus/query/symbol_search.h"

#include "base/testing/test_executors.h"
#include "corpus/index/symbol_index.h"
#include "corpus/index/testing/fake_analyser.h"
#include "corpus/query/outline.h"
#include "corpus/query/symbol_references.h"
#include "corpus/query/symbol_scan.h"
#include "corpus/query/testing/collection_fixture.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// With an index and without: both find the same.
class SymbolSearch : public CollectionFixture, public ::testing::WithParamInterface<bool> {
 protected:
  void make(const Files& files) {
    all_.emplace(collection("docs", files));
    if (!GetParam()) return;
    const Snapshot& snapshot = *all_->sources()[0].snapshot;
    for (std::uint32_t i = 0; i < snapshot.segments().size(); ++i) {
      ASSERT_TRUE(build_symbols(snapshot, i, analyser_, executor_, {}));
    }
    analyser_.take_read();
  }
  Result<SymbolResult> find(SymbolQuery query) {
    return find_definitions(*all_, query, analyser_, executor_, {});
  }
  /// "path:line kind qualified" of each definition found.
  std::vector<std::string> found(const SymbolQuery& query) {
    const auto result = find(query);
    EXPECT_TRUE(result) << result.error().message;
    std::vector<std::string> out;
    if (!result) return out;
    for (const FoundSymbol& one : result->found) {
      out.push_back(std::string(all_->sources()[one.source].snapshot->path(one.file)) + ':' +
                    std::to_string(one.line) + ' ' + one.kind + ' ' + one.qualified);
    }
    return out;
  }
  std::vector<std::string> named(std::string name) { return found({.name = std::move(name)}); }
  ReferenceResult references(const ReferenceQuery& query) {
    auto result = find_references(*all_, query, analyser_, executor_, {});
    EXPECT_TRUE(result);
    return result ? std::move(*result) : ReferenceResult();
  }

  std::optional<Collection> all_ = std::nullopt;
  FakeAnalyser analyser_;
  ThreadPerJob executor_;
};

INSTANTIATE_TEST_SUITE_P(Indexed, SymbolSearch, ::testing::Bool(), [](const auto& param) {
  return param.param ? std::string("Indexed") : std::string("Scanned");
});

TEST_P(SymbolSearch, FindsExactNamesThenOthers) {
  make({{"a.fake", "class Parser 1\n  method parse 0\n"},
        {"b.fake", "function Parse 0\nfunction parse 0\n"},
        {"c.fake", "function parse_date 0\n"}});
  EXPECT_THAT(named("parse"),
              ElementsAre("a.fake:2 method Parser.parse", "b.fake:2 function parse"));
  EXPECT_THAT(named("PARSE"), ElementsAre("a.fake:2 method Parser.parse", "b.fake:1 function Parse",
                                          "b.fake:2 function parse"));
  EXPECT_EQ(find({.name = "PARSE"})->match, SymbolMatch::kFolded);
  EXPECT_THAT(named("nothing"), IsEmpty());
}

TEST_P(SymbolSearch, FindsAllThatBeginWithAPrefix) {
  make({{"a.fake", "class Parser 1\n  method parse 0\n"}, {"b.fake", "function parse_date 0\n"}});
  EXPECT_THAT(named("pars*"), ElementsAre("a.fake:1 class Parser", "a.fake:2 method Parser.parse",
                                          "b.fake:1 function parse_date"));
}

TEST_P(SymbolSearch, MatchesScopes) {
  make({{"net/a.fake", "class Parser 1\n  method parse 0\n"},
        {"net/b.fake", "class Other 1\n  method parse 0\n"},
        {"z.fake", "function parse 0\n"}});
  const auto only = ElementsAre("net/a.fake:2 method Parser.parse");
  for (const char* name : {"Parser::parse", "Parser.parse", "Parser#parse", "net.a.Parser.parse"}) {
    EXPECT_THAT(named(name), only) << name;
  }
  EXPECT_THAT(named("parser.parse"), only) << "in another case";
  EXPECT_THAT(named("z.parse"), ElementsAre("z.fake:1 function parse")) << "the file's name";
  EXPECT_THAT(named("No.parse"), IsEmpty());
}

TEST_P(SymbolSearch, KeepsToKindAndPath) {
  make({{"src/a.fake", "class run 0\n"},
        {"src/b.fake", "function run 0\n"},
        {"srcs.fake", "function run 0\n"}});
  EXPECT_THAT(found({.name = "run", .kind = "class"}), ElementsAre("src/a.fake:1 class run"));
  EXPECT_THAT(found({.name = "run", .path = "docs/src"}),
              ElementsAre("src/a.fake:1 class run", "src/b.fake:1 function run"));
  EXPECT_THAT(found({.name = "run", .path = "srcs.fake"}), ElementsAre("srcs.fake:1 function run"));
  const auto nowhere = find({.name = "run", .path = "docs/no"});
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, Code::kNotFound);
}

TEST_P(SymbolSearch, TakesAKindInAnyCase) {
  make({{"a.fake", "class run 0\nfunction run 0\n"}});
  EXPECT_THAT(found({.name = "run", .kind = "Class"}), ElementsAre("a.fake:1 class run"));
}

TEST_P(SymbolSearch, CountsTheOtherKindsIfNoneIsOfTheWantedOne) {
  make({{"a.fake", "class run 0\nfunction run 0\nfunction run 0\n"}});
  const auto none = find({.name = "run", .kind = "method", .skip = 1, .limit = 1});
  EXPECT_EQ(none->total, 0u);
  EXPECT_THAT(none->other_kinds, ElementsAre(std::pair("class", std::size_t{1}),
                                             std::pair("function", std::size_t{2})));
  EXPECT_THAT(find({.name = "run", .kind = "class"})->other_kinds, IsEmpty());
}

TEST_P(SymbolSearch, ContinuesWhereItEnded) {
  make({{"a.fake", "function run 0\nfunction run 0\n"}, {"b.fake", "function run 0\n"}});
  const auto first = find({.name = "run", .limit = 2});
  EXPECT_EQ(first->total, 3u);
  EXPECT_EQ(first->found.size(), 2u);
  EXPECT_THAT(found({.name = "run", .skip = 2, .limit = 2}), ElementsAre("b.fake:1 function run"));
  EXPECT_THAT(found({.name = "run", .skip = 5}), IsEmpty());
}

TEST_P(SymbolSearch, DoesNotFindWhatWasDeletedOrChanged) {
  make({{"a.fake", "function old 0\n"}, {"b.fake", "function run 0\n"}, {"c.fake", "x\n"}});
  const auto before = all_->sources()[0].snapshot;
  all_.emplace(Collection(
      {{"docs", snapshot({{"a.fake", "function young 0\n"}, {"c.fake", "x\n"}}, before)}}));
  EXPECT_THAT(named("old"), IsEmpty());
  EXPECT_THAT(named("run"), IsEmpty());
  EXPECT_THAT(named("young"), ElementsAre("a.fake:1 function young"));
}

TEST_P(SymbolSearch, IsCancelled) {
  make({{"a.fake", "function run 0\n"}});
  std::stop_source stop;
  stop.request_stop();
  const auto result =
      find_definitions(*all_, {.name = "run"}, analyser_, executor_, stop.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kCancelled);
}

TEST_P(SymbolSearch, FindsReferencesInOrder) {
  make({{"a.fake", "function run 1\nuse run\nuse running\n"},
        {"b.fake", "# run\n"},
        {"c.fake", "use run\nuse run\n"},
        {"d.txt", "use run\n"},
        {"e.fake", "nothing\n"}});
  const auto all = references({.name = "run"});
  std::vector<std::string> lines;
  for (const auto& one : all.found) {
    lines.push_back(std::string(all_->sources()[0].snapshot->path(one.file)) + ':' +
                    std::to_string(one.line));
  }
  EXPECT_THAT(lines, ElementsAre("a.fake:2", "c.fake:1", "c.fake:2"));
  EXPECT_EQ(all.other_files, 1u);
  EXPECT_FALSE(all.next);
  EXPECT_THAT(analyser_.take_searched(), ElementsAre("a.fake", "b.fake", "c.fake"));
}

TEST_P(SymbolSearch, ContinuesReferencesAtTheLineOfTheirPosition) {
  make({{"a.fake", "use run\nuse run\n"}, {"b.fake", "use run\n"}, {"c.fake", "use run\n"}});
  std::vector<std::uint32_t> positions;
  ReferenceQuery query{.name = "run", .limit = 1};
  for (;;) {
    const auto page = references(query);
    for (const auto& one : page.found) positions.push_back(one.position);
    if (!page.next) break;
    ASSERT_GT(*page.next, query.from);
    query.from = *page.next;
  }
  EXPECT_THAT(positions, ElementsAre(0u, 1u, 2u, 3u));
}

TEST_P(SymbolSearch, KeepsReferencesToThePath) {
  make({{"a/x.fake", "use run\n"}, {"b/x.fake", "use run\n"}});
  EXPECT_EQ(references({.name = "run", .path = "docs/b"}).found.size(), 1u);
  EXPECT_EQ(references({.name = "run", .path = "docs/b/x.fake"}).found.size(), 1u);
  EXPECT_THAT(analyser_.take_searched(), ElementsAre("b/x.fake", "b/x.fake"));
}

TEST_P(SymbolSearch, AnalysesOnlyAsManyFilesAsThePageNeeds) {
  auto writer = *SnapshotWriter::create(new_directory(), {}, {false, false, false});
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(writer->add("f" + std::to_string(1000 + i) + ".fake", "use run\nrest\n"));
  }
  all_.emplace(Collection({{"docs", *writer->finish()}}));
  const auto page = references({.name = "run", .limit = 10});
  EXPECT_EQ(page.found.size(), 10u);
  EXPECT_EQ(page.next, 20u);
  EXPECT_LE(analyser_.take_searched().size(), 10u + 2 * executor_.concurrency());
  const auto rest = references({.name = "run", .limit = 1000});
  EXPECT_EQ(rest.found.size(), kMostReferenceFiles);
  EXPECT_EQ(rest.next, 2 * kMostReferenceFiles);
}

TEST_P(SymbolSearch, PassesOverFilesThatFailAndSaysSo) {
  make({{"a.fake", "crash\nuse run\nfunction run 0\n"}, {"b.fake", "use run\nfunction run 0\n"}});
  const auto used = references({.name = "run"});
  EXPECT_EQ(used.found.size(), 1u);
  EXPECT_THAT(used.failure, HasSubstr("signal 11"));
  EXPECT_THAT(named("run"), ElementsAre("b.fake:2 function run"));
  EXPECT_THAT(find({.name = "run"})->failure, HasSubstr("signal 11"));
  EXPECT_EQ(analyser_.take_read().contains("a.fake"), !GetParam())
      << "the index knows that it fails";
  EXPECT_EQ(find({.name = "other"})->failure, "") << "no file with this name failed";
}

TEST_P(SymbolSearch, ReadsAgainWhatItsAnalyserCouldNotRead) {
  make({{"a.fake", "gone\nfunction run 0\n"}, {"b.fake", "function run 0\n"}});
  EXPECT_THAT(find({.name = "run"})->failure, HasSubstr("cannot be started"));
  analyser_.is_gone = false;
  EXPECT_THAT(named("run"), ElementsAre("a.fake:2 function run", "b.fake:1 function run"));
  EXPECT_EQ(find({.name = "run"})->failure, "");
}

TEST_P(SymbolSearch, OutlinesAFile) {
  make({{"a.fake", "class Parser 1\n  method parse 0\n"},
        {"b.txt", "text\n"},
        {"c.fake", "crash\n"}});
  const Source& source = all_->sources()[0];
  const auto outline = [&](const char* path) {
    return outline_of(source, *source.snapshot->find(path), analyser_, {});
  };
  const auto definitions = outline("a.fake");
  ASSERT_TRUE(definitions);
  ASSERT_EQ(definitions->size(), 2u);
  EXPECT_EQ((*definitions)[1].name, "parse");
  EXPECT_EQ((*definitions)[1].parent, 0);
  EXPECT_EQ(analyser_.take_read().size(), GetParam() ? 0u : 1u);
  EXPECT_THAT(outline("b.txt").error().message, HasSubstr("of no language that is analysed"));
  EXPECT_EQ(outline("b.txt").error().code, Code::kUnsupported);
  EXPECT_THAT(outline("c.fake").error().message, HasSubstr("signal 11"));
}

class SymbolScans : public SymbolSearch {};
INSTANTIATE_TEST_SUITE_P(Without, SymbolScans, ::testing::Values(false));

TEST_P(SymbolScans, ReadThoseThatLookRightFirstAndTellTheirBound) {
  auto writer = *SnapshotWriter::create(new_directory(), {}, {false, false, false});
  for (std::size_t i = 0; i < 2 * kMostScannedFiles; ++i) {
    ASSERT_TRUE(writer->add("f" + std::to_string(1000 + i) + ".fake", "use run\n"));
  }
  ASSERT_TRUE(writer->add("z.fake", "class run 0\n"));
  all_.emplace(Collection({{"docs", *writer->finish()}}));
  const auto result = find({.name = "run"});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->found.size(), 1u);
  EXPECT_TRUE(result->is_bounded);
  EXPECT_EQ(analyser_.take_read().size(), kMostScannedFiles);
  EXPECT_FALSE(find({.name = "runs"})->is_bounded);
}

class SymbolsOfADamagedIndex : public SymbolSearch {};
INSTANTIATE_TEST_SUITE_P(With, SymbolsOfADamagedIndex, ::testing::Values(true));

TEST_P(SymbolsOfADamagedIndex, AreFoundByReadingInstead) {
  make({{"a.fake", "class Parser 1\n  method parse 0\n"}});
  const auto only = ElementsAre("a.fake:2 method Parser.parse");
  EXPECT_THAT(named("parse"), only);
  const auto file =
      all_->sources()[0].snapshot->segments()[0]->directory() / SymbolIndex::kFileName;
  std::filesystem::resize_file(file, 16);
  EXPECT_THAT(named("parse"), only);
  EXPECT_FALSE(std::filesystem::exists(file)) << "it is removed";
}

}  // namespace
}  // namespace quarry::corpus
