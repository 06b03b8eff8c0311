#include "resource-pypi/fields.h"

#include <quarry/json.hpp>

#include <gtest/gtest.h>

namespace quarry::resource_pypi {
namespace {

std::string normal(std::string_view resource, std::string_view configuration = "{}") {
  const auto settings = Settings::read(configuration);
  EXPECT_TRUE(settings) << settings.failure().message;
  const auto said = normalise(*settings, resource);
  EXPECT_TRUE(said) << said.failure().message;
  return said ? *said : std::string();
}
Failure refused(std::string_view resource, std::string_view configuration = "{}") {
  const auto said = normalise(*Settings::read(configuration), resource);
  EXPECT_FALSE(said) << *said;
  return said ? Failure{} : said.failure();
}

TEST(Fields, HaveOneForm) {
  EXPECT_EQ(
      normal(
          R"({"package":"My.Pkg","version":"< 3, >=2","name":"x","format":"any","specialNotes":"n"})"),
      R"({"index":"https://pypi.org/simple/","package":"my-pkg","specialNotes":"n","version":"<3,>=2"})");
  EXPECT_EQ(normal(R"({"package":"a","version":"latest","index":"HTTP://H:80/s"})"),
            R"({"index":"http://h/s/","package":"a"})");
  EXPECT_EQ(
      normal(
          R"({"package":"a","python":"3.12","format":"sdist","token":"resource.a.token","files":"https://F"})"),
      R"({"files":"https://f/","format":"sdist","index":"https://pypi.org/simple/","package":"a","python":"3.12","token":"resource.a.token"})");
  EXPECT_EQ(normal(R"({"package":"a"})",
                   R"({"index":"https://mirror/s","files":"https://f/","python":"3.9"})"),
            R"({"files":"https://f/","index":"https://mirror/s/","package":"a","python":"3.9"})");
}

TEST(Fields, FaultsNameTheField) {
  const auto field = [](const Failure& failure) {
    EXPECT_EQ(failure.status, QUARRY_INVALID_ARGUMENT);
    EXPECT_NE(failure.hint, "");
    return json::string(json::elements(failure.details, "fields").at(0), "field");
  };
  EXPECT_EQ(field(refused(R"({"package":"a/../b"})")), "/package");
  EXPECT_EQ(field(refused(R"({"package":"a","version":">>1"})")), "/version");
  EXPECT_EQ(field(refused(R"({"package":"a","index":"https://u:p@h/"})")), "/index");
  EXPECT_EQ(field(refused(R"({"package":"a","index":"https://h/?x"})")), "/index");
  EXPECT_EQ(field(refused(R"({"package":"a","files":"h"})")), "/files");
  EXPECT_EQ(field(refused(R"({"package":"a","python":"3.12rc1"})")), "/python");
  EXPECT_FALSE(Settings::read(R"({"index":"x"})"));
  EXPECT_FALSE(Settings::read(R"({"indexes":["https://a/","x"]})"));
  EXPECT_FALSE(Settings::read(R"({"python":"three"})"));
}

TEST(Fields, CallersNamePermittedIndexesOnly) {
  const char* const callers =
      R"({"acts_for":"project","indexes":["https://a/simple/","https://b/"]})";
  EXPECT_EQ(normal(R"({"package":"x"})", callers),
            R"({"index":"https://a/simple/","package":"x"})");
  EXPECT_EQ(normal(R"({"package":"x","index":"https://B"})", callers),
            R"({"index":"https://b/","package":"x"})");
  refused(R"({"package":"x","index":"https://c/"})", callers);
  refused(R"({"package":"x","files":"https://c/"})", callers);
  refused(R"({"package":"x","index":"https://c/"})", R"({"acts_for":"project"})");
  EXPECT_EQ(normal(R"({"package":"x"})", R"({"acts_for":"project"})"),
            R"({"index":"https://pypi.org/simple/","package":"x"})");
}

TEST(References, AreRead) {
  const auto resource = [](std::string_view reference) {
    const std::string said = parse_reference(reference);
    return said == "null" ? said : std::string(json::member(said, "resource").value_or(""));
  };
  EXPECT_EQ(resource("pypi:requests"), R"({"name":"requests","package":"requests"})");
  EXPECT_EQ(resource("pypi:requests@2.31"),
            R"({"name":"requests","package":"requests","version":"2.31"})");
  EXPECT_EQ(resource("pypi:Requests[socks] >=2,<3"),
            R"({"name":"Requests","package":"Requests","version":">=2,<3"})");
  EXPECT_EQ(resource("pypi:requests~=2.0"),
            R"({"name":"requests","package":"requests","version":"~=2.0"})");
  EXPECT_EQ(resource("https://pypi.org/project/requests/"),
            R"({"index":"https://pypi.org/simple/","name":"requests","package":"requests"})");
  EXPECT_EQ(
      resource("https://pypi.org/project/requests/2.31.0/#files"),
      R"({"index":"https://pypi.org/simple/","name":"requests","package":"requests","version":"==2.31.0"})");
  EXPECT_EQ(resource("https://test.pypi.org/simple/requests"),
            R"({"index":"https://test.pypi.org/simple/","name":"requests","package":"requests"})");
  EXPECT_EQ(resource("pkg:pypi/requests@2.31"),
            R"({"name":"requests","package":"requests","version":"==2.31"})");
  EXPECT_EQ(resource("pkg:pypi/a@1.0%2Blocal?x=1&repository_url=https%3A%2F%2Fh%2Fs%2F#sub"),
            R"({"index":"https://h/s/","name":"a","package":"a","version":"==1.0+local"})");
  for (const char* other :
       {"requests", "npm:react", "pkg:npm/react", "https://pypi.org/", "https://pypi.org/user/x/",
        "https://example.org/project/x/", "pkg:pypi", "pkg:pypi/a@%zz", "./docs", "",
        "https://pypi.org/project/%2e%2e/"}) {
    EXPECT_EQ(resource(other), "null") << other;
  }
}

}  // namespace
}  // namespace quarry::resource_pypi
