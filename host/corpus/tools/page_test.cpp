#include "corpus/tools/page.h"

#include "base/testing/test_executors.h"
#include "base/text.h"
#include "corpus/query/citations.h"
#include "corpus/query/testing/collection_fixture.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

using ::testing::HasSubstr;

class RetrievalPages : public CollectionFixture {
 protected:
  /// 40 files of 10 lines, each with one line "needle <file>".
  Collection many_files() {
    auto writer = *SnapshotWriter::create(new_directory(), {}, {false, false, false});
    for (int i = 0; i < 40; ++i) {
      std::string text;
      for (int line = 1; line <= 10; ++line) {
        text += (line == 5 ? "needle " : "straw ") + std::to_string(i) + '\n';
      }
      EXPECT_TRUE(writer->add("src/file" + std::to_string(i) + ".txt", text));
    }
    return Collection({{"docs", *writer->finish()}});
  }
  Result<Json> run(Retrieve tool, const Json& arguments, const std::string& version = "v1") {
    const std::vector<SourceFacts> facts{
        {version,
         [](std::string_view path, std::uint32_t start, std::uint32_t end) {
           return "https://example.org/" + std::string(path) + "#" + std::to_string(start) + "-" +
                  std::to_string(end);
         },
         "https://example.org/{path}#{start}-{end}"}};
    std::vector<SourceFacts> all(all_->sources().size(), facts.front());
    return tool({.collection = *all_,
                 .facts = all,
                 .executor = executor_,
                 .stop = stop_.get_token(),
                 .form = form_},
                arguments);
  }
  /// The results of all pages, each of at most `max_tokens` tokens.
  Json all_pages(Retrieve tool, Json arguments, const char* results, std::uint32_t max_tokens) {
    Json all = Json::array();
    arguments["maxTokens"] = max_tokens;
    for (int pages = 0; pages < 500; ++pages) {
      const auto page = run(tool, arguments);
      EXPECT_TRUE(page) << page.error().message;
      if (!page) return all;
      EXPECT_LE(estimated_tokens(*page), max_tokens) << *page;
      EXPECT_FALSE((*page)[results].empty());
      for (const Json& result : (*page)[results]) all.push_back(result);
      if (!(*page)["more"]) return all;
      arguments["cursor"] = (*page)["cursor"];
    }
    ADD_FAILURE() << "the pages do not end";
    return all;
  }

  std::optional<Collection> all_ = std::nullopt;
  ThreadPerJob executor_;
  std::stop_source stop_;
  PageForm form_ = PageForm::kJson;

  /// The text of a page, as a model gets it.
  std::string text(Retrieve tool, const Json& arguments) {
    form_ = PageForm::kText;
    auto page = run(tool, arguments);
    if (!page) return page.error().message;
    finish_text(*page, false);
    return (*page)["text"];
  }
};

constexpr std::string_view kHead =
    "docs/{path}: version v1, cite [docs:{path}#L{start}-L{end}], "
    "https://example.org/{path}#{start}-{end}\n";

TEST_F(RetrievalPages, AsTextAreLinesAsRipgrepPrintsThem) {
  all_.emplace(collection("docs", {{"a.md", "one\ntwo\n\none more\n"}, {"b/c.md", "one\n"}}));
  EXPECT_EQ(text(grep_page, {{"pattern", "one"}}), std::string(kHead) +
                                                       "docs/a.md:1: one\n"
                                                       "4: one more\n"
                                                       "docs/b/c.md:1: one");
  EXPECT_EQ(text(read_page, {{"path", "a.md"}, {"startLine", 2}}),
            std::string(kHead) + "docs/a.md:2: two\n3:\n4: one more");
  EXPECT_EQ(text(list_page, Json::object()), "docs/ 2 files version v1");
  EXPECT_EQ(text(list_page, {{"path", "docs"}}), "docs/:\na.md 4 lines\nb/ 1 files");
  EXPECT_THAT(text(grep_page, {{"pattern", "none"}}), ::testing::StartsWith("(No line matches"));
}

