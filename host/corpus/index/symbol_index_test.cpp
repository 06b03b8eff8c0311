#include "corpus/index/symbol_index.h"

#include "base/testing/test_executors.h"
#include "corpus/index/testing/fake_analyser.h"
#include "corpus/segment/segment_writer.h"
#include "corpus/segment/testing/directory_fixture.h"
#include "corpus/text/word_mask.h"

#include <cstring>
#include <random>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SymbolIndexes : public DirectoryFixture {
 protected:
  void SetUp() override {
    DirectoryFixture::SetUp();
    segment_ =
        segment({{"a.fake", "# about it\nclass Parser 2\n  method parse 0\n  method Parse 0\n"},
                 {"b.fake", "function parse 0\nfunction parse_date 0\nconstant x 0\n"},
                 {"c.txt", "class Parser 0\n"}});
  }
  std::shared_ptr<const Segment> segment(const Files& files) {
    auto writer = *SegmentWriter::create(new_directory());
    for (const auto& [path, text] : files) {
      EXPECT_TRUE(writer.add(path, FileKind::kText, text.size(), text, line_table(text)));
    }
    return *std::move(writer).finish();
  }
  std::vector<FileSymbols> read(const Segment& of, const SymbolIndex* known = nullptr) {
    auto files = read_symbols(of, known, analyser_, executor_, {});
    EXPECT_TRUE(files) << files.error().message;
    return files ? std::move(*files) : std::vector<FileSymbols>();
  }
  std::string bytes() { return SymbolIndex::bytes_of(*segment_, read(*segment_)); }
  Result<std::shared_ptr<const SymbolIndex>> open(const std::string& bytes) {
    fs::remove(root_ / "symbols");  // some file systems sync a file that is overwritten
    write(root_ / "symbols", bytes);
    return SymbolIndex::open(root_ / "symbols", *segment_);
  }
  /// The end of the last array, that of the definitions.
  static std::size_t end_of_records(const std::string& bytes) {
    std::uint64_t arrays = 0;
    std::memcpy(&arrays, bytes.data() + 16, sizeof arrays);
    return 32 + arrays;
  }
  static std::vector<std::string> names(const SymbolIndex& index, SymbolIndex::NameRange range) {
    std::vector<std::string> out;
    for (auto name = range.begin; name < range.end; ++name) out.emplace_back(index.name(name));
    return out;
  }
  /// Everything that an index tells.
  static std::string told(const SymbolIndex& index, const Segment& of) {
    std::string out;
    for (FileId file = 0; file < of.file_count(); ++file) {
      const auto symbols = index.symbols_of(file);
      if (!symbols) return "damaged";
      out += symbols->reader + ' ' + symbols->reason + '\n';
      for (const auto& one : symbols->definitions) {
        out += one.kind + ' ' + one.name + ' ' + std::to_string(one.line) + '\n';
      }
    }
    const auto all = index.starting_with("");
    for (auto number = all.begin; number < all.end; ++number) {
      out += std::string(index.name(number)) + '\n';
      const auto named = index.definitions_of(number);
      for (std::size_t i = 0; i < named.size(); ++i) {
        out += std::to_string(index.file_of(named[i])) + ' ';
        EXPECT_LT(index.file_of(named[i]), of.file_count());
        if (const auto one = index.record(named[i])) out += index.kind(*one);
      }
    }
    return index.is_damaged() ? "damaged" : out;
  }

  std::shared_ptr<const Segment> segment_;
  FakeAnalyser analyser_;
  ThreadPerJob executor_;
};

TEST_F(SymbolIndexes, FindNamesInTheirOrder) {
  const auto index = *open(bytes());
  EXPECT_THAT(names(*index, index->starting_with("")),
              ElementsAre("Parse", "parse", "parse_date", "Parser", "x"));
  EXPECT_THAT(names(*index, index->spelled_as("PARSE")), ElementsAre("Parse", "parse"));
  EXPECT_THAT(names(*index, index->starting_with("parse")),
              ElementsAre("Parse", "parse", "parse_date", "Parser"));
  EXPECT_THAT(names(*index, index->spelled_as("pars")), IsEmpty());
  EXPECT_THAT(names(*index, index->spelled_as("zz")), IsEmpty());
}

TEST_F(SymbolIndexes, KnowEachDefinition) {
  const auto index = *open(bytes());
  const auto parse = index->spelled_as("parse");
  const auto found = index->definitions_of(parse.begin + 1);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(index->file_of(found[0]), 0u);
  EXPECT_EQ(index->file_of(found[1]), 1u);
  EXPECT_EQ(index->kind(*index->record(found[0])), "method");
  EXPECT_EQ(index->record(found[0])->line, 3u);
  EXPECT_EQ(index->record(found[0])->parent, 0);
  const auto parser = index->record(0);
  EXPECT_EQ(parser->first_line, 1u) << "with its comment";
  EXPECT_EQ(parser->last_line, 4u);
  EXPECT_EQ(index->state(2), SymbolState::kNoReader);
  EXPECT_EQ(index->reader(1), "fake@1");
}

