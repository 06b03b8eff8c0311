#include "access/guesses.h"
#include "access/testing/test_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::access {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

std::string tag_of_failure(const auto& result) {
  return result ? "" : result.error().tag;
}

void guess(Access& access, int times, std::string_view peer = {}) {
  for (int i = 0; i < times; ++i) {
    EXPECT_FALSE(access.admit("guess " + std::to_string(i), false, peer));
  }
}

TEST(Guesses, WaitDoublesAndEnds) {
  Guesses guesses;
  const Clock::Steady begin{minutes(60)};
  for (std::uint32_t i = 0; i < Guesses::kFree; ++i) guesses.note("192.0.2.1", begin);
  EXPECT_EQ(guesses.wait("192.0.2.1", begin), seconds(0));
  guesses.note("192.0.2.1", begin);
  EXPECT_EQ(guesses.wait("192.0.2.1", begin), seconds(1));
  EXPECT_EQ(guesses.wait("192.0.2.1", begin + seconds(1)), seconds(0));
  EXPECT_EQ(guesses.wait("192.0.2.1", begin + seconds(3)), seconds(0));
  EXPECT_EQ(guesses.wait("192.0.2.2", begin), seconds(0)) << "another peer";
  guesses.note("192.0.2.1", begin + seconds(3));
  EXPECT_EQ(guesses.wait("192.0.2.1", begin + seconds(3)), seconds(2));
}

TEST(Guessing, KeepsNoTokenOutThatThisHostHasNotSeen) {
  TestHost host;
  std::vector<FreshToken> tokens;
  for (int i = 0; i < 200; ++i) tokens.push_back(host.make());
  host.access->tick();
  guess(*host.access, 1000);
  for (const FreshToken& token : tokens) EXPECT_TRUE(host.access->admit(token.text, false));
}

TEST(Guessing, CostsTheStoreNoMoreThanAHundredLookupsASecond) {
  TestHost host;
  host.make();
  host.access->tick();
  const auto calls = host.store->calls();
  guess(*host.access, 1000);
  EXPECT_LE(host.store->calls() - calls, 100);
  EXPECT_EQ(tag_of_failure(host.access->admit("another", false)), "AuthenticationError");
  EXPECT_TRUE(host.access->admit_known("another", false)) << "without a worker";
}

TEST(Guessing, KeepsATokenThatWasMadeJustNowOutForATickAtMost) {
  const auto store = std::make_shared<plugins::FakeStore>();
  FakeClock clock;
  TestHost one(store, &clock);
  TestHost other(store, &clock);
  const FreshToken first = one.make();
  EXPECT_TRUE(other.access->admit(first.text, false)) << "at once without wrong tokens";
  guess(*other.access, 1000);
  const FreshToken second = one.make();
  EXPECT_EQ(tag_of_failure(other.access->admit(second.text, false)), "AuthenticationError");
  other.access->tick();
  EXPECT_TRUE(other.access->admit(second.text, false));
}

TEST(Guessing, ARevokedTokenIsAGuess) {
  TestHost host;
  const FreshToken token = host.make();
  ASSERT_TRUE(host.store->revoke_token({}, token.id, host.clock.now()).value());
  host.access->tick();
  guess(*host.access, 1000);
  const auto calls = host.store->calls();
  EXPECT_EQ(tag_of_failure(host.access->admit(token.text, false)), "AuthenticationError");
  EXPECT_EQ(host.store->calls(), calls);
}

TEST(Guessing, AListThatCannotBeLearntLeavesTheLookups) {
  TestHost host;
  const FreshToken token = host.make();
  host.store->tell_no_hashes();
  host.access->tick();
  EXPECT_TRUE(host.access->admit(token.text, false));
  EXPECT_TRUE(host.warnings.empty());
  guess(*host.access, 1000);
  EXPECT_TRUE(host.access->admit(token.text, false)) << "a known token is admitted";
}