TEST_F(RetrievalPages, OfGrepHaveTheLinesAroundEachMatch) {
  std::string text;
  std::set<std::string> expected;
  for (int i = 1; i <= 60; ++i) {
    for (const char* line : {"before", "match", "after", "far", "far"}) {
      text += line + (" " + std::to_string(i)) + "\n";
      if (line != std::string_view("far")) expected.insert(line + (" " + std::to_string(i)));
    }
  }
  all_.emplace(collection("docs", {{"a.txt", text}}));
  for (std::uint32_t tokens = kLeastTokens; tokens < kLeastTokens + 40; ++tokens) {
    std::set<std::string> seen;
    const Json hits = all_pages(grep_page, {{"pattern", "^match"}, {"context", 1}}, "hits", tokens);
    for (const Json& hit : hits) {
      for (const auto line : split(hit["text"].get_ref<const std::string&>(), '\n')) {
        seen.emplace(line);
      }
    }
    EXPECT_EQ(seen, expected) << tokens;
  }
}

TEST_F(RetrievalPages, ReadTheLinesBehindAPath) {
  all_.emplace(collection("docs", {{"a.md", "1\n2\n3\n4\n"}, {"b#L1", "one\ntwo\n"}}));
  const auto lines = [&](const char* path) {
    const auto page = run(read_page, {{"path", path}});
    if (!page) return page.error().message;
    const Json& hit = (*page)["hits"][0];
    return hit["startLine"].dump() + "-" + hit["endLine"].dump();
  };
  for (const char* path : {"docs:a.md#L2-L3", "[docs:a.md#L2-L3]", "docs/a.md#L2-3", "a.md:2-3"}) {
    EXPECT_EQ(lines(path), "2-3") << path;
  }
  for (const char* path : {"docs:a.md#L2", "a.md:2", "a.md:2:7"}) EXPECT_EQ(lines(path), "2-2");
  EXPECT_EQ(lines("a.md"), "1-4");
  EXPECT_EQ(lines("b#L1"), "1-2") << "the name of a file";
  EXPECT_THAT(lines("a.md#L9"), HasSubstr("the file has only 4 lines"));
  const auto given = run(read_page, {{"path", "a.md#L2"}, {"endLine", 3}});
  EXPECT_EQ((*given)["hits"][0]["startLine"], 1);
}

// The layout of requests, django and many others
TEST_F(RetrievalPages, FindAFolderOfTheNameOfItsTree) {
  all_.emplace(collection("pkg", {{"pkg/mod.py", "inner\n"}, {"other/mod.py", "other\n"}}));
  for (const char* path : {"pkg/mod.py", "./pkg/mod.py", "pkg/pkg/mod.py"}) {
    const auto page = run(read_page, {{"path", path}});
    ASSERT_TRUE(page) << page.error().message;
    EXPECT_EQ((*page)["hits"][0]["path"], "pkg/pkg/mod.py") << path;
  }
  EXPECT_EQ(run(grep_page, {{"pattern", "."}, {"path", "pkg"}}).value()["hits"].size(), 2u);
}

TEST_F(RetrievalPages, AsTextTellWhatThePatternsDoNot) {
  all_.emplace(collection("docs", {{"a]b.md", "one\n"}}));
  EXPECT_EQ(text(grep_page, {{"pattern", "one"}}),
            std::string(kHead) + "-- cite [docs:a%5Db.md#L1]\ndocs/a]b.md:1: one");
}

TEST_F(RetrievalPages, AsTextKeepToTheBudgetAndHaveEachMatchOnce) {
  all_.emplace(many_files());
  for (const std::uint32_t budget : {kLeastTokens, kDefaultTextTokens}) {
    std::multiset<std::string> found;
    Json arguments{{"pattern", "^needle"}, {"maxTokens", budget}};
    form_ = PageForm::kText;
    for (bool more = true; more;) {
      auto page = run(grep_page, arguments);
      ASSERT_TRUE(page);
      finish_text(*page, false);
      EXPECT_LE(estimated_tokens(*page), budget);
      const std::string lines = (*page)["text"];
      for (const auto line : split(lines, '\n')) {
        if (line.contains(":5: needle ")) found.emplace(line);
      }
      more = (*page)["more"];
      if (more) arguments["cursor"] = (*page)["cursor"];
    }
    EXPECT_EQ(found.size(), 40u) << budget;
    EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), 40u);
  }
}

