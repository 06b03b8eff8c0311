#include "cli/search_evaluation.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

using corpus::JudgedQuestion;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Answers each method with a function of its params.
class AnsweringConnection final : public Connection {
 public:
  using Method = std::function<Result<Json>(const Json& params)>;

  using Connection::Connection;

  Result<std::string> call(const std::string& method, const std::string& params,
                           const OnEvent& on_event) override {
    on_event("resource.progress", "{}");
    const auto answer = methods[method](*parse_json(params));
    if (!answer) return answer.error();
    return to_text(*answer);
  }
  Status ask(const std::string&, const OnAnswer&) override { return {}; }

  std::map<std::string, Method> methods;
};

Json hits(std::initializer_list<const char*> paths) {
  Json out = Json::array();
  for (const char* path : paths) out.push_back({{"path", path}});
  return {{"hits", out}};
}

class SearchEvaluation : public ::testing::Test {
 protected:
  SearchEvaluation() {
    connection_.methods["tools.list"] = [](const Json& params) -> Result<Json> {
      if (params.contains("cursor")) return Json{{"entries", {{{"path", "@kit/docs/"}}}}};
      return Json{{"entries", {{{"path", "code/"}}, {{"path", "@kit/"}}}}, {"cursor", "c"}};
    };
    connection_.methods["tools.search"] = [this](const Json& params) -> Result<Json> {
      asked_.push_back(params);
      if (params["query"].get<std::string>().starts_with("fails")) {
        return Error{Code::kNotFound, "there is no such tree"};
      }
      return hits({"code/b.cpp", "code/b.cpp", "@kit/docs/guide/a.md", "code/a.md"});
    };
  }
  Result<std::vector<std::uint32_t>> ranks(const std::vector<JudgedQuestion>& questions,
                                           const std::vector<std::string>& resources = {}) {
    return ranks_of_answers(questions, resources, connection_,
                            [&](std::size_t asked) { progress_.push_back(asked); });
  }

  Signals signals_;
  AnsweringConnection connection_{signals_};
  std::vector<Json> asked_;
  std::vector<std::size_t> progress_;
};

TEST_F(SearchEvaluation, RanksFilesByTheirPathsWithinResources) {
  const std::vector<JudgedQuestion> questions = {
      {.question = "one", .files = {"b.cpp"}},
      {.question = "two", .files = {"guide/a.md", "none"}},
      {.question = "three", .files = {"a.md"}},
      {.question = "four", .files = {"docs/guide/a.md", "code/b.cpp"}}};
  const auto found = ranks(questions);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(progress_, ElementsAre(0, 1, 2, 3));
  EXPECT_FALSE(asked_[0].contains("resources"));
  EXPECT_EQ(asked_[0]["limit"], 50);
}

TEST_F(SearchEvaluation, AsksTheTreeOfAQuestionUnlessResourcesAreNamed) {
  const std::vector<JudgedQuestion> questions = {
      {.tree = "code", .question = "one", .files = {"b.cpp"}}};
  ASSERT_TRUE(ranks(questions));
  EXPECT_EQ(asked_[0]["resources"], Json({"code"}));
  ASSERT_TRUE(ranks(questions, {"other"}));
  EXPECT_EQ(asked_[1]["resources"], Json({"other"}));
}

TEST_F(SearchEvaluation, NamesTheQuestionThatFailed) {
  const auto found = ranks({{.question = "fails", .files = {"a"}}});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("\"fails\""));
  EXPECT_THAT(found.error().message, HasSubstr("there is no such tree"));
}

TEST_F(SearchEvaluation, NamesALongQuestionByTheBeginningOfItsFirstLine) {
  const std::string body(20'000, 'x');
  const auto found = ranks({{.question = "fails\n" + body, .files = {"a"}}});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("\"fails…\""));
  EXPECT_LT(found.error().message.size(), 200u);
}

TEST_F(SearchEvaluation, MeasuresGroups) {
  const std::vector<JudgedQuestion> questions = {
      {.tree = "code", .kind = "code", .question = "one", .files = {"a"}},
      {.tree = "code", .kind = "documentation", .question = "two", .files = {"a"}}};
  const Json evaluation = evaluation_of(questions, std::vector<std::uint32_t>{1, 4});
  const Json& groups = evaluation["groups"];
  ASSERT_EQ(groups.size(), 3u) << "every question has the same tree";
  EXPECT_EQ(groups[0]["name"], "all");
  EXPECT_EQ(groups[0]["questions"], 2);
  EXPECT_EQ(groups[0]["hit1"]["value"], 0.5);
  EXPECT_EQ(groups[0]["mrr"]["value"], 0.625);
  EXPECT_EQ(groups[2]["name"], "kind documentation");
  EXPECT_EQ(groups[2]["hit5"]["value"], 1);
  EXPECT_EQ(evaluation["ranks"][1], Json({{"question", "two"}, {"rank", 4}}));
  EXPECT_THAT(evaluation_table(evaluation), HasSubstr("kind code"));
  EXPECT_THAT(evaluation_table(evaluation), HasSubstr("0.25 [0.25-0.25]"));
}

}  // namespace
}  // namespace quarry::cli
