#include "corpus/query/citations.h"

#include "corpus/query/citation_text.h"
#include "corpus/query/testing/collection_fixture.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Citations : public CollectionFixture {
 protected:
  void SetUp() override {
    CollectionFixture::SetUp();
    collection_ = std::make_unique<Collection>(collection(
        "kit", {{"src/a.js", "let a = 1;\nlet b = 2;\n\nfunction sum() {\n  return a + b;\n}\n"},
                {"src/routes/[slug]/+page.svelte", "<h1>one</h1>\n<p>two</p>\n"},
                {"a, b.md", "text\n"},
                {"empty", ""}}));
  }
  /// Each citation as "name:path#first-last", followed by "?" if it is not verified.
  std::vector<std::string> check(std::string_view answer) {
    std::vector<std::string> out;
    for (const Citation& citation : check_citations(*collection_, answer)) {
      out.push_back(citation.resource + ":" + citation.path + "#" +
                    std::to_string(citation.start_line) + "-" + std::to_string(citation.end_line) +
                    (citation.verified ? "" : "?"));
    }
    return out;
  }
  std::unique_ptr<Collection> collection_;
};

TEST_F(Citations, HoldWhenTheLinesAreThere) {
  EXPECT_THAT(check("See [kit:src/a.js#L1-L3] and [kit:src/a.js#L6]."),
              ElementsAre("kit:src/a.js#1-3", "kit:src/a.js#6-6"));
  EXPECT_THAT(check("[kit:src/a.js]"), ElementsAre("kit:src/a.js#1-6")) << "the whole file";
  EXPECT_THAT(check("[kit:empty]"), ElementsAre("kit:empty#0-0"));
}

TEST_F(Citations, AreListedButDoNotHoldOtherwise) {
  EXPECT_THAT(check("[kit:src/a.js#L6-L7]"), ElementsAre("kit:src/a.js#6-7?")) << "no line 7";
  EXPECT_THAT(check("[kit:src/a.js#L3-L2]"), ElementsAre("kit:src/a.js#3-2?"));
  EXPECT_THAT(check("[kit:src/none.js#L1]"), ElementsAre("kit:src/none.js#1-1?"));
  EXPECT_THAT(check("[other:src/a.js#L1]"), ElementsAre("other:src/a.js#1-1?"));
  EXPECT_THAT(check("[kit:../secret#L1]"), ElementsAre("kit:../secret#1-1?"));
  EXPECT_THAT(check("[kit:src#L1]"), ElementsAre("kit:src#1-1?")) << "a directory";
}

TEST_F(Citations, AreReadGenerously) {
  EXPECT_THAT(check("[KIT:/src/./a.js#L1-2]"), ElementsAre("kit:src/a.js#1-2"));
  EXPECT_THAT(check("[kit:src/a.js#L1, kit:empty]"),
              ElementsAre("kit:src/a.js#1-1", "kit:empty#0-0"));
  EXPECT_THAT(check("[kit:src/a.js#L1-L2, #L4, L5-L6]"),
              ElementsAre("kit:src/a.js#1-2", "kit:src/a.js#4-4", "kit:src/a.js#5-6"));
  EXPECT_THAT(check("[kit:a, b.md#L1]"), ElementsAre("kit:a, b.md#1-1"));
  EXPECT_THAT(check("([kit:src/a.js#L1](http://x))"), ElementsAre("kit:src/a.js#1-1"));
}

TEST_F(Citations, MayHaveBracketsInTheirPath) {
  EXPECT_THAT(check("In [kit:src/routes/[slug]/+page.svelte#L2], and [also] this."),
              ElementsAre("kit:src/routes/[slug]/+page.svelte#2-2"));
  EXPECT_THAT(check("[see [kit:src/a.js#L1] there]"), ElementsAre("kit:src/a.js#1-1"));
}

TEST_F(Citations, MayEncodeWhatWouldEndThem) {
  collection_ = std::make_unique<Collection>(collection("kit", {{"a]b[c.md", "text\n"},
                                                                {"50%.md", "text\n"},
                                                                {"odd%5D.md", "text\n"},
                                                                {"odd].md", "other\n"},
                                                                {" lead.md", "text\n"}}));
  EXPECT_THAT(check("[kit:a%5Db%5bc.md#L1]"), ElementsAre("kit:a]b[c.md#1-1"));
  EXPECT_THAT(check("[kit:50%.md#L1]"), ElementsAre("kit:50%.md#1-1"));
  EXPECT_THAT(check("[kit:50%25.md#L1]"), ElementsAre("kit:50%.md#1-1"));
  EXPECT_THAT(check("[kit:odd%5D.md#L1]"), ElementsAre("kit:odd%5D.md#1-1")) << "the actual name";
  EXPECT_THAT(check("[kit:%20lead.md#L1]"), ElementsAre("kit: lead.md#1-1"));
  EXPECT_THAT(check("[kit:a%5Db%5Dc.md#L1]"), ElementsAre("kit:a%5Db%5Dc.md#1-1?"));
}

