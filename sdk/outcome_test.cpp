#include <quarry/outcome.hpp>

#include <gtest/gtest.h>

namespace quarry {
namespace {

TEST(Text, IsSeenWhereItLies) {
  const std::string owned = "text";
  EXPECT_EQ(as_view(as_text(owned)).data(), owned.data());
  EXPECT_EQ(as_view(as_text(owned)), "text");
}

TEST(Text, WithoutDataIsEmpty) {
  EXPECT_EQ(as_view(quarry_text{nullptr, 0}), "");
  EXPECT_EQ(as_view(quarry_text{nullptr, 5}), "");
}

}  // namespace
}  // namespace quarry
