#include "corpus/scip/scip_analyser.h"

#include "base/file.h"
#include "corpus/index/testing/fake_analyser.h"
#include "corpus/scip/testing/scip_bytes.h"
#include "corpus/segment/testing/directory_fixture.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kType = "s m n v Parser#";
const std::string kMethod = "s m n v Parser#parse().";

class ScipAnalysers : public DirectoryFixture {
 protected:
  std::shared_ptr<const ScipIndex> index(const std::vector<std::string>& documents) {
    const auto file = new_directory() / ScipIndex::kFileName;
    write(file, ScipIndex::bytes_of(scip_bytes(documents), ""));
    auto opened = ScipIndex::open(file);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *opened : nullptr;
  }
  ScipAnalyser with(const ScipDocumentBytes& document) {
    return ScipAnalyser(index({document.bytes()}), others_);
  }
  /// "kind name line first-last parent" of each.
  static std::vector<std::string> shown(const Result<std::vector<SymbolDefinition>>& found) {
    EXPECT_TRUE(found) << found.error().message;
    std::vector<std::string> out;
    if (!found) return out;
    for (const SymbolDefinition& one : *found) {
      out.push_back(one.kind + ' ' + one.name + ' ' + std::to_string(one.line) + ' ' +
                    std::to_string(one.first_line) + '-' + std::to_string(one.last_line) + ' ' +
                    std::to_string(one.parent));
    }
    return out;
  }

  FakeAnalyser others_;
};

TEST_F(ScipAnalysers, TellDefinitionsOfFilesThatNothingElseReads) {
  const auto document = ScipDocumentBytes("a.new")
                            .definition("s m n v a/", {0, 0, 0})
                            .definition(kType, {1, 5, 11}, {0, 0, 3, 1})
                            .definition(kMethod, {2, 2, 7})
                            .definition("s m n v Parser#parse().(text)", {2, 8, 12})
                            .definition("local 1", {2, 2, 7});
  auto analyser = with(document);
  EXPECT_THAT(
      shown(analyser.definitions("a.new", "/* a parser */\ntype Parser\n  parse text\n}\n", {})),
      ElementsAre("type Parser 2 1-4 -1", "method parse 3 3-3 0"));
}

TEST_F(ScipAnalysers, NameKindsAsTheIndexDoesOrByTheSymbol) {
  ScipDocumentBytes document("a.new");
  document.definition("s m n v a/", {0, 0, 1}).definition("s m n v b#", {1, 0, 1});
  document.definition("s m n v c.", {2, 0, 1}).definition("s m n v b#d.", {3, 0, 1});
  document.definition("s m n v e().", {4, 0, 1}).definition("s m n v f!", {5, 0, 1});
  document.definition("s m n v g:", {6, 0, 1}).definition("s m n v h#", {7, 0, 1});
  document.definition("s m n v i#", {8, 0, 1});
  document.kind("s m n v h#", 21).kind("s m n v i#", 9999);
  auto analyser = with(document);
  EXPECT_THAT(shown(analyser.definitions("a.new", "a\nb\nc\nd\ne\nf\ng\nh\ni\n", {})),
              ElementsAre("namespace a 1 1-1 -1", "type b 2 2-2 -1", "variable c 3 3-3 -1",
                          "field d 4 4-4 1", "function e 5 5-5 -1", "macro f 6 6-6 -1",
                          "property g 7 7-7 -1", "interface h 8 8-8 -1", "type i 9 9-9 -1"));
}

TEST_F(ScipAnalysers, AddWhatTheParserDoesNotFind) {
  const auto document = ScipDocumentBytes("a.fake")
                            .definition(kType, {1, 6, 12})
                            .definition("s m n v Parser#made().", {2, 2, 6})
                            .definition(kMethod, {3, 9, 14});
  auto analyser = with(document);
  const std::string text = "# about it\nclass Parser 2\n  made by a macro\n  method parse 0\n";
  EXPECT_THAT(shown(analyser.definitions("a.fake", text, {})),
              ElementsAre("class Parser 2 1-4 -1", "method made 3 3-3 0", "method parse 4 4-4 0"));
}

