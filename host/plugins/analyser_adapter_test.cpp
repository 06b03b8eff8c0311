#include "plugins/adapters.h"
#include "plugins/testing/scripted.h"

#include <quarry/draft/symbols.h>

#include <functional>

#include <gmock/gmock.h>

namespace quarry::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct AnalyserScript {
  std::string description = R"({"title":"Scripted"})";
  std::function<void(std::string_view text, const quarry_reply*)> definitions;
  std::function<void(std::string_view name, const quarry_reply*)> references;
};

constexpr quarry_symbols_v1 kSymbolsTable{
    .struct_size = sizeof(quarry_symbols_v1),
    .describe =
        [](void* self, const quarry_call*, const quarry_reply* reply) {
          say(reply, static_cast<AnalyserScript*>(self)->description);
        },
    .definitions =
        [](void* self, const quarry_call*, quarry_bytes, quarry_text text,
           const quarry_reply* reply) {
          static_cast<AnalyserScript*>(self)->definitions(as_view(text), reply);
        },
    .references =
        [](void* self, const quarry_call*, quarry_bytes, quarry_text, quarry_text name,
           const quarry_reply* reply) {
          static_cast<AnalyserScript*>(self)->references(as_view(name), reply);
        }};

constexpr std::string_view kThreeLines = "one\ntwo\nthree";

class AnalyserAdapted : public ::testing::Test {
 protected:
  Result<std::shared_ptr<Analyser>> analyser() {
    component_ = scripted_component(QUARRY_SYMBOLS, &kSymbolsTable);
    return adapt_analyser(*make_instance(component_, &script_));
  }
  Result<std::vector<Definition>> definitions(std::string json,
                                              std::string_view text = kThreeLines) {
    script_.definitions = [json = std::move(json)](auto, auto* reply) { say(reply, json); };
    return (*analyser())->definitions({}, "a.x", text);
  }
  Result<std::vector<std::uint32_t>> references(std::string json) {
    script_.references = [json = std::move(json)](auto, auto* reply) { say(reply, json); };
    return (*analyser())->references({}, "a.x", kThreeLines, "two");
  }

  AnalyserScript script_;
  quarry_component component_{};
};

TEST_F(AnalyserAdapted, DefinitionsHaveTheirLinesAndParents) {
  const auto found = definitions(
      R"({"definitions":[["class","Two",2,1,3,-1],["method","three",3,3,3,0,"ignored"]],"more":1})");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0].kind, "class");
  EXPECT_EQ((*found)[0].name, "Two");
  EXPECT_EQ((*found)[0].line, 2u);
  EXPECT_EQ((*found)[0].first_line, 1u);
  EXPECT_EQ((*found)[0].last_line, 3u);
  EXPECT_EQ((*found)[0].parent, -1);
  EXPECT_EQ((*found)[1].parent, 0);
}

TEST_F(AnalyserAdapted, ADefinitionMayEndAfterTheLastNewline) {
  EXPECT_TRUE(definitions(R"({"definitions":[["class","A",1,1,2,-1]]})", "one\n"));
  EXPECT_FALSE(definitions(R"({"definitions":[["class","A",1,1,3,-1]]})", "one\n"));
}

TEST_F(AnalyserAdapted, MalformedDefinitionsNameTheirPlaceAndThePlugin) {
  const auto row = [&](const std::string& text) {
    return fault(definitions(R"({"definitions":[["class","A",1,1,1,-1],)" + text + "]}"));
  };
  EXPECT_EQ(row(R"(["class","B",1,1,1,-1])"), "no failure");
  for (const char* wrong :
       {R"("text")", R"([])", R"([1,"B",1,1,1,-1])", R"(["class",2,1,1,1,-1])",
        R"(["Class","B",1,1,1,-1])", R"(["","B",1,1,1,-1])", R"(["class","",1,1,1,-1])",
        R"(["class","B\nC",1,1,1,-1])", R"(["class","B\u0000",1,1,1,-1])",
        R"(["class","B",0,0,1,-1])", R"(["class","B",4,1,4,-1])", R"(["class","B",2,3,3,-1])",
        R"(["class","B",2,0,3,-1])", R"(["class","B",2,1,1,-1])", R"(["class","B",2,1,4,-1])",
        R"(["class","B",1.5,1,2,-1])", R"(["class","B",2,1,2,1])", R"(["class","B",2,1,2,2])",
        R"(["class","B",2,1,2,-2])"}) {
    EXPECT_THAT(row(wrong), HasSubstr("/definitions/1 must be")) << wrong;
    EXPECT_THAT(row(wrong), HasSubstr("org.example.scripted")) << wrong;
  }
  EXPECT_THAT(row(R"(["class",")" + std::string(1'025, 'n') + R"(",1,1,1,-1])"),
              HasSubstr("/definitions/1"));
  EXPECT_EQ(row(R"(["class",")" + std::string(1'024, 'n') + R"(",1,1,1,-1])"), "no failure");
}

TEST_F(AnalyserAdapted, AParentMayFollowAndEnclosesNothingInACircle) {
  const auto two = [&](int first, int second) {
    return definitions(R"({"definitions":[["field","A",1,1,1,)" + std::to_string(first) +
                       R"(],["struct","B",1,1,1,)" + std::to_string(second) + "]]}");
  };
  ASSERT_TRUE(two(1, -1));
  EXPECT_EQ(two(1, -1)->front().parent, 1);
  EXPECT_THAT(fault(two(1, 0)), HasSubstr("encloses itself"));
}

TEST_F(AnalyserAdapted, DefinitionsAreInOrderOfLines) {
  EXPECT_THAT(
      fault(definitions(R"({"definitions":[["class","A",2,2,2,-1],["class","B",1,1,1,-1]]})")),
      HasSubstr("/definitions/1"));
}

TEST_F(AnalyserAdapted, AReplyOfAnotherShapeIsRefused) {
  for (const char* wrong : {"[]", "7", "{}", R"({"definitions":{}})"}) {
    EXPECT_THAT(fault(definitions(wrong)), HasSubstr("the array \"definitions\"")) << wrong;
  }
  EXPECT_THAT(fault(definitions("{oops")), HasSubstr("no JSON"));
  EXPECT_THAT(fault(references("{}")), HasSubstr("the array \"lines\""));
}

TEST_F(AnalyserAdapted, ReferencesAreLinesInOrder) {
  EXPECT_THAT(*references(R"({"lines":[1,3]})"), ElementsAre(1u, 3u));
  EXPECT_THAT(*references(R"({"lines":[]})"), IsEmpty());
  for (const char* wrong : {R"({"lines":[0]})", R"({"lines":[4]})", R"({"lines":[1,1]})",
                            R"({"lines":[2,1]})", R"({"lines":["1"]})"}) {
    EXPECT_THAT(fault(references(wrong)), HasSubstr("/lines/")) << wrong;
  }
}

TEST_F(AnalyserAdapted, FailuresKeepTheirCode) {
  script_.definitions = [](auto, auto* reply) {
    say_failure(reply, QUARRY_UNSUPPORTED, "another dialect");
  };
  const auto found = (*analyser())->definitions({}, "a.x", "");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::kUnsupported);
}

TEST_F(AnalyserAdapted, ADescriptionNeedsATitle) {
  EXPECT_EQ((*analyser())->title(), "Scripted");
  for (const char* wrong : {"{}", "[]", R"({"title":7})"}) {
    script_.description = wrong;
    const auto made = analyser();
    ASSERT_FALSE(made) << wrong;
    EXPECT_THAT(made.error().message, HasSubstr("title")) << wrong;
  }
}

}  // namespace
}  // namespace quarry::plugins
