#include "package_source/zip_index.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace quarry::package_source {
namespace {

std::string little_endian(std::uint64_t value, int size) {
  std::string out;
  for (int i = 0; i < size; ++i, value >>= 8) out += static_cast<char>(value);
  return out;
}

/// The directory's entry of a file without a name.
std::string entry_at(std::uint64_t offset) {
  return "PK\x01\x02" + std::string(38, '\0') + little_endian(offset, 4);
}

/// An end of a directory of 32-bit values.
std::string end_of(std::uint64_t size, std::uint64_t offset) {
  return "PK\x05\x06" + std::string(8, '\0') + little_endian(size, 4) + little_endian(offset, 4) +
         std::string(2, '\0');
}

/// A 64-bit end at `at`, with its locator.
std::string end64_of(std::uint64_t at, std::uint64_t size, std::uint64_t offset) {
  return "PK\x06\x06" + little_endian(44, 8) + std::string(28, '\0') + little_endian(size, 8) +
         little_endian(offset, 8) + "PK\x06\x07" + std::string(4, '\0') + little_endian(at, 8) +
         little_endian(1, 4);
}

std::size_t entries_in(const std::string& bytes) {
  const File file = File::in_memory();
  EXPECT_TRUE(file.write(0, bytes));
  const auto index = read_zip_index(file);
  EXPECT_TRUE(index);
  return index ? index->entries.size() : 0;
}

TEST(CodePage437, IsReadAsUtf8) {
  EXPECT_EQ(from_cp437("caf\x82"), "caf\xc3\xa9");
}

// libarchive reads entries one after the other, so a size that lies must not hide any.
TEST(ZipIndex, HasAllEntriesWhateverSizeIsStated) {
  const std::string entries = entry_at(0) + entry_at(1) + entry_at(2);
  EXPECT_EQ(entries_in(entries + end_of(entries.size(), 0)), 3u);
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{46}, ~std::uint64_t{0}}) {
    const std::string end64 = end64_of(entries.size(), size, 0);
    EXPECT_EQ(entries_in(entries + end64 + end_of(0xFFFFFFFF, 0xFFFFFFFF)), 3u) << size;
  }
}

TEST(ZipIndex, BeginsAtTheFirstEntryBehindItsOffset) {
  const std::string entries = entry_at(0) + entry_at(1);
  const std::string before = "PK and more";
  EXPECT_EQ(entries_in(before + entries + end_of(before.size() + entries.size(), 0)), 2u);
  const std::string end64 = end64_of(before.size() + entries.size(), entries.size(), 0);
  EXPECT_EQ(entries_in(before + entries + end64 + end_of(0xFFFFFFFF, 0xFFFFFFFF)), 2u);
  EXPECT_EQ(entries_in(end_of(0, 0)), 0u);
}

}  // namespace
}  // namespace quarry::package_source
