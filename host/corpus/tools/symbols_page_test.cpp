#include "base/testing/test_executors.h"
#include "corpus/index/testing/fake_analyser.h"
#include "corpus/query/citations.h"
#include "corpus/query/testing/collection_fixture.h"
#include "corpus/segment/segment_format.h"
#include "corpus/tools/testing/text_page.h"

#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SymbolTools : public CollectionFixture {
 protected:
  void SetUp() override {
    CollectionFixture::SetUp();
    all_.emplace(collection(
        "docs",
        {{"src/parser.fake",
          "# about it\nclass Parser 4\n  method parse 1\nuse read\n  method end 0\nuse end\n"},
         {"src/use.fake", "use parse\nfunction main 1\nuse parse\n"},
         {"a.md", "# Text\n"}}));
  }
  Result<Json> page(const Json& arguments, SymbolAnalyser* symbols) {
    const std::vector<SourceFacts> facts{
        {"v1", [](std::string_view path, std::uint32_t start, std::uint32_t) {
           return "https://example.org/" + std::string(path) + "#" + std::to_string(start);
         }}};
    return symbols_page({*all_, facts, executor_, {}, 0, symbols}, arguments);
  }
  Json page(const Json& arguments) {
    auto found = page(arguments, &analyser_);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : Json();
  }
  std::string field(const Json& arguments) {
    const auto found = page(arguments, &analyser_);
    if (found) return "none";
    return found.error().details.empty() ? "no field" : found.error().details.front().field;
  }
  Json all_pages(Json arguments) {
    Json hits = Json::array();
    arguments["maxTokens"] = kLeastTokens;
    for (int pages = 0; pages < 200; ++pages) {
      const Json one = page(arguments);
      EXPECT_LE(estimated_tokens(one), kLeastTokens) << one;
      EXPECT_FALSE(one["hits"].empty());
      for (const Json& hit : one["hits"]) hits.push_back(hit);
      if (!one["more"]) return hits;
      arguments["cursor"] = one["cursor"];
    }
    ADD_FAILURE() << "the pages do not end";
    return hits;
  }
  std::string as_text(const Json& arguments) {
    const auto found = text_page(symbols_page, *all_, arguments, executor_, {}, &analyser_);
    return found ? *found : found.error().message;
  }
  /// 40 files with a definition and a use.
  void make_many() {
    auto writer = *SnapshotWriter::create(new_directory(), {}, {false, false, false});
    for (int i = 0; i < 40; ++i) {
      ASSERT_TRUE(writer->add("src/f" + std::to_string(i) + ".fake", "class run 1\nuse run\n"));
    }
    all_.emplace(Collection({{"docs", *writer->finish()}}));
  }

  std::optional<Collection> all_ = std::nullopt;
  FakeAnalyser analyser_;
  ThreadPerJob executor_;
};

TEST_F(SymbolTools, GiveDefinitionsWithAllThatAHitHas) {
  const Json found = page({{"name", "Parser"}});
  ASSERT_EQ(found["hits"].size(), 1u);
  const Json& hit = found["hits"][0];
  EXPECT_EQ(hit["path"], "docs/src/parser.fake");
  EXPECT_EQ(hit["heading"], "class Parser");
  EXPECT_EQ(hit["startLine"], 1) << "with its comment";
  EXPECT_EQ(hit["endLine"], 6);
  EXPECT_EQ(hit["version"], "v1");
  EXPECT_EQ(hit["url"], "https://example.org/src/parser.fake#1");
  EXPECT_TRUE(hit["text"].get<std::string>().starts_with("# about it\nclass Parser 4\n"));
  EXPECT_EQ(found["total"], 1);
  const auto cited = check_citations(*all_, hit["citation"].get<std::string>());
  ASSERT_EQ(cited.size(), 1u);
  EXPECT_TRUE(cited[0].verified);
  EXPECT_EQ(page({{"name", "Parser.parse"}})["hits"][0]["heading"], "method Parser.parse");
}

TEST_F(SymbolTools, CutDefinitionsToTheBudgetAndTellTheirLastLine) {
  std::string text = "class Long 999\n";
  for (int i = 0; i < 999; ++i) text += "a line of the class\n";
  all_.emplace(collection("docs", {{"a.fake", text}}));
  const Json hit = page({{"name", "Long"}, {"maxTokens", kLeastTokens}})["hits"][0];
  EXPECT_EQ(hit["startLine"], 1);
  EXPECT_LT(hit["endLine"], 40);
  EXPECT_EQ(hit["continuesTo"], 1000);
  const Json more = page({{"name", "Long"}, {"maxTokens", kMostTokens}})["hits"][0];
  EXPECT_EQ(more["endLine"], 40) << "what follows is for read";
}

