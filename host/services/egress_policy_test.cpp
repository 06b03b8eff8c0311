#include "services/egress_policy.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

namespace quarry::services {
namespace {

using ::testing::HasSubstr;

TEST(SpecialPurpose, OfEveryKindOfAddress) {
  const std::pair<const char*, const char*> table[] = {
      {"127.0.0.1", "loopback"},
      {"127.255.255.255", "loopback"},
      {"::1", "loopback"},
      {"[::1]", "loopback"},
      {"0.0.0.0", "unspecified"},
      {"0.1.2.3", "unspecified"},
      {"::", "unspecified"},
      {"10.0.0.1", "private"},
      {"172.15.255.255", ""},
      {"172.16.0.0", "private"},
      {"172.31.255.255", "private"},
      {"172.32.0.0", ""},
      {"192.168.1.1", "private"},
      {"fc00::1", "private"},
      {"fd00:ec2::254", "private"},
      {"fec0::1", "private"},
      {"100.63.255.255", ""},
      {"100.64.0.1", "carrier-grade NAT"},
      {"100.100.100.200", "carrier-grade NAT"},
      {"100.128.0.0", ""},
      {"168.63.129.16", "cloud metadata"},
      {"169.254.169.254", "link-local"},
      {"fe80::1", "link-local"},
      {"fe80::1%lo", "link-local"},
      {"febf::1", "link-local"},
      {"192.0.0.170", "reserved"},
      {"192.88.99.1", "reserved"},
      {"240.0.0.1", "reserved"},
      {"255.255.255.255", "reserved"},
      {"192.0.2.1", "documentation"},
      {"198.51.100.1", "documentation"},
      {"203.0.113.1", "documentation"},
      {"2001:db8::1", "documentation"},
      {"3fff::1", "documentation"},
      {"198.19.0.1", "benchmark"},
      {"2001:2::1", "benchmark"},
      {"224.0.0.1", "multicast"},
      {"239.1.1.1", "multicast"},
      {"ff02::1", "multicast"},
      {"100::1", "discard"},
      {"2001:0:1::1", "Teredo"},
      {"2001:20::1", "reserved"},
      {"4000::1", "reserved"},
      {"5f00::1", "reserved"},
      {"::ffff:127.0.0.1", "loopback"},
      {"::ffff:8.8.8.8", ""},
      {"::127.0.0.1", "loopback"},
      {"::10.0.0.1", "private"},
      {"::ffff:0:10.0.0.1", "private"},
      {"64:ff9b::169.254.169.254", "link-local"},
      {"64:ff9b::8.8.8.8", ""},
      {"64:ff9b:1::8.8.8.8", "private"},
      {"2002:7f00:1::1", "loopback"},
      {"2002:a00:1::1", "private"},
      {"2002:808:808::1", ""},
      {"2600::5efe:10.0.0.1", "private"},
      {"2600::200:5efe:10.0.0.1", "private"},
      {"8.8.8.8", ""},
      {"1.1.1.1", ""},
      {"2606:4700:4700::1111", ""},
  };
  for (const auto& [address, purpose] : table)
    EXPECT_EQ(special_purpose(parse_address(address).value()), purpose) << address;
}

TEST(AddressRange, IsAnAddressOrCountsItsBits) {
  EXPECT_TRUE(AddressRange::parse("10.0.0.0/9")->contains(*parse_address("10.127.0.1")));
  EXPECT_FALSE(AddressRange::parse("10.0.0.0/9")->contains(*parse_address("10.128.0.1")));
  EXPECT_TRUE(AddressRange::parse("0.0.0.0/0")->contains(*parse_address("8.8.8.8")));
  EXPECT_FALSE(AddressRange::parse("0.0.0.0/0")->contains(*parse_address("2600::1")));
  EXPECT_TRUE(AddressRange::parse("::1")->contains(*parse_address("::1")));
  for (const char* bad : {"10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/8x", "name", "", "10/8"})
    EXPECT_FALSE(AddressRange::parse(bad)) << bad;
}

TEST(HostMatches, ExactlyBelowADomainOrAlways) {
  EXPECT_TRUE(host_matches("Example.org", "example.ORG."));
  EXPECT_FALSE(host_matches("example.org", "a.example.org"));
  EXPECT_TRUE(host_matches("*.example.org", "a.b.example.org"));
  EXPECT_FALSE(host_matches("*.example.org", "example.org"));
  EXPECT_FALSE(host_matches("*.example.org", ".example.org.evil"));
  EXPECT_FALSE(host_matches("*.example.org", "badexample.org"));
  EXPECT_TRUE(host_matches("*", "anything"));
}

TEST(HostMatches, AnAddressHoweverItIsWritten) {
  EXPECT_TRUE(host_matches("127.1", "127.0.0.1"));
  EXPECT_TRUE(host_matches("2130706433", "127.0.0.1"));
  EXPECT_TRUE(host_matches("0:0:0:0:0:0:0:1", "::1"));
  EXPECT_TRUE(host_matches("::ffff:7f00:1", "127.0.0.1"));
  EXPECT_FALSE(host_matches("127.1", "127.0.0.2"));
  EXPECT_FALSE(host_matches("localhost", "127.0.0.1"));
}

sockaddr_in of(const char* text) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  ::inet_pton(AF_INET, text, &out.sin_addr);
  return out;
}

Status check(const EgressPolicy& policy, const char* host, const char* address) {
  const auto four = of(address);
  return policy.check(host, reinterpret_cast<const sockaddr&>(four));
}

TEST(EgressPolicy, RefusalNamesHostAddressClassAndKey) {
  const auto refused = check({}, "innocent.example", "10.0.0.7");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kPermissionDenied);
  for (const char* part : {"innocent.example", "10.0.0.7", "private"})
    EXPECT_THAT(refused.error().message, HasSubstr(part));
  EXPECT_THAT(refused.error().hint, HasSubstr("network.private_hosts"));
  EXPECT_TRUE(check({}, "example.org", "8.8.8.8"));
}