TEST_F(RetrievalPages, AsTextHaveMostOfTheirBytesFromTheFiles) {
  std::string file;
  for (int i = 0; i < 300; ++i)
    file += "a line of the file with needle " + std::to_string(i) + '\n';
  all_.emplace(collection("docs", {{"a.md", file}}));
  for (const auto& [tool, arguments] :
       {std::pair<Retrieve, Json>{grep_page, {{"pattern", "needle"}}},
        {read_page, {{"path", "a.md"}}}}) {
    const std::string lines = text(tool, arguments);
    std::size_t bytes = 0;
    for (const auto line : split(lines, '\n')) {
      if (const auto at = line.find("a line of"); at != line.npos) bytes += line.size() - at;
    }
    EXPECT_GT(bytes * 4, lines.size() * 3) << lines;
  }
}

TEST_F(RetrievalPages, OfGrepHaveTheSameHeadingsWithAnIndexAndWithout) {
  std::string text = "# Shop\n\nText on the shop.\n";
  for (int i = 0; i < 40; ++i) text += "A line of the shop.\n";
  text += "\n## Refunds\n\nMoney returns.\n";
  for (int i = 0; i < 40; ++i) text += "A line about refunds.\n";
  all_.emplace(collection("docs", {{"shop.md", text}}));
  const auto check = [&] {
    const Json hits = (*run(grep_page, {{"pattern", "Text on|Money"}}))["hits"];
    ASSERT_EQ(hits.size(), 2u);
    EXPECT_EQ(hits[0]["heading"], "Shop");
    EXPECT_EQ(hits[1]["heading"], "Shop › Refunds");
  };
  check();
  ASSERT_TRUE(build_indexes(*all_->sources()[0].snapshot, executor_, {}));
  check();
}

TEST_F(RetrievalPages, OfTheLeastBudgetHaveEachMatchOnce) {
  all_.emplace(many_files());
  for (const int context : {0, 3}) {
    std::multiset<std::string> found;
    const Json hits =
        all_pages(grep_page, {{"pattern", "^needle"}, {"context", context}}, "hits", kLeastTokens);
    for (const Json& hit : hits) {
      const std::string text = hit["text"];
      for (const auto line : split(text, '\n')) {
        if (line.starts_with("needle")) found.emplace(line);
      }
    }
    EXPECT_EQ(found.size(), 40u) << context;
    EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), 40u);
  }
}

TEST_F(RetrievalPages, OfTheLeastBudgetHaveEachEntryOnce) {
  all_.emplace(many_files());
  for (const Json& arguments : {Json{{"path", "docs/src"}}, Json{{"glob", "*.txt"}}}) {
    const Json entries = all_pages(list_page, arguments, "entries", kLeastTokens);
    std::set<std::string> paths;
    for (const Json& entry : entries) paths.insert(entry["path"].get<std::string>());
    EXPECT_EQ(entries.size(), 40u);
    EXPECT_EQ(paths.size(), 40u);
  }
}

TEST_F(RetrievalPages, OfTheLeastBudgetHaveEachLineOfAFileOnce) {
  std::string text;
  for (int i = 1; i <= 200; ++i) text += "line " + std::to_string(i) + '\n';
  all_.emplace(collection("docs", {{"a.md", text}}));
  std::string read;
  for (const Json& hit : all_pages(read_page, {{"path", "a.md"}}, "hits", kLeastTokens)) {
    read += hit["text"].get<std::string>() + '\n';
  }
  EXPECT_EQ(read, text);
}

TEST_F(RetrievalPages, OfTheLeastBudgetHaveEachPassageOnce) {
  all_.emplace(many_files());
  const Json hits = all_pages(search_page, {{"query", "needle"}}, "hits", kLeastTokens);
  std::set<std::string> citations;
  for (const Json& hit : hits) citations.insert(hit["path"].get<std::string>());
  EXPECT_EQ(hits.size(), 40u);
  EXPECT_EQ(citations.size(), 40u);
}