TEST_F(SymbolTools, LeaveOutALongCommentBeforeADefinition) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "text\n";
  all_.emplace(collection("docs", {{"a.fake", text + "# note\nclass A 0\n"}}));
  EXPECT_EQ(page({{"name", "A"}})["hits"][0]["startLine"], 31);
}

TEST_F(SymbolTools, GiveReferences) {
  const Json found = page({{"name", "Parser.parse"}, {"references", true}});
  ASSERT_EQ(found["hits"].size(), 2u);
  EXPECT_EQ(found["hits"][0]["text"], "use parse");
  EXPECT_EQ(found["hits"][1]["startLine"], 3);
  EXPECT_FALSE(found["more"]);
}

TEST_F(SymbolTools, GiveMatchesOfGrepTheDefinitionAroundThem) {
  const auto headings = [&](const Json& arguments) {
    const std::vector<SourceFacts> facts{{"v1", {}}};
    const auto found = grep_page({*all_, facts, executor_, {}, 0, &analyser_}, arguments);
    EXPECT_TRUE(found) << found.error().message;
    std::vector<std::string> out;
    if (!found) return out;
    for (const Json& hit : (*found)["hits"]) out.push_back(hit.value("heading", ""));
    return out;
  };
  const Json in_method{{"pattern", "use (read|end)"}};
  EXPECT_THAT(headings(in_method), ElementsAre("class Parser 4", "class Parser 4"))
      << "of the passage before definitions are indexed";
  const auto& snapshot = all_->sources()[0].snapshot;
  ASSERT_TRUE(build_symbols(*snapshot, 0, analyser_, executor_, {}));
  EXPECT_THAT(headings(in_method), ElementsAre("method Parser.parse", "class Parser"));
  EXPECT_THAT(headings({{"pattern", "use parse"}}), ElementsAre("", "function main"));
  EXPECT_THAT(headings({{"pattern", "method end"}, {"context", 1}}),
              ElementsAre("method Parser.end"))
      << "that of the match, not of its context";
  EXPECT_THAT(headings({{"pattern", "about it"}}), ElementsAre("class Parser"));
  EXPECT_THAT(headings({{"pattern", "Text"}}), ElementsAre("Text")) << "of no analysed language";
}

TEST_F(SymbolTools, OutlineAFile) {
  const Json found = page({{"path", "docs/src/parser.fake"}});
  ASSERT_EQ(found["hits"].size(), 3u);
  EXPECT_EQ(found["hits"][0]["heading"], "class Parser");
  EXPECT_EQ(found["hits"][0]["startLine"], 2);
  EXPECT_EQ(found["hits"][0]["endLine"], 2);
  EXPECT_EQ(found["hits"][0]["continuesTo"], 6);
  EXPECT_EQ(found["hits"][1]["heading"], "method Parser.parse");
  EXPECT_EQ(page({{"path", "docs/src/parser.fake"}, {"kind", "method"}})["total"], 2);
}

