#include "ask/context_window.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

TEST(TokenEstimate, IsFourBytesATokenRoundedUp) {
  const TokenEstimate estimate;
  EXPECT_EQ(estimate.tokens(0), 0);
  EXPECT_EQ(estimate.tokens(1), 1);
  EXPECT_EQ(estimate.tokens(4), 1);
  EXPECT_EQ(estimate.tokens(5), 2);
  EXPECT_EQ(estimate.bytes(3), 12u);
}

TEST(TokenEstimate, LearnsFromWhatTheModelCounted) {
  TokenEstimate estimate;
  estimate.learn(3000, 1500);
  EXPECT_EQ(estimate.tokens(4001), 2001);
  EXPECT_EQ(estimate.bytes(10), 20u);
}

TEST(TokenEstimate, DoesNotBelieveWhatCannotBe) {
  TokenEstimate estimate;
  estimate.learn(4000, -1);
  estimate.learn(4000, 0);
  estimate.learn(4000, 10);
  estimate.learn(4000, std::int64_t{1} << 53);
  estimate.learn(4000, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(estimate.tokens(4000), 1000);
}

TEST(ContextShare, ReservesTokensForTheAnswer) {
  EXPECT_EQ(share_context(0).output, 8192);
  EXPECT_EQ(share_context(0).request, 0);
  EXPECT_EQ(share_context(128'000).output, 8192);
  EXPECT_EQ(share_context(128'000).request, 128'000 - 8192);
  EXPECT_EQ(share_context(4096).output, 1024);
  EXPECT_EQ(share_context(4096).request, 3072);
}

TEST(ContextShare, WhatIsTooMuchShrinksToThreeQuarters) {
  const TokenEstimate estimate;
  EXPECT_EQ(excess(estimate, 4000, 1000), 0u);
  EXPECT_EQ(excess(estimate, 4001, 1000), 1001u);
  EXPECT_EQ(excess(estimate, 1'000'000, 0), 0u);
}

}  // namespace
}  // namespace quarry::ask
