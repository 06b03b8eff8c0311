#include "base/testing/test_executors.h"
#include "corpus/query/testing/collection_fixture.h"
#include "corpus/tools/testing/text_page.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using namespace std::string_view_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Pages as the models of questions get them.
class TextPages : public CollectionFixture {
 protected:
  std::string text(Retrieve tool, const Collection& all, const Json& arguments) {
    const auto page = text_page(tool, all, arguments, executor_);
    EXPECT_TRUE(page) << page.error().message;
    if (!page) return {};
    EXPECT_LE(page->size(), kQuestionTokens * kBytesPerToken);
    return *page;
  }
  Error refusal(Retrieve tool, const Collection& all, const Json& arguments) {
    const auto page = text_page(tool, all, arguments, executor_);
    return page ? Error{Code::kOk, *page} : page.error();
  }
  Collection docs() {
    return collection("docs", {{"README.md", "# Hello\n"},
                               {"guide/start.md", "one\ntwo\n"},
                               {"guide/deep/more.md", "x"},
                               {"logo.png", "\0\1"sv}});
  }
  InlineExecutor executor_;
};

// nodejs/node#2165, rfjakob/gocryptfs#992, unmade/shelf-back#50
TEST_F(TextPages, FindNamesInComposedAndDecomposedCharacters) {
  const auto all = collection(
      "r", {{"caf\u00E9.md", "composed\n"}, {"u\u0308ber/e\u0301t\u00E9.md", "mixed\n"}});
  EXPECT_THAT(text(read_page, all, {{"path", "r/cafe\u0301.md"}}), HasSubstr("composed"));
  EXPECT_THAT(text(read_page, all, {{"path", "r/\u00fcber/\u00e9te\u0301.md"}}),
              HasSubstr("mixed"));
  EXPECT_THAT(text(list_page, all, {{"path", "r/\u00fcber"}}), HasSubstr("t\u00E9.md"));
  EXPECT_THAT(text(list_page, all, {{"glob", "**/*\u00e9.md"}}),
              AllOf(HasSubstr("caf\u00E9.md"), HasSubstr("t\u00E9.md")));
  EXPECT_THAT(refusal(read_page, all, {{"path", "r/cafe.md"}}).message, HasSubstr("there is no"));
}

TEST_F(TextPages, ListOneDirectory) {
  const Collection all = docs();
  EXPECT_EQ(text(list_page, all, Json::object()), "docs/ 4 files");
  EXPECT_EQ(text(list_page, all, {{"path", "docs"}}),
            "docs/:\nREADME.md 1 lines\nguide/ 2 files\nlogo.png binary 2 bytes");
  EXPECT_EQ(text(list_page, all, {{"path", "docs/guide/"}}),
            "docs/guide/:\ndeep/ 1 files\nstart.md 2 lines");
  EXPECT_EQ(text(list_page, collection("@kit/docs", {{"a", "x"}}), Json::object()),
            "@kit/docs/ 1 files");
}

TEST_F(TextPages, ListFilesByAGlobAlsoAtTheRoot) {
  const Collection all = docs();
  EXPECT_EQ(text(list_page, all, {{"glob", "**/*.md"}}),
            "docs/:\nREADME.md 1 lines\ndocs/guide/deep/:\nmore.md 1 lines\n"
            "docs/guide/:\nstart.md 2 lines");
  EXPECT_EQ(text(list_page, all, {{"glob", "*.md"}, {"path", "docs/guide/deep"}}),
            "docs/guide/deep/:\nmore.md 1 lines");
  EXPECT_EQ(text(list_page, all, {{"glob", "docs/*.md"}}), "docs/:\nREADME.md 1 lines");
  EXPECT_THAT(text(list_page, all, {{"glob", "*.rs"}}), StartsWith("(No file fits."));
  EXPECT_THAT(text(list_page, all, {{"glob", "*"}, {"limit", 1}}),
              HasSubstr("3 entries are left out: repeat the call with cursor"));
}

TEST_F(TextPages, SayWhatIsNoDirectory) {
  const Collection all = docs();
  const Error file = refusal(list_page, all, {{"path", "docs/README.md"}});
  EXPECT_EQ(file.code, Code::kInvalidArgument);
  EXPECT_THAT(file.message, HasSubstr("is a file"));
  EXPECT_THAT(file.hint, HasSubstr("read"));
  const Error slip = refusal(list_page, all, {{"path", "docs/guid"}});
  EXPECT_THAT(slip.message, HasSubstr("did you mean \"docs/guide\""));
}

