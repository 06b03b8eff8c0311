#include "http_server/peers.h"

#include <vector>

#include <gtest/gtest.h>

namespace quarry::http_server {
namespace {

using boost::asio::ip::make_address;

TEST(Peers, CountsTheConnectionsOfAnAddress) {
  Peers peers(10, {}, false);
  auto first = std::make_unique<Peers::Place>(peers.take(make_address("192.0.2.7")));
  const auto second = peers.take(make_address("192.0.2.7"));
  const auto other = peers.take(make_address("192.0.2.8"));
  EXPECT_EQ(second.connections(), 2U);
  EXPECT_EQ(other.connections(), 1U);
  first.reset();
  EXPECT_EQ(second.connections(), 1U);
}

TEST(Peers, ANetworkOfSixtyFourBitsIsOnePeer) {
  Peers peers(10, {}, false);
  const auto first = peers.take(make_address("2001:db8:1:2::1"));
  const auto same = peers.take(make_address("2001:db8:1:2:ffff::9"));
  const auto other = peers.take(make_address("2001:db8:1:3::1"));
  EXPECT_EQ(same.connections(), 2U);
  EXPECT_EQ(other.connections(), 1U);
}

TEST(Peers, AnAddressIsTheSameHoweverASocketShowsIt) {
  Peers peers(10, {}, false);
  const auto plain = peers.take(make_address("192.0.2.7"));
  const auto mapped = peers.take(make_address("::ffff:192.0.2.7"));
  EXPECT_EQ(mapped.connections(), 2U);
}

TEST(Peers, AddressesThatStandForManyAreNotCounted) {
  Peers peers(10, {"192.0.2.7", "2001:db8::1", "no address"}, false);
  for (const char* address : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "192.0.2.7",
                              "::ffff:192.0.2.7", "2001:db8::1"}) {
    EXPECT_EQ(peers.take(make_address(address)).connections(), 0U) << address;
  }
  EXPECT_EQ(peers.take(make_address("2001:db8::2")).connections(), 1U) << "a neighbour of a proxy";
  Peers all(10, {}, true);
  EXPECT_EQ(all.take(make_address("127.0.0.1")).connections(), 1U);
}

}  // namespace
}  // namespace quarry::http_server
