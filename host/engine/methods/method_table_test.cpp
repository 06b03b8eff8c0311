#include "engine/methods/method_table.h"

#include <string>

#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

TEST(MethodTable, FindsARowByItsName) {
  MethodTable table;
  table.add({"a", AtOnce{[](std::string_view params) { return std::string(params); }}});
  table.add({"a.b", OnWorker{[](std::string_view) { return std::string("b"); }}});
  ASSERT_NE(table.find("a.b"), nullptr);
  EXPECT_EQ(std::get<OnWorker>(table.find("a.b")->run).handler(""), "b");
  EXPECT_EQ(std::get<AtOnce>(table.find("a")->run).handler("p"), "p");
  EXPECT_FALSE(table.find("a")->if_in_memory);
}

TEST(MethodTable, KnowsNoOtherNames) {
  MethodTable table;
  table.add({"a", AtOnce{[](std::string_view) { return std::string(); }}});
  EXPECT_EQ(table.find(""), nullptr);
  EXPECT_EQ(table.find("A"), nullptr);
  EXPECT_EQ(table.find("a.b"), nullptr);
}

}  // namespace
}  // namespace quarry::engine
