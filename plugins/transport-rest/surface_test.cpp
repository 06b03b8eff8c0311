#include "testing/harness.h"

namespace quarry::rest::testing {
namespace {

using http_server::testing::get;
using http_server::testing::with_json;

TEST_F(SurfaceTest, AnswersProbesAndSaysWhoItIs) {
  EXPECT_EQ(fetch(get("/livez")).body, R"({"ok":true})");
  EXPECT_EQ(fetch(get("/")).body, R"({"ok":true,"service":"quarry","version":"1.2.3"})");
  EXPECT_TRUE(engine_.calls().empty());
}

TEST_F(SurfaceTest, PassesTheListOfResourcesThrough) {
  engine_.answer("resources.list", R"({"resources":[]})");
  const auto answer = fetch(get("/resources"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"resources":[]})");
  EXPECT_EQ(answer.header("Content-Type"), "application/json");
}

}  // namespace
}  // namespace quarry::rest::testing
