#include "access/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::access {
namespace {

TEST(Token, HasTheRandomnessOf256Bits) {
  const FreshToken token = make_token();
  EXPECT_THAT(token.text, ::testing::MatchesRegex("qry_[0-9a-f]{64}"));
  EXPECT_NE(token.text, make_token().text);
}

TEST(Token, IsKeptAsAHashAndNamedByAnIdThatTellNothingOfIt) {
  const FreshToken token = make_token();
  EXPECT_EQ(token.hash, hash_of(token.text));
  EXPECT_THAT(token.id, ::testing::MatchesRegex("tok_[0-9a-f]{12}"));
  EXPECT_THAT(token.text, ::testing::Not(::testing::HasSubstr(token.id.substr(4))));
}

}  // namespace
}  // namespace quarry::access
