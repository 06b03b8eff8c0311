#include "transport-rest/routes.h"

#include <gtest/gtest.h>

namespace quarry::rest {
namespace {

TEST(Routes, EveryRouteFindsItself) {
  for (const Route& route : routes()) {
    std::string path(route.path);
    std::vector<std::string> values;
    for (const std::string_view name : variables_of(route)) {
      values.push_back("value-of-" + std::string(name));
      path.replace(path.find('{'), name.size() + 2, values.back());
    }
    EXPECT_EQ(path.find('{'), path.npos);
    const Match match = find_route(route.method, path);
    ASSERT_EQ(match.route, &route) << path;
    EXPECT_EQ(match.variables, values);
  }
}

TEST(Routes, NamesMayHaveSlashesAndEscapes) {
  using Values = std::vector<std::string>;
  EXPECT_EQ(find_route("DELETE", "/config/resources/@scope/name").variables, Values{"@scope/name"});
  EXPECT_EQ(find_route("DELETE", "/config/resources/%40scope%2Fn%22").variables,
            Values{"@scope/n\""});
  EXPECT_EQ(find_route("GET", "/resources/@scope/name").variables, Values{"@scope/name"});
}

TEST(Routes, FilesComeAfterTheNameOfTheirResource) {
  using Values = std::vector<std::string>;
  const Match match = find_route("GET", "/resources/@scope/name/files/src/files/a%20b.c");
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.route->engine_method, "resources.file");
  EXPECT_EQ(match.variables, (Values{"@scope/name", "src/files/a b.c"}));
  EXPECT_EQ(find_route("GET", "/resources/name/files/").route->engine_method, "resources.show")
      << "no file is named";
  EXPECT_EQ(find_route("GET", "/question/a/b/sources/1").route, nullptr);
  EXPECT_EQ(find_route("GET", "/question/a/sources/1").variables, (Values{"a", "1"}));
}

TEST(Routes, NumbersAreKnownByTheirNames) {
  EXPECT_TRUE(is_number("number"));
  EXPECT_TRUE(is_number("startLine"));
  EXPECT_TRUE(is_number("endLine"));
  EXPECT_FALSE(is_number("name"));
}

TEST(Routes, UnknownPathsHaveNoMethods) {
  for (const char* path :
       {"/nowhere", "", "*", "/resources/", "/config/resources/", "/question//stop",
        "/question/a/b/stop", "/question/%zz/stop", "/question/%00/stop", "/livez/x"}) {
    const Match match = find_route("POST", path);
    EXPECT_EQ(match.route, nullptr) << path;
    EXPECT_EQ(match.allow, "") << path;
  }
}

TEST(Routes, WrongMethodsAreToldTheRightOnes) {
  EXPECT_EQ(find_route("POST", "/resources").allow, "GET, HEAD, OPTIONS");
  EXPECT_EQ(find_route("GET", "/config/resources").allow, "POST, DELETE, OPTIONS");
  EXPECT_EQ(find_route("get", "/livez").route, nullptr);
}

TEST(Routes, HeadCountsAsGetUnlessItStreams) {
  EXPECT_NE(find_route("HEAD", "/resources").route, nullptr);
  EXPECT_EQ(find_route("HEAD", "/question/x/events").route, nullptr);
  EXPECT_EQ(find_route("HEAD", "/question/stream").route, nullptr);
}

}  // namespace
}  // namespace quarry::rest