TEST_F(ScipAnalysers, KeepToDefinitionsThatStandInTheText) {
  ScipDocumentBytes document("a.new");
  for (int line = 0; line < 20; ++line) document.definition(kMethod, {line, 0, 5});
  auto analyser = with(document);
  std::string text;
  for (int line = 0; line < 18; ++line) text += "parse\n";
  EXPECT_EQ(analyser.definitions("a.new", text, {})->size(), 18u) << "two are beyond the end";
  text.replace(0, 5, "other");
  EXPECT_THAT(*analyser.definitions("a.new", text, {}), IsEmpty()) << "more than a tenth";
}

TEST_F(ScipAnalysers, TakeTheNameFromTheText) {
  const auto document = ScipDocumentBytes("a.new")
                            .definition("s m n v `<get>size`().", {0, 4, 8})
                            .definition("s m n v other.", {1, 0, 4});
  EXPECT_THAT(shown(with(ScipDocumentBytes("a.new").definition("s m n v `<get>size`().", {0, 4, 8}))
                        .definitions("a.new", "get size\n", {})),
              ElementsAre("function size 1 1-1 -1"));
  EXPECT_THAT(shown(with(document).definitions("a.new", "get size\nsize\n", {})), IsEmpty())
      << "half of it is out of date";
}

TEST_F(ScipAnalysers, TryEachEncodingThatIsNotTold) {
  const std::string text = "\xF0\x9F\x98\x80 size\n";
  for (const std::int32_t begin : {5, 3, 2}) {  // UTF-8, UTF-16, UTF-32
    const auto document = ScipDocumentBytes("a.new", ScipEncoding::kUnspecified)
                              .definition("s m n v size.", {0, begin, begin + 4});
    EXPECT_EQ(with(document).definitions("a.new", text, {})->size(), 1u) << begin;
  }
  const auto told =
      ScipDocumentBytes("a.new", ScipEncoding::kUtf32).definition("s m n v size.", {0, 3, 7});
  EXPECT_THAT(*with(told).definitions("a.new", text, {}), IsEmpty());
}