// All had their whole names made for one page, half a gigabyte here.
TEST_F(SymbolTools, OutlineAFileWithManyLongNames) {
  std::string text;
  for (int depth = 0; depth < 30; ++depth) {
    text += std::string(std::size_t{2} * depth, ' ') + "class " + std::string(1'000, 'A') + " 0\n";
  }
  for (int i = 0; i < 20'000; ++i) text += std::string(60, ' ') + "method parse 0\n";
  all_.emplace(collection("docs", {{"a.fake", text}}));
  const Json found = page({{"path", "docs/a.fake"}, {"kind", "method"}});
  EXPECT_EQ(found["total"], 20'000);
  EXPECT_TRUE(found["hits"][0]["heading"].get<std::string>().ends_with("AAA.parse"));
}

TEST_F(SymbolTools, GiveEachResultOnceInTheLeastBudget) {
  make_many();
  for (const bool references : {false, true}) {
    const Json hits = all_pages({{"name", "run"}, {"references", references}});
    std::set<std::string> citations;
    for (const Json& hit : hits) citations.insert(hit["citation"].get<std::string>());
    EXPECT_EQ(hits.size(), 40u) << references;
    EXPECT_EQ(citations.size(), 40u) << references;
  }
  std::string text;
  for (int i = 0; i < 40; ++i) text += "class C" + std::to_string(i) + " 0\n";
  all_.emplace(collection("docs", {{"a.fake", text}}));
  EXPECT_EQ(all_pages({{"path", "a.fake"}}).size(), 40u);
}

TEST_F(SymbolTools, RefuseACursorOfAnotherName) {
  make_many();
  const Json first = page({{"name", "run"}, {"limit", 2}});
  EXPECT_EQ(first["hits"].size(), 2u);
  EXPECT_EQ(field({{"name", "runs"}, {"cursor", first["cursor"]}}), "/cursor");
}

TEST_F(SymbolTools, SayWhatElseWasFound) {
  EXPECT_THAT(page({{"name", "PARSER"}})["note"].get<std::string>(), HasSubstr("upper and lower"));
  EXPECT_THAT(page({{"name", "nothing"}})["note"].get<std::string>(), HasSubstr("No definition"));
  EXPECT_THAT(page({{"name", "mai"}})["note"].get<std::string>(), HasSubstr("begin so"));
  EXPECT_THAT(page({{"name", "nothing"}, {"references", true}})["note"].get<std::string>(),
              HasSubstr("No line uses"));
}

TEST_F(SymbolTools, TakeAKindInAnyCase) {
  EXPECT_EQ(page({{"name", "parse"}, {"kind", "Method"}})["total"], 1);
  EXPECT_EQ(page({{"path", "docs/src/parser.fake"}, {"kind", "METHOD"}})["total"], 2);
}

// It said that no definition has the name.
TEST_F(SymbolTools, TellTheKindsOfANameThatTheWantedKindLacks) {
  const auto note = [&](const char* name) {
    const Json found = page({{"name", name}, {"kind", "any"}});
    EXPECT_EQ(found["total"], 0);
    return found["note"].get<std::string>();
  };
  EXPECT_EQ(note("parse"),
            "No definition of the kind \"any\" is named \"parse\"; of other kinds are: method (1). "
            "Leave kind out for them.");
  EXPECT_THAT(note("PARSE"), HasSubstr("; of other kinds are, in another case: method (1)."));
  EXPECT_THAT(note("pars*"), HasSubstr("; of other kinds are: class (1), method (1)."));
  EXPECT_THAT(note("nothing"), HasSubstr("No definition is named"));
}

TEST_F(SymbolTools, NameTheFieldOfABadArgument) {
  EXPECT_EQ(field(Json::object()), "/name");
  EXPECT_EQ(field({{"references", true}, {"path", "docs/src"}}), "/name");
  EXPECT_EQ(field({{"name", "::"}}), "/name");
  EXPECT_EQ(field({{"name", "a*"}, {"references", true}}), "/name");
  EXPECT_EQ(field({{"name", "a"}, {"references", true}, {"kind", "class"}}), "/kind");
  EXPECT_EQ(field({{"name", "a"}, {"path", "docs/no"}}), "/path");
  EXPECT_EQ(field({{"name", "a"}, {"path", "docs/no"}, {"references", true}}), "/path");
  EXPECT_EQ(field({{"path", "docs/src"}}), "/path");
  EXPECT_EQ(field({{"path", "docs/a.md"}}), "/path");
}

TEST_F(SymbolTools, AreNotAvailableWithoutAnAnalyser) {
  const auto found = page({{"name", "Parser"}}, nullptr);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::kUnavailable);
  EXPECT_THAT(found.error().message, HasSubstr("symbols are not available"));
  EXPECT_FALSE(found.error().hint.empty());
}

TEST_F(SymbolTools, PassOverDamagedTextAndSaySo) {
  const auto snapshot = all_->sources()[0].snapshot;
  ASSERT_TRUE(build_symbols(*snapshot, 0, analyser_, executor_, {}));
  const auto text = snapshot->segments()[0]->directory() / kTextFile;
  write(text, std::string(std::filesystem::file_size(text), ' '));
  all_.emplace(Collection({{"docs", *Snapshot::open(snapshot->directory())}}));
  const Json found = page({{"name", "Parser"}});
  EXPECT_TRUE(found["hits"].empty());
  EXPECT_THAT(found["note"].get<std::string>(), HasSubstr("NOT READ"));
  EXPECT_THAT(as_text({{"name", "Parser"}}), HasSubstr("NOT READ"));
  EXPECT_EQ(page({{"path", "src/parser.fake"}}, &analyser_).error().tag, "SnapshotDamaged");
}

TEST_F(SymbolTools, AsTextShowDefinitionsReferencesAndAnOutline) {
  EXPECT_EQ(as_text({{"name", "Parser.parse"}}),
            "-- method Parser.parse\ndocs/src/parser.fake:3:   method parse 1\n4: use read");
  EXPECT_EQ(as_text({{"name", "parse"}, {"references", true}}),
            "docs/src/use.fake:1: use parse\n3: use parse");
  EXPECT_EQ(as_text({{"path", "docs/src/parser.fake"}}),
            "docs/src/parser.fake:2-6: class Parser 4\n3-4:   method parse 1\n5:   method end 0");
}

TEST_F(SymbolTools, AsTextSayWhenThereIsMore) {
  make_many();
  EXPECT_THAT(as_text({{"name", "run"}, {"limit", 3}}),
              AllOf(HasSubstr("More definitions have this name: repeat the call with cursor"),
                    Not(HasSubstr("No definition"))));
}

}  // namespace
}  // namespace quarry::corpus
