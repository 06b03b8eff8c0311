#include <quarry/base64.hpp>

#include <gtest/gtest.h>

namespace quarry {
namespace {

TEST(Base64, IsWrittenWithPadding) {
  // The test vectors of RFC 4648, section 10.
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foob"), "Zm9vYg==");
  EXPECT_EQ(to_base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, IsReadBackWhateverTheBytes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    bytes += static_cast<char>(i);
  }
}

TEST(Base64, MayLackItsPadding) {
  EXPECT_EQ(from_base64("Zm9vYg"), "foob");
}

TEST(Base64, OfOtherTextIsNothing) {
  for (const char* text : {"Zm9vY", "Zm9v Yg==", "Zm9-", "\xff\xff\xff\xff"}) {
    EXPECT_FALSE(from_base64(text)) << text;
  }
}

}  // namespace
}  // namespace quarry