TEST_F(TextPages, OfReadSayHowToGoOn) {
  std::string lines;
  for (int i = 1; i <= 5000; ++i) lines += "line " + std::to_string(i) + "\n";
  const Collection all = collection("docs", {{"long", lines}});
  EXPECT_THAT(text(read_page, all, {{"path", "docs/long"}, {"startLine", 101}, {"limit", 2}}),
              AllOf(StartsWith("docs/long:101: line 101\n102: line 102\n"),
                    HasSubstr("(Lines 103-5000 are left out: repeat the call with cursor, or with "
                              "this startLine. cursor: ")));
  EXPECT_THAT(text(read_page, all, {{"path", "docs/long"}, {"startLine", 4999}}),
              EndsWith("docs/long:4999: line 4999\n5000: line 5000"));
  EXPECT_THAT(text(read_page, collection("dos", {{"a", "one\r\ntwo\r\n"}}), {{"path", "a"}}),
              EndsWith("dos/a:1: one\n2: two"));
}

TEST_F(TextPages, OfReadCutLongLinesByCharacters) {
  std::string wide;
  for (int i = 0; i < 2001; ++i) wide += "é";
  const Collection all = collection("docs", {{"wide", wide + "\nnext"}});
  EXPECT_THAT(text(read_page, all, {{"path", "docs/wide"}}), EndsWith("é…\n2: next"));
}

TEST_F(TextPages, OfReadSayWhatHasNoLines) {
  const Collection all = collection("docs", {{"empty", ""}, {"logo.png", "\0\1"sv}});
  EXPECT_EQ(text(read_page, all, {{"path", "docs/empty"}}), "(docs/empty is empty.)");
  EXPECT_THAT(text(read_page, all, {{"path", "docs/logo.png"}}),
              HasSubstr("docs/logo.png is a binary file of 2 B"));
}

TEST_F(TextPages, OfReadNameNearFilesForAMissingOne) {
  const Collection all = docs();
  const auto message = [&](const char* path) {
    return refusal(read_page, all, {{"path", path}}).message;
  };
  EXPECT_THAT(message("docs/guide/strat.md"), HasSubstr("\"docs/guide/start.md\"?"));
  EXPECT_THAT(message("docs/more.md"), HasSubstr("\"docs/guide/deep/more.md\"?"));
  EXPECT_THAT(message("docs/nowhere/at-all"), Not(HasSubstr("did you mean")));
  EXPECT_THAT(message("docs/guide"), HasSubstr("is a directory"));
  EXPECT_THAT(message("/"), HasSubstr("is a directory"));
  EXPECT_THAT(message("docs/../../etc/passwd"), HasSubstr("leaves its root"));
}

TEST_F(TextPages, ShowPathsOfAnyBytesAsOneLineOfUtf8) {
  const Collection all = collection("docs", {{"two\nlines\xFF", "zebra"}});
  constexpr auto kShown = "docs/:\ntwo?lines\xEF\xBF\xBD 1 lines";
  EXPECT_EQ(text(list_page, all, {{"path", "docs"}}), kShown);
  EXPECT_EQ(text(list_page, all, {{"glob", "*"}}), kShown);
  EXPECT_THAT(text(search_page, all, {{"query", "zebra"}}),
              HasSubstr("docs/two?lines\xEF\xBF\xBD:1: zebra"));
}

TEST_F(TextPages, FindAFileByTheNameTheyShow) {
  const Collection all =
      collection("docs", {{"two\nlines\xFF", "x"}, {"why?", "y"}, {"why\n", "z"}});
  for (const char* path : {"docs/two?lines\xEF\xBF\xBD", "two?lines\xEF\xBF\xBD"}) {
    EXPECT_THAT(text(read_page, all, {{"path", path}}), EndsWith(":1: x"));
  }
  EXPECT_THAT(text(read_page, all, {{"path", "docs/why?"}}), EndsWith(":1: y"));
  EXPECT_THAT(refusal(read_page, all, {{"path", "docs/who?"}}).message, HasSubstr("there is no"));
}

// Citations and places in compilers' output, as models and people copy them.
TEST_F(TextPages, FindAFileByAPathAsItIsCopied) {
  const Collection all = collection("docs", {{"sub/a.md", "x"}, {"b:3", "y"}});
  for (const char* path :
       {"docs:sub/a.md", "[docs:sub/a.md#L1-L3]", "docs/sub/a.md#L1", "docs/sub/a.md:1:5",
        "sub/a.md:1-2", "docs\\sub\\a.md", "`docs/sub/a.md`", " docs/sub/a.md\n"}) {
    EXPECT_THAT(text(read_page, all, {{"path", path}}), EndsWith("docs/sub/a.md:1: x")) << path;
  }
  EXPECT_THAT(text(read_page, all, {{"path", "b:3"}}), EndsWith(":1: y")) << "as it is written";
  EXPECT_THAT(refusal(read_page, all, {{"path", "docs/c.md:1"}}).message,
              HasSubstr("there is no \"docs/c.md:1\""));
}

