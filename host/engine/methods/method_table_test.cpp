#include "engine/methods/method_table.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr ParamsRule kRule{R"({"type": "object", "properties": {"n": {"type": "integer"}}})",
                           PrincipalMember::kOptional, "the number is not valid"};
constexpr std::string_view kResult = R"({"type": "string"})";

Method row(std::string_view name, const ParamsRule& params = {}) {
  return {.name = name,
          .summary = "Returns its params.",
          .params = params,
          .result = kResult,
          .run = AtOnce{[](const auto&, const Json& given) { return to_text(given); }}};
}

TEST(MethodTable, FindsARowByItsName) {
  MethodTable table;
  table.add(row("a"));
  table.add(row("a.b", kRule));
  ASSERT_NE(table.find("a.b"), nullptr);
  EXPECT_EQ(table.find("a.b")->method.name, "a.b");
  EXPECT_TRUE(std::holds_alternative<AtOnce>(table.find("a")->method.run));
  EXPECT_FALSE(table.find("a")->method.if_in_memory);
}

TEST(MethodTable, KnowsNoOtherNames) {
  MethodTable table;
  table.add(row("a"));
  EXPECT_EQ(table.find(""), nullptr);
  EXPECT_EQ(table.find("A"), nullptr);
  EXPECT_EQ(table.find("a.b"), nullptr);
}

TEST(MethodTable, DescribesItsRows) {
  MethodTable table;
  table.add(row("none"));
  table.add(row("some", kRule));
  table.add(row("all", {kRule.schema, PrincipalMember::kRequired}));
  const Json all = table.description();
  EXPECT_EQ(all["none"], Json({{"version", 1},
                               {"description", "Returns its params."},
                               {"result", *parse_json(kResult)}}));
  EXPECT_EQ(all["some"]["params"], *parse_json(kRule.schema));
  EXPECT_EQ(all["some"]["principal"], "optional");
  EXPECT_EQ(all["all"]["principal"], "required");
}

}  // namespace
}  // namespace quarry::engine
