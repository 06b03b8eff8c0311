#include "package_source/digest.h"

#include <gtest/gtest.h>

namespace quarry::package_source {
namespace {

// The examples of FIPS 180-2 for the message "abc".
TEST(Digest, IsThatOfItsAlgorithm) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Digest sha1("sha1");
  sha1.add("abc");
  EXPECT_EQ(sha1.hex(), "a9993e364706816aba3e25717850c26c9cd0d89d");
  Digest sha512("SHA512");
  sha512.add("abc");
  EXPECT_EQ(sha512.bytes().substr(0, 4), "\xdd\xaf\x35\xa1");
}

TEST(Digest, DoesNotDependOnThePieces) {
  Digest whole;
  for (const char* piece : {"a", "", "bc"}) whole.add(piece);
  EXPECT_EQ(whole.hex(), sha256_hex("abc"));
}

TEST(Digest, MayBeMoved) {
  Digest first;
  first.add("ab");
  Digest second(std::move(first));
  second.add("c");
  EXPECT_EQ(second.hex(), sha256_hex("abc"));
}

TEST(Digest, OfAnUnknownAlgorithmIsRefused) {
  EXPECT_THROW(Digest("sha255"), std::runtime_error);
}

}  // namespace
}  // namespace quarry::package_source
