#include "base/hash.h"

#include "base/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry {
namespace {

TEST(Hash, IsSha256) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

// RFC 4231, test case 2.
TEST(Hash, KeyedIsHmacSha256) {
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Hash, HexadecimalDigitsAreOfUnsignedBytes) {
  EXPECT_EQ(to_hex(std::string_view("\x00\x7f\xff", 3)), "007fff");
}

TEST(Random, IsOfTheWantedLengthAndNeverTheSame) {
  EXPECT_THAT(random_hex(16), ::testing::MatchesRegex("[0-9a-f]{32}"));
  EXPECT_NE(random_hex(16), random_hex(16));
}

}  // namespace
}  // namespace quarry