TEST_F(Citations, MayNameAFileAsToolsShowIt) {
  collection_ = std::make_unique<Collection>(collection("kit", {{"two\nlines", "text\n"}}));
  EXPECT_THAT(check("[kit:two?lines#L1]"), ElementsAre("kit:two\nlines#1-1"));
}

TEST_F(Citations, AreToldFromProseAndAddresses) {
  EXPECT_THAT(check("[note: this], [x:y], a[1:2], [https://x.org/a#L1], [kit:], [], [:a], ]["),
              IsEmpty());
  EXPECT_THAT(check("```js\nx = [kit:src/a.js#L1]\n```\n"), IsEmpty()) << "code is not a citation";
}

TEST_F(Citations, AppearOnceEach) {
  EXPECT_THAT(check("[kit:src/a.js#L1] [Kit:src/a.js#L1] [kit:src/a.js#L1-L1]"),
              ElementsAre("kit:src/a.js#1-1"));
}

TEST_F(Citations, HoldOnlyWithTheTextQuotedBesideThem) {
  EXPECT_THAT(
      check("As in [kit:src/a.js#L4-L6]:\n```js\nfunction sum() {\n    return a + b;\n}\n```\n"),
      ElementsAre("kit:src/a.js#4-6"));
  EXPECT_THAT(
      check("As in [kit:src/a.js#L4-L6]:\n\n```js\nfunction sum() { return a - b; }\n```\n"),
      ElementsAre("kit:src/a.js#4-6?"));
  EXPECT_THAT(check("```\nlet b = 2;\n```\n[kit:src/a.js#L1]"), ElementsAre("kit:src/a.js#1-1?"))
      << "it is on another line";
  EXPECT_THAT(check("> let a = 1;\n\n— [kit:src/a.js#L1] says so"),
              ElementsAre("kit:src/a.js#1-1"));
  EXPECT_THAT(check("> \"let a = 1;\" [kit:src/a.js#L1]"), ElementsAre("kit:src/a.js#1-1"));
  EXPECT_THAT(check("> let z = 1; [kit:src/a.js#L1]"), ElementsAre("kit:src/a.js#1-1?"));
}

TEST_F(Citations, DoNotMindQuotationsOfOthers) {
  EXPECT_THAT(check("The sum [kit:src/a.js#L4] is used like so:\n```\nunrelated()\n```\n"),
              ElementsAre("kit:src/a.js#4-4"))
      << "the line goes on after the citation";
  EXPECT_THAT(
      check("```\nlet a = 1;\n```\n[kit:src/a.js#L1]\n```\nlet b = 2;\n```\n[kit:src/a.js#L2]\n"),
      ElementsAre("kit:src/a.js#1-1", "kit:src/a.js#2-2"));
}

TEST_F(Citations, AllowAQuotationToLeaveSomethingOut) {
  EXPECT_THAT(check("[kit:src/a.js#L1-L6]\n```\nlet a = 1;\n// ...\n  return a + b;\n```\n"),
              ElementsAre("kit:src/a.js#1-6"));
  EXPECT_THAT(check("[kit:src/a.js#L1-L6]\n```\nreturn a + b;\n…\nlet a = 1;\n```\n"),
              ElementsAre("kit:src/a.js#1-6?"))
      << "in the wrong order";
}

/// With the square of these lengths it would take hours.
TEST_F(Citations, TakeTimeLinearInTheAnswer) {
  EXPECT_THAT(check(std::string(3'000'000, '[')), IsEmpty());
  EXPECT_THAT(check(std::string(1'500'000, '[') + std::string(1'500'000, ']')), IsEmpty());
  std::string open;
  for (int i = 0; i < 500'000; ++i) open += "[a:[";
  EXPECT_THAT(check(open + std::string(1'000'000, ']')), IsEmpty());
  std::string quoted;
  for (int i = 0; i < 100'000; ++i) quoted += "> let a = 1; [kit:src/a.js#L1]\n";
  EXPECT_EQ(check(quoted).size(), 1u);
}

}  // namespace
}  // namespace quarry::corpus