TEST_F(ScipAnalysers, GiveUpDocumentsWithManyPlacesFarIntoALongLine) {
  const std::string text = std::string(1'000'000, ' ') + "parse\n";
  ScipDocumentBytes few("a.new");
  few.definition(kMethod, {0, 1'000'000, 1'000'005});
  EXPECT_THAT(shown(with(few).definitions("a.new", text, {})),
              ElementsAre("method parse 1 1-1 -1"));
  ScipDocumentBytes many("a.new");
  for (int i = 0; i < 2'000; ++i) many.definition(kMethod, {0, 1'000'000, 1'000'005});
  EXPECT_THAT(*with(many).definitions("a.new", text, {}), IsEmpty());
}

TEST_F(ScipAnalysers, FindReferencesWithThoseOfTheParser) {
  const auto document = ScipDocumentBytes("a.fake")
                            .definition(kMethod, {0, 9, 14})
                            .reference(kMethod, {2, 5, 10})
                            .reference("local 1", {3, 0, 5})
                            .reference("s m n v other.", {4, 0, 5})
                            .reference(kMethod, {3, 7, 12});
  auto analyser = with(document);
  const std::string text = "function parse 0\nuse parse\ncall parse\nparse, parse\nother\n";
  EXPECT_THAT(*analyser.references("a.fake", text, "parse", {}), ElementsAre(2, 3, 4));
  EXPECT_THAT(*analyser.references("a.fake", text, "other", {}), ElementsAre(5));
  EXPECT_THAT(*analyser.references("b.fake", text, "parse", {}), ElementsAre(2)) << "another file";
}

TEST_F(ScipAnalysers, AreReadersThatChangeWithTheDocument) {
  const auto before = index({ScipDocumentBytes("a.fake").bytes(), ScipDocumentBytes("b").bytes()});
  const auto after = index({ScipDocumentBytes("a.fake").definition(kType, {0, 0, 1}).bytes(),
                            ScipDocumentBytes("b").bytes()});
  const auto reader = [&](const auto& of, const char* path) {
    return ScipAnalyser(of, others_).reader_of(path, "");
  };
  EXPECT_NE(reader(before, "a.fake"), reader(after, "a.fake"));
  EXPECT_NE(reader(before, "a.fake"), "fake@1");
  EXPECT_TRUE(reader(before, "a.fake").ends_with("+fake@1"));
  EXPECT_EQ(reader(before, "b"), reader(after, "b"));
  EXPECT_FALSE(reader(before, "b").empty());
  EXPECT_EQ(reader(before, "c.fake"), "fake@1");
  EXPECT_EQ(reader(before, "c"), "");
  EXPECT_EQ(reader(nullptr, "a.fake"), "fake@1");
}

TEST_F(ScipAnalysers, TellWhatTheyCanWhereTheParserFails) {
  const auto document = ScipDocumentBytes("a.fake").definition("s m n v crash.", {0, 0, 5});
  auto analyser = with(document);
  EXPECT_THAT(shown(analyser.definitions("a.fake", "crash\n", {})),
              ElementsAre("variable crash 1 1-1 -1"));
  EXPECT_FALSE(analyser.definitions("a.fake", "gone\n", {})) << "it is read again later";
  EXPECT_FALSE(analyser.definitions("a.fake", "other\ncrash\n", {})) << "the index is out of date";
  auto uses = with(ScipDocumentBytes("a.fake").reference(kMethod, {1, 4, 9}));
  EXPECT_THAT(*uses.references("a.fake", "crash\nuse parse\n", "parse", {}), ElementsAre(2));
  EXPECT_FALSE(uses.references("a.fake", "crash\nuse other\n", "parse", {}));
}

TEST_F(ScipAnalysers, LeaveMalformedDocumentsToTheParser) {
  std::string document = ScipDocumentBytes("a.fake").bytes();
  document += '\x12';  // an occurrence without its length
  const auto opened = index({document});
  ScipAnalyser analyser(opened, others_);
  EXPECT_THAT(shown(analyser.definitions("a.fake", "class A 0\n", {})),
              ElementsAre("class A 1 1-1 -1"));
}

TEST_F(ScipAnalysers, LookAtTheFirstLineOfFilesWithoutExtension) {
  const auto document = ScipDocumentBytes("run").definition("s m n v x.", {1, 6, 7});
  auto analyser = with(document);
  EXPECT_THAT(shown(analyser.definitions("run", "#!fake\nclass x 0\n", {})),
              ElementsAre("class x 2 1-2 -1"));
}

TEST_F(ScipAnalysers, DoNotLetADefinitionEncloseItself) {
  const auto document = ScipDocumentBytes("a.new")
                            .definition("s m n v a#b.", {0, 0, 1})
                            .definition("s m n v a#", {0, 0, 1});
  EXPECT_THAT(shown(with(document).definitions("a.new", "a\n", {})), IsEmpty())
      << "the name b stands nowhere";
  const auto sound = ScipDocumentBytes("a.new")
                         .definition("s m n v a#a.", {0, 0, 1})
                         .definition("s m n v a#", {0, 0, 1});
  EXPECT_THAT(shown(with(sound).definitions("a.new", "a\n", {})), ElementsAre("field a 1 1-1 -1"));
}

TEST(ScipIndexes, ThatAreNoneAreRefused) {
  EXPECT_TRUE(ScipIndex::check(scip_bytes({ScipDocumentBytes("a").bytes()})));
  EXPECT_TRUE(ScipIndex::check(""));
  EXPECT_FALSE(ScipIndex::check("export const notAnIndex = 1;"));
  EXPECT_FALSE(
      ScipIndex::check(scip_bytes({"\x0A\x05"
                                   "abc"})))
      << "a path that is cut short";
}

TEST_F(ScipAnalysers, TakeTheFirstOfDocumentsWithOnePath) {
  const auto opened = index({ScipDocumentBytes("b").bytes(),
                             ScipDocumentBytes("a").definition(kType, {0, 0, 1}).bytes(),
                             ScipDocumentBytes("a").bytes()});
  EXPECT_GT(opened->document("a").size(), ScipDocumentBytes("a").bytes().size());
  EXPECT_EQ(opened->document("c"), "");
}

}  // namespace
}  // namespace quarry::corpus