TEST_F(TextPages, OfGrepSayHowToGoOn) {
  const auto all = collection("r", {{"a", "x\ny\nz\nz\nx"}, {"b", "x"}});
  EXPECT_EQ(text(grep_page, all, {{"pattern", "x"}, {"context", 1}}),
            "r/a:1: x\n2: y\n4: z\n5: x\nr/b:1: x");
  EXPECT_THAT(text(grep_page, all, {{"pattern", "x"}, {"limit", 2}}),
              HasSubstr("More lines match"));
  EXPECT_THAT(text(grep_page, all, {{"pattern", "X"}}), HasSubstr("ignoreCase"));
  EXPECT_THAT(text(grep_page, all, {{"pattern", "X"}, {"ignoreCase", true}}), StartsWith("r/a:1"));
  EXPECT_THAT(refusal(grep_page, all, {{"pattern", "("}}).message, HasSubstr("missing )"));
}

// daddel80/notepadpp-multireplace#133, microsoft/vscode#116002: files that are skipped in silence
TEST_F(TextPages, NameFilesThatLookBinaryWhenNothingIsFound) {
  const auto all = collection("r", {{"a", "x"}, {"sub/b.dat", "x\0\1"sv}});
  EXPECT_THAT(text(grep_page, all, {{"pattern", "y"}}),
              HasSubstr("Not searched, since it looks binary: r/sub/b.dat."));
  EXPECT_THAT(text(search_page, all, {{"query", "zebra"}}), HasSubstr("r/sub/b.dat."));
  EXPECT_THAT(text(grep_page, all, {{"pattern", "y"}, {"path", "r/sub"}}), HasSubstr("b.dat"));
  EXPECT_THAT(text(grep_page, all, {{"pattern", "y"}, {"path", "r/a"}}),
              Not(HasSubstr("searched")));
  EXPECT_THAT(text(grep_page, all, {{"pattern", "x"}}), Not(HasSubstr("searched")));
  const auto more = collection("r", {{"1", "\0"sv}, {"2", "\0"sv}, {"3", "\0"sv}, {"4", "\0"sv}});
  EXPECT_THAT(text(grep_page, more, {{"pattern", "y"}}),
              HasSubstr("they look binary: r/1, r/2, r/3 and 1 more file."));
}

TEST_F(TextPages, NameFilesThatAreTooLargeWhenNothingIsFound) {
  const auto all = collection("r", {{"a", "x"}, {"b.sql", std::string((4u << 20) + 1, 'x')}});
  EXPECT_THAT(text(grep_page, all, {{"pattern", "y"}}),
              HasSubstr("Not searched, since it is too large: r/b.sql."));
}

TEST_F(TextPages, OfGrepFindTextInNationalEncodingsAndNotebooks) {
  const auto all = collection(
      "r", {{"a.py",
             "# \xE9t\xE9 \xE0 la fran\xE7"
             "aise\r\nreturn value\r\n"},
            {"b.ipynb",
             R"json({"cells":[{"cell_type":"code","source":["import x\n","fit(y)"]}]})json"}});
  EXPECT_EQ(text(grep_page, all, {{"pattern", "value$"}}), "r/a.py:2: return value");
  EXPECT_EQ(text(grep_page, all, {{"pattern", "été à"}}), "r/a.py:1: # été à la française");
  EXPECT_EQ(text(grep_page, all, {{"pattern", "^fit"}}), "r/b.ipynb:3: fit(y)");
}

TEST_F(TextPages, OfSearchShowPassagesWithTheirPlaceAndLines) {
  const Collection all = collection("docs", {{"a.md", "# Pets\n\nThe zebra\nsleeps.\n"}});
  EXPECT_EQ(text(search_page, all, {{"query", "zebra"}}),
            "-- Pets\ndocs/a.md:1: # Pets\n2:\n3: The zebra\n4: sleeps.");
  EXPECT_THAT(text(search_page, all, {{"query", "lion"}}),
              AllOf(HasSubstr("No passage fits"), HasSubstr("grep")));
}

TEST_F(TextPages, OfSearchCutLongPassagesAndTellTheirLastLine) {
  auto writer = *SnapshotWriter::create(new_directory(), {}, {});
  std::string lines;
  for (int i = 0; i < 50; ++i) lines += "zebra " + std::string(200, 'x') + " " + "\n";
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(writer->add("f" + std::to_string(i) + ".txt", lines));
  const Collection all({{"docs", *writer->finish()}});
  const std::string page = text(search_page, all, {{"query", "zebra"}, {"limit", 50}});
  EXPECT_THAT(page, ::testing::ContainsRegex("docs/f[0-9]+.txt:1-[0-9]+: zebra"));
}

}  // namespace
}  // namespace quarry::corpus