TEST_F(SymbolIndexes, KnowTheWordsOfScopes) {
  segment_ = segment({{"net/a.fake", "class Parser 1\n  method parse 0\n"}});
  const auto record = (*open(bytes()))->record(1);
  EXPECT_EQ(record->scope_words, words_mask("net a fake Parser method"));
}

TEST_F(SymbolIndexes, LookForScopesInTheBeginningOfTheLine) {
  const auto of = segment(
      {{"a.fake", "void Parser::parse parse\n" + std::string(2'100, ' ') + "Parser::parse\n"},
       {"b.fake", "int parse\n"}});
  LineBeginnings lines;
  EXPECT_EQ(lines.before(*of, 0, 1, "parse"), "void Parser::");
  EXPECT_EQ(lines.before(*of, 0, 1, "Parser"), "void ");
  EXPECT_EQ(lines.before(*of, 0, 2, "parse"), "") << "too far";
  EXPECT_EQ(lines.before(*of, 1, 1, "parse"), "int ");
  EXPECT_EQ(lines.before(*of, 0, 1, "int"), "");
}

// Each definition once had all of its line before it read, and the names of all that encloses it.
TEST_F(SymbolIndexes, MayHaveManyDefinitionsOnALineAndInLongNames) {
  const std::string name(1'000, 'A');
  std::vector<FileSymbols> files(1);
  files[0].state = SymbolState::kRead;
  files[0].reader = "fake@1";
  for (int depth = 0; depth < 30; ++depth) {
    files[0].definitions.push_back({"class", name, 1, 1, 1, depth - 1});
  }
  std::string line;
  for (int i = 0; i < 30'000; ++i) {
    files[0].definitions.push_back({"method", "m" + std::to_string(i), 1, 1, 1, 29});
    line += "m" + std::to_string(i) + ' ';
  }
  segment_ = segment({{"a.fake", line + '\n'}});
  const auto index = *open(SymbolIndex::bytes_of(*segment_, files));
  EXPECT_EQ(index->record(30)->scope_words, words_mask("a fake " + name));
  EXPECT_EQ(index->record(30'029)->scope_words, words_mask("a fake " + name)) << "too far";
}

TEST_F(SymbolIndexes, HaveTheSameBytesWithAnyNumberOfThreads) {
  const std::string first = bytes();
  for (std::size_t threads = 1; threads < 4; ++threads) {
    Threads executor(threads);
    const auto files = read_symbols(*segment_, nullptr, analyser_, executor, {});
    EXPECT_TRUE(SymbolIndex::bytes_of(*segment_, *files) == first);
  }
}

TEST_F(SymbolIndexes, OfEmptySegmentsAreEmpty) {
  segment_ = segment({});
  const auto index = *open(bytes());
  EXPECT_EQ(index->definition_count(), 0u);
  EXPECT_THAT(names(*index, index->starting_with("")), IsEmpty());
}

TEST_F(SymbolIndexes, RecordFilesThatTheAnalyserFailsOnAndGoOn) {
  segment_ = segment({{"a.fake", "class A 0\ncrash\n"}, {"b.fake", "class B 0\n"}});
  const auto index = *open(bytes());
  EXPECT_EQ(index->state(0), SymbolState::kFailed);
  EXPECT_EQ(index->symbols_of(0)->reason, "the analyser ended: signal 11");
  EXPECT_EQ(index->state(1), SymbolState::kRead);
  EXPECT_FALSE(is_outdated(*index, *segment_, analyser_)) << "it would fail again";
}

TEST_F(SymbolIndexes, AreOutdatedAsLongAsTheAnalyserCannotBeUsed) {
  segment_ = segment({{"a.fake", "gone\n"}, {"b.fake", "class B 0\n"}});
  const auto index = *open(bytes());
  EXPECT_EQ(index->symbols_of(0)->reason, "it cannot be started");
  EXPECT_TRUE(is_outdated(*index, *segment_, analyser_));
  analyser_.take_read();
  read(*segment_, index.get());
  EXPECT_THAT(analyser_.take_read(), ElementsAre("a.fake"));
}

TEST_F(SymbolIndexes, LeaveOutLargeAndMinifiedFiles) {
  std::string large;
  while (large.size() <= kMostAnalysedBytes) large += "class A 0\n";
  segment_ = segment({{"large.fake", large},
                      {"minified.fake", std::string(kMostAnalysedBytes / 2, 'x') + "\nclass B 0\n"},
                      {"small.fake", "class C 0 " + std::string(500, ' ')}});
  const auto index = *open(bytes());
  EXPECT_EQ(index->state(0), SymbolState::kTooLarge);
  EXPECT_EQ(index->state(1), SymbolState::kMinified);
  EXPECT_EQ(index->state(2), SymbolState::kRead);
  EXPECT_THAT(analyser_.take_read(), ElementsAre("small.fake"));
  EXPECT_FALSE(is_outdated(*index, *segment_, analyser_));
}

TEST_F(SymbolIndexes, AskForTheFirstLineOfFilesWithoutExtension) {
  segment_ = segment({{"bin/.hidden", "#!fake\nclass A 0\n"},
                      {"bin/tool", "#!fake\nclass B 0\n"},
                      {"bin/tool.txt", "#!fake\nclass C 0\n"}});
  const auto index = *open(bytes());
  EXPECT_THAT(names(*index, index->starting_with("")), ElementsAre("A", "B"));
}

TEST_F(SymbolIndexes, TakeDefinitionsThatDoNotFitTheTextAsAFailure) {
  segment_ = segment({{"a.fake", "class A 7\n"}, {"b.fake", "class B 0\n"}});
  const auto index = *open(bytes());
  EXPECT_EQ(index->state(0), SymbolState::kFailed);
  EXPECT_THAT(names(*index, index->starting_with("")), ElementsAre("B"));
}

TEST_F(SymbolIndexes, ReadOnlyTheFilesOfAnotherReaderAgain) {
  const auto before = *open(bytes());
  EXPECT_FALSE(is_outdated(*before, *segment_, analyser_));
  analyser_.set_results("2", "b");
  EXPECT_TRUE(is_outdated(*before, *segment_, analyser_));
  analyser_.take_read();
  const std::string again = SymbolIndex::bytes_of(*segment_, read(*segment_, before.get()));
  EXPECT_THAT(analyser_.take_read(), ElementsAre("b.fake"));
  EXPECT_TRUE(again == bytes()) << "as one that is built anew";
  EXPECT_EQ((*open(again))->reader(1), "fake@2");
}

TEST_F(SymbolIndexes, AreCancelled) {
  std::stop_source stop;
  analyser_.on_read = [&](std::string_view, const std::stop_token&) { stop.request_stop(); };
  const auto files = read_symbols(*segment_, nullptr, analyser_, executor_, stop.get_token());
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, Code::kCancelled);
}

TEST_F(SymbolIndexes, OfAnotherSegmentAreRefused) {
  const std::string others = bytes();
  segment_ = segment({{"a.fake", "class A 0\n"}});
  EXPECT_FALSE(open(others));
}

TEST_F(SymbolIndexes, AreRefusedWhereverTheyAreCut) {
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(open(whole.substr(0, size))) << size;
  }
}

TEST_F(SymbolIndexes, NoticeAWrongBitWhereverItIs) {
  const std::string whole = bytes();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1 << at % 8);
    const auto index = open(changed);
    if (!index) continue;
    EXPECT_EQ(told(**index, *segment_), "damaged") << at;
  }
}

/// A table whose checksum is right and whose contents are not must not be read beyond its arrays.
TEST_F(SymbolIndexes, WithForgedContentsAreRefusedOrReadable) {
  const std::string whole = bytes();
  std::mt19937 random(7);
  int readable = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string changed = whole;
    const std::size_t at = 32 + random() % (whole.size() - 32);
    changed[at] = static_cast<char>(random());
    seal_table(changed);
    const auto index = open(changed);
    if (!index) continue;
    if (told(**index, *segment_) != "damaged") ++readable;
    for (SymbolId id = 0; id < (*index)->definition_count(); ++id) {
      EXPECT_LT((*index)->file_of(id), segment_->file_count());
    }
  }
  EXPECT_GT(readable, 0) << "a changed letter of a name is not noticed";
}

TEST_F(SymbolIndexes, NoticeDamageToDefinitionsWhileTheyAreOpen) {
  const std::string whole = bytes();
  const auto index = *open(whole);
  const std::string before = told(*index, *segment_);
  std::ofstream(root_ / "symbols", std::ios::in | std::ios::out)
      .seekp(static_cast<std::streamoff>(end_of_records(whole)) - 16)
      .write("\x7f\x7f\x7f\x7f", 4);
  EXPECT_EQ(told(*index, *segment_), "damaged");
  EXPECT_TRUE(index->is_damaged());
}

}  // namespace
}  // namespace quarry::corpus
