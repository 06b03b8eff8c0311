#include "transport-rest/routes.h"

#include <gtest/gtest.h>

namespace quarry::rest {
namespace {

TEST(Routes, EveryRouteFindsItself) {
  for (const Route& route : routes()) {
    std::string path(route.path);
    if (const auto open = path.find('{'); open != path.npos) {
      path.replace(open, path.find('}') - open + 1, "some-value");
    }
    const Match match = find_route(route.method, path);
    ASSERT_EQ(match.route, &route) << path;
    EXPECT_EQ(match.variable, variable_of(route).empty() ? "" : "some-value");
  }
}

TEST(Routes, NamesMayHaveSlashesAndEscapes) {
  EXPECT_EQ(find_route("DELETE", "/config/resources/@scope/name").variable, "@scope/name");
  EXPECT_EQ(find_route("DELETE", "/config/resources/%40scope%2Fn%22").variable, "@scope/n\"");
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
