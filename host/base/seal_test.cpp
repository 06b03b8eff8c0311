#include "base/seal.h"

#include "base/hash.h"

#include <gtest/gtest.h>

namespace quarry {
namespace {

const std::string kKey(64, 'a');

TEST(Seal, OpensWithItsKeyForItsContext) {
  for (const std::string& text : {std::string(), std::string("secret"), std::string(9000, 'x')}) {
    const auto sealed = seal(kKey, text, "docs/kit");
    ASSERT_TRUE(sealed);
    EXPECT_EQ(sealed->find(text.empty() ? "none" : text), std::string::npos);
    EXPECT_EQ(unseal(kKey, *sealed, "docs/kit").value(), text);
  }
  EXPECT_NE(*seal(kKey, "x", ""), *seal(kKey, "x", ""));
}

// Test case 16 of McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B.
TEST(Seal, OpensWhatAnotherProgramEncrypted) {
  const std::string half = "feffe9928665731c6d6a8f9467308308";
  const std::string context =
      "\xfe\xed\xfa\xce\xde\xad\xbe\xef\xfe\xed\xfa\xce\xde\xad\xbe\xef\xab\xad\xda\xd2";
  const auto opened = unseal(half + half,
                             "cafebabefacedbaddecaf888"
                             "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                             "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
                             "76fc6ece0f4e1768cddf8853bb2d551b",
                             context);
  ASSERT_TRUE(opened);
  EXPECT_EQ(to_hex(*opened),
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
            "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39");
}

TEST(Seal, OpensForNobodyElse) {
  const std::string sealed = *seal(kKey, "secret", "docs/kit");
  const auto code = [](const Result<std::string>& opened) {
    return opened ? Code::kOk : opened.error().code;
  };
  EXPECT_EQ(code(unseal(std::string(64, 'b'), sealed, "docs/kit")), Code::kPermissionDenied);
  EXPECT_EQ(code(unseal(kKey, sealed, "web/kit")), Code::kPermissionDenied);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = changed[i] == '0' ? '1' : '0';
    EXPECT_EQ(code(unseal(kKey, changed, "docs/kit")), Code::kPermissionDenied) << i;
  }
  for (const char* other : {"", "0", "zz", "00112233"}) {
    EXPECT_EQ(code(unseal(kKey, other, "docs/kit")), Code::kPermissionDenied) << other;
  }
}

TEST(Seal, TakesNoWeakKey) {
  for (const std::string& key : {std::string(), std::string("password"), std::string(63, 'a'),
                                 std::string(64, 'g'), std::string(66, 'a')}) {
    EXPECT_EQ(seal(key, "x", "").error().code, Code::kInvalidArgument) << key;
    EXPECT_EQ(unseal(key, "00", "").error().code, Code::kInvalidArgument) << key;
  }
}

}  // namespace
}  // namespace quarry