TEST(Guessing, CostsThePeerThatGuessesAndNobodyElse) {
  TestHost host;
  const FreshToken token = host.make();
  host.access->tick();
  guess(*host.access, Guesses::kFree + 1, "192.0.2.7");
  const auto calls = host.store->calls();
  const auto refused = host.access->admit("another", false, "192.0.2.7");
  EXPECT_EQ(tag_of_failure(refused), "RateLimitError");
  EXPECT_THAT(refused.error().hint, HasSubstr("in 1 s"));
  EXPECT_EQ(host.store->calls(), calls);
  EXPECT_EQ(tag_of_failure(host.access->admit("another", false, "192.0.2.8")),
            "AuthenticationError");
  EXPECT_TRUE(host.access->admit(token.text, false, "192.0.2.7")) << "a valid token is admitted";
  host.own_clock.advance(seconds(1));
  host.access->tick();
  EXPECT_EQ(tag_of_failure(host.access->admit("another", false, "192.0.2.7")),
            "AuthenticationError");
  EXPECT_THAT(host.access->admit("another", false, "192.0.2.7").error().hint, HasSubstr("in 2 s"));
}

struct GuessesTest : ::testing::Test {
  void note(std::string_view peer, std::uint32_t times) {
    for (std::uint32_t i = 0; i < times; ++i) guesses.note(peer, now);
  }
  bool waits(std::string_view peer) const { return guesses.wait(peer, now).count() > 0; }
  Guesses guesses;
  Clock::Steady now{minutes(60)};
};

TEST_F(GuessesTest, AFewWrongTokensCostNothing) {
  note("192.0.2.7", Guesses::kFree);
  EXPECT_FALSE(waits("192.0.2.7"));
  note("192.0.2.7", 1);
  EXPECT_TRUE(waits("192.0.2.7"));
}

TEST_F(GuessesTest, WaitsGrowToAMinuteAndAreForgotten) {
  note("192.0.2.7", 1'000'000);
  EXPECT_EQ(guesses.wait("192.0.2.7", now), Guesses::kLongest);
  now += Guesses::kMemory + seconds(1);
  note("192.0.2.7", 1);
  EXPECT_FALSE(waits("192.0.2.7"));
}

TEST_F(GuessesTest, AnUnknownPeerNeverWaits) {
  note("", 100);
  EXPECT_FALSE(waits(""));
}

TEST_F(GuessesTest, AddressesOfOneIpv6NetworkAreOnePeer) {
  note("2001:db8:0:1::1", 50);
  EXPECT_TRUE(waits("2001:db8:0:1:ffff::2"));
  EXPECT_FALSE(waits("2001:db8:0:2::1"));
  note("::ffff:192.0.2.7", 50);
  EXPECT_TRUE(waits("192.0.2.7"));
  EXPECT_FALSE(waits("192.0.2.8"));
}

TEST_F(GuessesTest, OnlySoManyPeersAreRememberedAndThoseThatWaitStay) {
  note("192.0.2.7", 50);
  for (std::size_t i = 0; i < 3 * Guesses::kMostPeers; ++i) {
    note("10." + std::to_string(i / 65536) + "." + std::to_string(i / 256 % 256) + "." +
             std::to_string(i % 256),
         1);
  }
  EXPECT_LE(guesses.size(), Guesses::kMostPeers);
  EXPECT_TRUE(waits("192.0.2.7"));
}

TEST(TokenList, KnowsWhatItWasToldUntilItIsToldOtherwise) {
  const std::string a(64, 'a');
  const std::string b = std::string(63, 'a') + "b";
  TokenList list;
  EXPECT_FALSE(list.is_complete_at(0));
  EXPECT_FALSE(list.contains(a));
  list.take({7, std::vector{b, a}}, 3);
  EXPECT_TRUE(list.contains(a));
  EXPECT_TRUE(list.contains(b));
  EXPECT_FALSE(list.contains(std::string(64, '0')));
  EXPECT_TRUE(list.is_complete_at(3));
  list.take({7, std::nullopt}, 4);
  EXPECT_TRUE(list.is_complete_at(4));
  EXPECT_TRUE(list.contains(a));
}

TEST(TokenList, OneThatIsTooLongIsNone) {
  TokenList list;
  list.take({7, std::vector{std::string(64, 'a')}}, 3);
  list.take({8, std::nullopt}, 4);
  EXPECT_FALSE(list.is_complete_at(4));
  EXPECT_FALSE(list.contains(std::string(64, 'a')));
  EXPECT_FALSE(list.state());
}

}  // namespace
}  // namespace quarry::access
