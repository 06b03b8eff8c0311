#include "resource-pypi/digest.h"

#include "package_source/digest.h"

#include <gtest/gtest.h>

namespace quarry::resource_pypi {
namespace {

const std::string kDigits(64, 'a');

TEST(Hashes, AreChosen) {
  EXPECT_EQ(best_of({{"md5", std::string(32, '0')}, {"sha256", kDigits}})->algorithm, "sha256");
  EXPECT_FALSE(best_of({{"md5", std::string(32, '0')}})->is_strong());
  EXPECT_FALSE(best_of({{"crc", "00"}, {"sha256", "short"}}));
  EXPECT_EQ(Hash::parse("sha256=" + std::string(64, 'A'))->hex, kDigits);
  EXPECT_FALSE(Hash::parse("sha256=" + std::string(64, 'g')));
  for (const char* name :
       {"sha512", "sha384", "sha3_256", "blake2b", "blake2s", "sha224", "sha1", "md5"}) {
    EXPECT_TRUE(Hash::make(name, package_source::Digest(openssl_name_of(name)).hex())) << name;
  }
}

}  // namespace
}  // namespace quarry::resource_pypi