TEST_F(RetrievalPages, ExplainTheirScoresOnRequest) {
  all_.emplace(many_files());
  const Json plain = *run(search_page, {{"query", "needle"}});
  EXPECT_FALSE(plain["hits"][0].contains("explain"));
  EXPECT_FALSE(plain.contains("question"));
  const Json explained = *run(search_page, {{"query", "needle"}, {"explain", true}});
  EXPECT_EQ(explained["question"]["form"], "short");
  EXPECT_EQ(explained["question"]["asksFor"], "either");
  const Json hits = all_pages(search_page, {{"query", "needle"}, {"explain", true}}, "hits", 2000);
  EXPECT_EQ(hits.size(), 40u);
  for (const Json& hit : hits) {
    const Json& explain = hit["explain"];
    double score = 0;
    for (const Json& part : explain["parts"]) score += part["value"].get<double>();
    for (const Json& factor : explain["factors"]) score *= factor["value"].get<double>();
    EXPECT_NEAR(score, explain["score"].get<double>(), 0.01) << explain;
    EXPECT_EQ(explain["parts"][0]["term"], "needl");
  }
}

TEST_F(RetrievalPages, WithOneEndlessLineStillEnd) {
  all_.emplace(collection("docs", {{"a.md", std::string(100'000, '"') + "\nend\n"}}));
  const Json hits = all_pages(read_page, {{"path", "a.md"}}, "hits", kLeastTokens);
  ASSERT_EQ(hits.size(), 2u);
  EXPECT_TRUE(hits[0]["text"].get<std::string>().ends_with("…"));
  EXPECT_EQ(hits[1]["text"], "end");
}

TEST_F(RetrievalPages, HaveCitationsThatAnswersCanUse) {
  all_.emplace(collection("docs", {{"a b.md", "one needle\n"},
                                   {"x[1].md", "two needle\n"},
                                   {"odd].md", "three needle\n"},
                                   {"p#q,r.md", "four needle\n"}}));
  const auto page = run(grep_page, {{"pattern", "needle"}});
  ASSERT_TRUE(page);
  ASSERT_EQ((*page)["hits"].size(), 4u);
  for (const Json& hit : (*page)["hits"]) {
    const auto checked = check_citations(*all_, hit["citation"].get<std::string>());
    ASSERT_EQ(checked.size(), 1u) << hit;
    EXPECT_TRUE(checked[0].verified) << hit;
    EXPECT_EQ("docs/" + checked[0].path, hit["path"].get<std::string>());
    EXPECT_EQ(checked[0].start_line, 1u);
    EXPECT_EQ(hit["version"], "v1");
    EXPECT_THAT(hit["url"].get<std::string>(), HasSubstr("#1-1"));
  }
}

TEST_F(RetrievalPages, RefuseACursorOfAnotherCallOrVersion) {
  all_.emplace(many_files());
  Json arguments{{"pattern", "needle"}, {"limit", 2}};
  const auto first = run(grep_page, arguments);
  ASSERT_TRUE(first);
  arguments["cursor"] = (*first)["cursor"];
  arguments["limit"] = 7;
  arguments["path"] = nullptr;  // counts as omitted
  EXPECT_EQ((*run(grep_page, arguments))["hits"].size(), 7u);
  const auto changed = run(grep_page, arguments, "v2");
  ASSERT_FALSE(changed);
  EXPECT_THAT(changed.error().message, HasSubstr("cursor: was made for other versions"));
  EXPECT_EQ(changed.error().details.front().field, "/cursor");
  EXPECT_EQ(changed.error().tag, "RequestError");
  arguments["pattern"] = "straw";
  EXPECT_THAT(run(grep_page, arguments).error().message, HasSubstr("other arguments"));
  EXPECT_THAT(
      run(search_page, {{"query", "needle"}, {"cursor", arguments["cursor"]}}).error().message,
      HasSubstr("other arguments"));
}

TEST_F(RetrievalPages, RefuseEveryChangedCursor) {
  all_.emplace(many_files());
  const std::string cursor = (*run(grep_page, {{"pattern", "needle"}, {"limit", 2}}))["cursor"];
  const auto refused = [&](const std::string& text) {
    const auto page = run(grep_page, {{"pattern", "needle"}, {"limit", 2}, {"cursor", text}});
    return !page && page.error().code == Code::kInvalidArgument &&
           page.error().details.front().field == "/cursor";
  };
  EXPECT_FALSE(refused(cursor));
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    std::string changed = cursor;
    changed[i] = changed[i] == '7' ? '8' : '7';
    EXPECT_TRUE(refused(changed)) << changed;
    EXPECT_TRUE(i == 0 || refused(cursor.substr(0, i))) << i;
  }
  for (const char* text : {"....", "c1.-1.a.b.c", "c1.99999999999999999999.a.b.c", "\"", "é"}) {
    EXPECT_TRUE(refused(text)) << text;
  }
}

TEST_F(RetrievalPages, NameTheFieldOfABadArgument) {
  all_.emplace(collection("docs", {{"a.md", "one\n"}}));
  const auto field = [&](Retrieve tool, const Json& arguments) {
    const auto page = run(tool, arguments);
    return page ? std::string("none") : page.error().details.front().field;
  };
  EXPECT_EQ(field(search_page, {{"query", "x"}, {"path", "docs/b"}}), "/path");
  EXPECT_EQ(field(grep_page, {{"pattern", "("}}), "/pattern");
  EXPECT_EQ(field(grep_page, {{"pattern", "x"}, {"path", "docs/b"}}), "/path");
  EXPECT_EQ(field(grep_page, {{"pattern", "x"}, {"include", "[z"}}), "/include");
  EXPECT_EQ(field(list_page, {{"path", "docs/a.md"}}), "/path");
  EXPECT_EQ(field(list_page, {{"glob", "[z"}}), "/glob");
  EXPECT_EQ(field(read_page, {{"path", "docs"}}), "/path");
  EXPECT_EQ(field(read_page, {{"path", "a.md"}, {"startLine", 2}}), "/startLine");
  EXPECT_EQ(field(read_page, {{"path", "a.md"}, {"startLine", 1}, {"endLine", 0}}), "/endLine");
}

TEST_F(RetrievalPages, CanBeCancelled) {
  all_.emplace(collection("docs", {{"a.md", "one\n"}}));
  stop_.request_stop();
  EXPECT_EQ(run(search_page, {{"query", "one"}}).error().code, Code::kCancelled);
  EXPECT_EQ(run(grep_page, {{"pattern", "one"}}).error().code, Code::kCancelled);
  EXPECT_EQ(run(list_page, Json::object()).error().code, Code::kCancelled);
  EXPECT_EQ(run(read_page, {{"path", "a.md"}}).error().code, Code::kCancelled);
}

// The lines between were once said to be damaged.
TEST_F(RetrievalPages, RefuseACursorBehindTheLastLineThatIsAskedFor) {
  all_.emplace(collection("docs", {{"a.txt", "1\n2\n3\n4\n5\n"}}));
  Json arguments{{"path", "docs/a.txt"}, {"endLine", 2}};
  const std::vector<SourceFacts> facts{{"v1", {}}};
  const Retrieval retrieval{.collection = *all_, .facts = facts, .executor = executor_, .stop = {}};
  arguments["cursor"] = PageCursor("read", arguments, retrieval).at(4);
  const auto page = run(read_page, arguments);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, Code::kInvalidArgument);
  EXPECT_EQ(page.error().details.front().field, "/cursor");
}

// The path of a hit was looked up by names, of which the longest counts.
TEST_F(RetrievalPages, OfASearchAreOfTheSourceThatWasSearched) {
  all_.emplace(Collection({{"a", snapshot({{"b/c.txt", "a needle\n"}})},
                           {"a/b", snapshot({{"c.txt", "only hay\n"}})}}));
  const auto page = run(search_page, {{"query", "needle"}});
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ((*page)["hits"].size(), 1u);
  EXPECT_EQ((*page)["hits"][0]["text"], "a needle");
  EXPECT_EQ((*page)["hits"][0]["citation"], "[a:b/c.txt#L1]");
}

}  // namespace
}  // namespace quarry::corpus
