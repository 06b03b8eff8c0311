#include "package_source/address.h"

#include <gtest/gtest.h>

namespace quarry::package_source {
namespace {

TEST(PrivateAddress, IsOfThisMachineOrAPrivateNetwork) {
  for (const char* address : {"127.0.0.1", "127.9.9.9", "10.1.2.3", "172.16.0.1", "172.31.255.255",
                              "192.168.1.1", "::1", "fd00::1", "fc00::1"}) {
    EXPECT_TRUE(is_private_address(address)) << address;
  }
  for (const char* address :
       {"128.0.0.1", "11.0.0.1", "172.15.0.1", "172.32.0.1", "192.169.1.1", "169.254.169.254",
        "::2", "2001:db8::1", "fe80::1", "localhost", "10.example.org", "127.1", "[::1]", ""}) {
    EXPECT_FALSE(is_private_address(address)) << address;
  }
}

TEST(PrivateHost, IsAlsoAnAddressInBracketsOrLocalhost) {
  for (const char* host : {"localhost", "a.localhost", "[::1]", "::1", "[fd00::1]", "10.1.2.3"}) {
    EXPECT_TRUE(is_private_host(host)) << host;
  }
  for (const char* host :
       {"localhost.example.org", "notlocalhost", "10.example.org", "[::2]", "[", "[]", ""}) {
    EXPECT_FALSE(is_private_host(host)) << host;
  }
}

}  // namespace
}  // namespace quarry::package_source
