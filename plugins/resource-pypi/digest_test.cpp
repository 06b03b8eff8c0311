#include "resource-pypi/digest.h"

#include <gtest/gtest.h>

namespace quarry::resource_pypi {
namespace {

const std::string kDigits(64, 'a');

TEST(Hashes, AreChosenAndComputed) {
  EXPECT_EQ(best_of({{"md5", std::string(32, '0')}, {"sha256", kDigits}})->algorithm, "sha256");
  EXPECT_FALSE(best_of({{"md5", std::string(32, '0')}})->is_strong());
  EXPECT_FALSE(best_of({{"crc", "00"}, {"sha256", "short"}}));
  EXPECT_EQ(Hash::parse("sha256=" + std::string(64, 'A'))->hex, kDigits);
  EXPECT_FALSE(Hash::parse("sha256=" + std::string(64, 'g')));
  Digest digest("sha256");
  digest.add("a");
  digest.add("bc");
  EXPECT_EQ(digest.finish().hex,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  for (const char* name :
       {"sha512", "sha384", "sha3_256", "blake2b", "blake2s", "sha224", "sha1", "md5"}) {
    Digest other(name);
    EXPECT_TRUE(Hash::make(name, other.finish().hex)) << name;
  }
}

}  // namespace
}  // namespace quarry::resource_pypi
