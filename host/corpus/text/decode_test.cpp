#include "corpus/text/decode.h"

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

using namespace std::string_view_literals;

std::optional<std::string> decoded(std::string_view bytes) {
  std::string storage;
  const auto text = decode_text(bytes, storage);
  if (!text) return std::nullopt;
  return std::string(*text);
}

TEST(DecodeText, TakesUtf8AsItIsWithoutACopy) {
  std::string storage;
  const std::string_view bytes = "naïve\r\n";
  EXPECT_EQ(decode_text(bytes, storage)->data(), bytes.data());
  EXPECT_EQ(decoded(""), "");
}

TEST(DecodeText, DropsAByteOrderMark) {
  EXPECT_EQ(decoded("\xEF\xBB\xBFint x;"), "int x;");
}

TEST(DecodeText, RepairsLatin1) {
  EXPECT_EQ(decoded("caf\xE9 au lait"), "caf\xEF\xBF\xBD au lait");
}

TEST(DecodeText, ConvertsUtf16OfBothByteOrders) {
  EXPECT_EQ(decoded("\xFF\xFEh\0\xE9\0\n\0"sv), "hé\n");
  EXPECT_EQ(decoded("\xFE\xFF\0h\0\xE9\0\n"sv), "hé\n");
  EXPECT_EQ(decoded("\xFF\xFE\x3D\xD8\x00\xDE"sv), "\xF0\x9F\x98\x80") << "a surrogate pair";
  EXPECT_EQ(decoded("\xFE\xFF\x20\xAC"sv), "€");
}

TEST(DecodeText, RepairsBrokenUtf16) {
  EXPECT_EQ(decoded("\xFF\xFEhehehehe\x3D\xD8"sv)->substr(12), "\xEF\xBF\xBD") << "half a pair";
  EXPECT_EQ(decoded("\xFF\xFEhehehehe!"sv)->substr(12), "\xEF\xBF\xBD") << "half a unit";
}

TEST(DecodeText, KnowsBinariesByANul) {
  EXPECT_EQ(decoded("\x7F"
                    "ELF\0"sv),
            std::nullopt);
  EXPECT_EQ(decoded("\xFF\xFEh\0\0\0"sv), std::nullopt) << "a NUL within UTF-16";
}

TEST(DecodeText, KnowsBinariesByWhatIsNoText) {
  EXPECT_EQ(decoded("\x01\x02\x03\x04 ok"), std::nullopt);
  EXPECT_EQ(decoded("\xFC\xFD\xFE\xF0 four"), std::nullopt);
  EXPECT_TRUE(decoded("\x1B[1mbold\x1B[0m")) << "colours of a terminal are text";
  EXPECT_TRUE(decoded("\xEF\xBF\xBD\xEF\xBF\xBD\xE9 repaired before")) << "U+FFFD itself is text";
}

}  // namespace
}  // namespace quarry::corpus
