#include "package_source/unpack_budget.h"

#include <limits>

#include <gtest/gtest.h>

namespace quarry::package_source {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr UnpackLimits kLimits{.entries = 200'000, .bytes = 4 * kGiB};

TEST(UnpackBudget, HoldsLargePackages) {
  // Sizes of linux-6.12.tar.xz, of the sources of llvm 19, and of a wheel of torch.
  for (const auto& [packed, unpacked] : {std::pair{141 * kMiB, 1550 * kMiB},
                                         {147 * kMiB, 2000 * kMiB},
                                         {760 * kMiB, 1700 * kMiB},
                                         {10'000, 64 * kMiB}}) {
    UnpackBudget budget(kLimits, packed);
    EXPECT_EQ(budget.reach(0, unpacked), std::nullopt);
    EXPECT_EQ(budget.add_file(unpacked), std::nullopt);
  }
}

TEST(UnpackBudget, SaysWhichLimitIsExceeded) {
  UnpackBudget entries({.entries = 2, .bytes = kMiB}, 1);
  EXPECT_EQ(entries.add_entry(), std::nullopt);
  EXPECT_EQ(entries.add_entry(), std::nullopt);
  EXPECT_EQ(entries.add_entry(), "more than 2 entries");
  UnpackBudget bytes({.entries = 2, .bytes = 100}, 1);
  EXPECT_EQ(bytes.add_file(60), std::nullopt);
  EXPECT_EQ(bytes.add_listed(40), std::nullopt);
  EXPECT_EQ(bytes.add_listed(1), "more than 100 bytes");
  EXPECT_EQ(UnpackBudget(kLimits, 1000).reach(60 * kMiB, 5 * kMiB),
            "more than 200 times its size of 1000 bytes");
}

TEST(UnpackBudget, CountsHardLinksAsCopies) {
  UnpackBudget budget(kLimits, 1000);
  UnpackBudget::Exceeded exceeded = budget.add_file(kMiB);
  int links = 0;
  while (!exceeded && links < 1000) exceeded = budget.add_file(kMiB, true), ++links;
  EXPECT_EQ(links, 64);
  EXPECT_EQ(exceeded,
            "more than 200 times its size of 1000 bytes, counting 64 hard links as copies");
}

TEST(UnpackBudget, AsksNoRatioOfWhatIsOnlyListed) {
  UnpackBudget budget(kLimits, 1000);
  EXPECT_EQ(budget.add_listed(2 * kGiB), std::nullopt);
  EXPECT_NE(budget.add_listed(3 * kGiB), std::nullopt);
}

TEST(UnpackBudget, AddsSizesThatWouldOverflow) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  UnpackBudget budget(kLimits, kMost);
  EXPECT_NE(budget.reach(kMost, kMost), std::nullopt);
  EXPECT_NE(budget.add_file(kMost), std::nullopt);
  EXPECT_NE(budget.add_file(2), std::nullopt);
}

}  // namespace
}  // namespace quarry::package_source
