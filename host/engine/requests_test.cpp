#include "engine/requests.h"

#include "engine/resource_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Json> checked(const ParamsRule& rule, std::string_view params) {
  return ParamsCheck(rule).read(params);
}

/// The request in params that are checked as the engine checks them.
Result<QuestionRequest> question(std::string_view params) {
  const auto value = checked(kQuestionParams, params);
  if (!value) return value.error();
  return read_question(*value);
}

/// The fields for which a question is rejected.
std::vector<std::string> refused(const std::string& params) {
  const auto request = question(params);
  if (request) return {"accepted"};
  EXPECT_EQ(request.error().tag, "RequestError");
  std::vector<std::string> fields;
  for (const FieldError& detail : request.error().details) fields.push_back(detail.field);
  return fields;
}

TEST(Requests, AcceptAQuestionWithOrWithoutResources) {
  EXPECT_THAT(question(R"({"question":"q","resources":["a","b"],"x":1})")->resources,
              ElementsAre("a", "b"));
  EXPECT_THAT(question(R"({"question":"q","resources":null,"quiet":null})")->resources,
              ::testing::IsEmpty());
}

TEST(Requests, RefuseAQuestionByTheFieldThatIsWrong) {
  EXPECT_THAT(refused("{}"), ElementsAre("/question"));
  EXPECT_THAT(refused(R"({"question":""})"), ElementsAre("/question"));
  EXPECT_THAT(refused(R"({"question":" \n\t"})"), ElementsAre("/question"));
  EXPECT_THAT(refused(R"({"question":")" + std::string(100'001, 'x') + R"("})"),
              ElementsAre("/question"));
  EXPECT_THAT(refused(R"({"question":")" + std::string(100'000, 'x') + R"("})"),
              ElementsAre("accepted"));
  EXPECT_THAT(
      refused(R"({"question":1,"resources":[1,""],"quiet":"y"})"),
      ::testing::UnorderedElementsAre("/question", "/resources/0", "/resources/1", "/quiet"));
  EXPECT_THAT(refused("[]"), ElementsAre(""));
}

TEST(Requests, OfModelsAreTakenAsTheyAreMeant) {
  EXPECT_THAT(question(R"({"question":"q","resources":"[\"a\"]"})")->resources, ElementsAre("a"));
  EXPECT_THAT(question(R"({"question":"q","resources":"a","thread":""})")->resources,
              ElementsAre("a"));
  EXPECT_EQ((*checked(kQuestionParams, R"({"question":"q","quiet":"true"})"))["quiet"], true);
  EXPECT_FALSE(checked(kCitationParams, R"({"id":"q","number":"1"})")) << "no tool";
}

TEST(Requests, ReadAThreadOrTheTurnsBefore) {
  EXPECT_EQ(question(R"({"question":"q","thread":"a.B_9-"})")->thread, "a.B_9-");
  EXPECT_EQ(question(R"({"question":"q","thread":null,"history":null})")->thread, "");
  const auto asked = question(
      R"({"question":"q","history":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},
          {"role":"user","content":"c"},{"role":"assistant","content":"d"}]})");
  ASSERT_TRUE(asked) << asked.error().message;
  ASSERT_EQ(asked->history.size(), 2u);
  EXPECT_EQ(asked->history[1].question, "c");
  EXPECT_EQ(asked->history[1].answer, "d");
}

TEST(Requests, RefuseAThreadOrTurnsThatAreNone) {
  const auto turns = [](const std::string& history) {
    return refused(R"({"question":"q","history":)" + history + "}");
  };
  const std::string user = R"({"role":"user","content":"a"})";
  const std::string assistant = R"({"role":"assistant","content":"b"})";
  for (const char* id : {"a b", "a/b", "..", "-x", "\u00fc", "a\n"}) {
    EXPECT_THAT(refused(to_text({{"question", "q"}, {"thread", id}})), ElementsAre("/thread"));
  }
  EXPECT_THAT(refused(R"({"question":"q","thread":")" + std::string(65, 'a') + R"("})"),
              ElementsAre("/thread"));
  EXPECT_THAT(turns("[" + user + "]"), ElementsAre("/history"));
  EXPECT_THAT(turns("[" + assistant + "," + assistant + "]"), ElementsAre("/history/0/role"));
  EXPECT_THAT(turns("[" + user + "," + user + "]"), ElementsAre("/history/1/role"));
  EXPECT_THAT(turns(R"([{"role":"system","content":"a"},{"role":"assistant"}])"),
              ElementsAre("/history/0/role", "/history/1/content"));
  std::string many = user + "," + assistant;
  for (int i = 0; i < 25; ++i) many += "," + user + "," + assistant;
  EXPECT_THAT(turns("[" + many + "]"), ElementsAre("/history"));
  EXPECT_THAT(refused(R"({"question":"q","thread":"t","history":[]})"), ElementsAre("/history"));
}

TEST(Requests, SayWhereABodyIsNoJson) {
  EXPECT_THAT(question("{").error().message, HasSubstr("the body: not valid JSON at byte"));
}

TEST(Requests, CheckTheNameOfAResource) {
  const auto accepted = [](const std::string& name) {
    return checked(kResourceParams, to_text({{"type", "local"}, {"name", name}})).has_value();
  };
  for (const char* name : {"a", "@scope/pkg", "a.b-c_d", "A/b/c"})
    EXPECT_TRUE(accepted(name)) << name;
  for (const char* name : {"", "../a", "a..b", "-a", "a b", "a/", "/a", "a\n", "\u00e9", "@"}) {
    EXPECT_FALSE(accepted(name)) << name;
  }
  EXPECT_FALSE(accepted(std::string(65, 'a')));
  EXPECT_EQ(checked(kResourceParams, "{}").error().tag, "ConfigError");
}

TEST(Requests, ReadTheOtherParams) {
  const auto choice = [](std::string_view params) {
    return read_model_choice(*checked(kModelParams, params));
  };
  EXPECT_EQ(choice(R"({"provider":"p","model":"m","providerOptions":{"a":1}})").options,
            Json({{"a", 1}}));
  EXPECT_EQ(choice(R"({"provider":"p","model":"m","providerOptions":null})").options,
            Json::object());
  EXPECT_EQ(choice(R"({"provider":"p","model":"m"})").options, Json::object());
  EXPECT_FALSE(checked(kModelParams, R"({"provider":""})"));
  for (const ParamsRule& rule : {kNameParams, kIdParams, kReferenceParams}) {
    EXPECT_THAT(checked(rule, "{}").error().message, HasSubstr("is required"));
  }
  EXPECT_TRUE(checked(kOptionalNameParams, "{}"));
  EXPECT_FALSE(checked(kOptionalNameParams, R"({"name":""})"));
}

TEST(Names, MatchInAnyCaseWithOrWithoutAnAt) {
  EXPECT_TRUE(same_name("Docs", "docs"));
  EXPECT_TRUE(same_name("@docs", "docs"));
  EXPECT_TRUE(same_name("kit/docs", "@Kit/docs"));
  EXPECT_FALSE(same_name("doc", "docs"));
}

TEST(Names, GetANumberWhereOneIsTaken) {
  EXPECT_EQ(distinct_name("docs", {"doc"}), "docs");
  EXPECT_EQ(distinct_name("docs", {"@Docs"}), "docs-2");
  EXPECT_EQ(distinct_name("docs", {"docs", "docs-2"}), "docs-3");
}

}  // namespace
}  // namespace quarry::engine
