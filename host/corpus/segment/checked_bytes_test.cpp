#include "corpus/segment/checked_bytes.h"

#include <string>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t kBlock = 64;

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 131 >> 3);
  return bytes;
}

TEST(Digest, ShowsAnyFlippedBitAndAnyOtherLength) {
  const std::string good = pattern(200);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(digest(bad), digest(good)) << "bit " << bit;
  }
  const std::string zeros(300, '\0');
  for (std::size_t size = 0; size < zeros.size(); ++size) {
    EXPECT_NE(digest(std::string_view(zeros).substr(0, size)), digest(zeros)) << size;
  }
}

TEST(CheckedBytes, FindTheBlocksThatChanged) {
  const std::string good = pattern(kBlock * 3 + 10);
  std::string bytes = good;
  const auto digests = block_digests(good, kBlock);
  ASSERT_EQ(digests.size(), 4u);
  bytes[kBlock * 3 + 9] ^= 1;
  const CheckedBytes checked(bytes, digests, kBlock);
  EXPECT_TRUE(checked.check(0, kBlock * 3));
  EXPECT_FALSE(checked.is_damaged());
  EXPECT_FALSE(checked.check(kBlock * 3 - 1, 2));
  EXPECT_TRUE(checked.is_damaged());
  EXPECT_THAT(checked.damaged_blocks(), ElementsAre(3));
}

TEST(CheckedBytes, CompareABlockOnceUnlessTheyAreToldTo) {
  std::string bytes = pattern(kBlock);
  const CheckedBytes checked(bytes, block_digests(bytes, kBlock), kBlock);
  EXPECT_TRUE(checked.check(0, 1));
  bytes[5] ^= 1;
  EXPECT_TRUE(checked.check(0, kBlock));
  EXPECT_FALSE(checked.recheck(0, 1));
  EXPECT_FALSE(checked.check(0, 1)) << "and what was found is not forgotten";
}

TEST(CheckedBytes, HaveNoRangeBeyondTheirEnd) {
  const std::string bytes = pattern(kBlock);
  const CheckedBytes checked(bytes, block_digests(bytes, kBlock), kBlock);
  EXPECT_TRUE(checked.check(kBlock, 0));
  EXPECT_FALSE(checked.check(kBlock, 1));
  EXPECT_FALSE(checked.check(1, kBlock));
  EXPECT_FALSE(checked.check(2, static_cast<std::size_t>(-1)));
  EXPECT_THAT(checked.damaged_blocks(), IsEmpty());
}

TEST(CheckedBytes, MayBeNone) {
  const CheckedBytes checked("", {}, kBlock);
  EXPECT_TRUE(checked.check(0, 0));
  EXPECT_FALSE(checked.check(0, 1));
}

}  // namespace
}  // namespace quarry::corpus
