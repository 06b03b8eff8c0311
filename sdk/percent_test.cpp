#include <quarry/percent.hpp>

#include <gtest/gtest.h>

namespace quarry {
namespace {

TEST(Percent, EncodesAllButUnreservedCharacters) {
  EXPECT_EQ(to_percent_encoded("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(to_percent_encoded("a b/c?ü"), "a%20b%2Fc%3F%C3%BC");
  EXPECT_EQ(to_percent_encoded("a b/c?", "/"), "a%20b/c%3F");
  EXPECT_EQ(to_percent_encoded(std::string_view("\0%", 2)), "%00%25");
}

TEST(Percent, DecodesOrRefuses) {
  EXPECT_EQ(from_percent_encoded("a%20b%2fc%C3%A9+"), "a b/c\xC3\xA9+");
  EXPECT_EQ(from_percent_encoded(""), "");
  EXPECT_EQ(from_percent_encoded("%00"), std::string(1, '\0'));
  for (const char* text : {"%", "%1", "%g0", "%0g", "a%", "100%", "%zz", "%-1", "%+1", "a%20%"}) {
    EXPECT_EQ(from_percent_encoded(text), std::nullopt) << text;
  }
}

TEST(Percent, DecodesWhatItEncodes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(from_percent_encoded(to_percent_encoded(bytes)), bytes);
}

}  // namespace
}  // namespace quarry