TEST(EgressPolicy, RefusesLocalNamesAndLiteralsBeforeTheyAreResolved) {
  const EgressPolicy policy;
  for (const char* host : {"localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "[::1]",
                           "127.0.0.1.", "10.1", "0x7f.1", "0177.0.0.1", "2130706433"})
    EXPECT_FALSE(policy.check(host)) << host;
  EXPECT_TRUE(policy.check("example.org"));
  EXPECT_TRUE(policy.check("8.8.8.8"));
}

TEST(EgressPolicy, AllowsWhatTheOperatorListed) {
  const std::vector<std::string> allowed{"10.1.0.0/16", "*.corp", "localhost"};
  const auto policy = EgressPolicy::make(allowed).value();
  EXPECT_TRUE(check(policy, "any.example", "10.1.2.3"));
  EXPECT_FALSE(check(policy, "any.example", "10.2.2.3"));
  EXPECT_TRUE(check(policy, "git.corp", "10.2.2.3"));
  EXPECT_TRUE(policy.check("localhost"));
  EXPECT_FALSE(policy.check("127.0.0.1"));
}

TEST(EgressPolicy, KnowsTheEndpointsOfModelsByHostAndPort) {
  const auto policy = EgressPolicy::make({}, {{"127.0.0.1", 1234}}).value();
  EXPECT_TRUE(policy.is_endpoint({"127.0.0.1", 1234}));
  EXPECT_FALSE(policy.is_endpoint({"127.0.0.1", 1235}));
  EXPECT_FALSE(policy.is_endpoint({"localhost", 1234}));
  EXPECT_FALSE(policy.check("127.0.0.1")) << "for models alone";
}

TEST(EgressPolicy, FollowsWhatItIsSetTo) {
  EgressPolicy policy;
  EXPECT_FALSE(policy.check("10.0.0.1"));
  const std::vector<std::string> allowed{"10.0.0.0/8"};
  policy = EgressPolicy::make(allowed, {{"a", 1}}).value();
  EXPECT_TRUE(policy.check("10.0.0.1"));
  EXPECT_TRUE(policy.is_endpoint({"a", 1}));
  policy = EgressPolicy();
  EXPECT_FALSE(policy.check("10.0.0.1"));
}

TEST(EgressPolicy, RefusesAFamilyItDoesNotKnow) {
  sockaddr unknown{};
  unknown.sa_family = AF_UNIX;
  EXPECT_EQ(EgressPolicy().check("x", unknown).error().code, Code::kPermissionDenied);
}

TEST(EgressPolicy, NamesAMalformedEntry) {
  for (const std::string bad : {"10.0.0.0/99", "", "http://x", "a b"}) {
    const auto made = EgressPolicy::make(std::span(&bad, 1));
    ASSERT_FALSE(made) << bad;
    EXPECT_THAT(made.error().message, HasSubstr("'" + bad + "'"));
  }
}

}  // namespace
}  // namespace quarry::services
