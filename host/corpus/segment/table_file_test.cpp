#include "corpus/segment/table_file.h"

#include "corpus/segment/testing/directory_fixture.h"

#include <fstream>
#include <numeric>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Tables : public DirectoryFixture {
 protected:
  std::filesystem::path store(std::string_view bytes) {
    const auto path = new_directory() / "table";
    write(path, bytes);
    return path;
  }

  static std::string two_arrays() {
    TableWriter writer("numbers1");
    const std::uint32_t small[] = {1, 2, 3};
    const std::uint64_t large[] = {1ull << 40};
    writer.append(std::span<const std::uint32_t>(small));
    writer.append(std::span<const std::uint64_t>(large));
    return std::move(writer).finish();
  }
};

TEST_F(Tables, GiveBackTheirArraysInOrder) {
  auto table = TableFile::open(store(two_arrays()), "numbers1");
  ASSERT_TRUE(table) << table.error().message;
  TableFile moved = std::move(*table);
  EXPECT_THAT(*moved.take_whole<std::uint32_t>(), ElementsAre(1, 2, 3));
  EXPECT_THAT(*moved.take_whole<std::uint64_t>(), ElementsAre(1ull << 40));
  EXPECT_THAT(moved.take_whole<char>().error().message, HasSubstr("an array is missing"));
}

TEST_F(Tables, OfAnotherKindAreRefused) {
  const auto table = TableFile::open(store(two_arrays()), "numbers2");
  EXPECT_EQ(table.error().code, Code::kInternal);
  EXPECT_THAT(table.error().message, HasSubstr("not a table of the kind \"numbers2\""));
  EXPECT_FALSE(TableFile::open(root_ / "none", "numbers1"));
}

TEST_F(Tables, ShowAnyFlippedBit) {
  const std::string good = two_arrays();
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    EXPECT_FALSE(TableFile::open(store(bad), "numbers1")) << "byte " << at;
  }
}

TEST_F(Tables, ShowAnyTruncation) {
  const std::string good = two_arrays();
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(TableFile::open(store(good.substr(0, size)), "numbers1")) << size << " bytes";
  }
}

TEST_F(Tables, NeverHandOutBytesBeyondTheirEnd) {
  std::string bad = two_arrays();
  bad[32 + 24] = '\xFF';  // the length of the first array
  seal_table(bad);
  auto table = TableFile::open(store(bad), "numbers1");
  ASSERT_TRUE(table);
  EXPECT_THAT(table->take<std::uint32_t>().error().message, HasSubstr("runs past the end"));

  std::string second = two_arrays();
  second[32 + 24 + 8] = 24;  // as long as both arrays
  seal_table(second);
  table = TableFile::open(store(second), "numbers1");
  ASSERT_TRUE(table->take<std::uint32_t>());
  EXPECT_THAT(table->take<std::uint64_t>().error().message, HasSubstr("runs past the end"));
}

TEST_F(Tables, RefuseArraysOfTheWrongWidth) {
  auto table = TableFile::open(store(two_arrays()), "numbers1");
  EXPECT_THAT(table->take<std::uint64_t>().error().message, HasSubstr("broken length"));
}

TEST_F(Tables, AcceptNoLengthOfTheirArraysThatDoesNotFit) {
  const std::string good = two_arrays();
  for (const int size : {1, 16, 25, 32, 1 << 20}) {
    std::string bad = good;
    bad[16] = static_cast<char>(size);
    bad[18] = static_cast<char>(size >> 16);
    EXPECT_FALSE(TableFile::view(bad, "numbers1")) << size;
  }
  std::string odd = good;
  odd[16] = 20;
  seal_table(odd);
  EXPECT_FALSE(TableFile::view(odd, "numbers1"));
}

TEST_F(Tables, TakeAnArrayInPieces) {
  TableWriter writer("letters1");
  writer.add_bytes("ab");
  writer.add_bytes("c");
  writer.end_array();
  writer.end_array();
  const std::string bytes = std::move(writer).finish();
  auto table = TableFile::view(bytes, "letters1");
  EXPECT_EQ(table->take<char>()->text(), "abc");
  EXPECT_EQ(table->take<char>()->size(), 0u);
}

/// An array of 3,000 ascending numbers, in three blocks, and one of three letters.
class MappedTables : public Tables {
 protected:
  void SetUp() override {
    Tables::SetUp();
    TableWriter writer("numbers1");
    std::vector<std::uint32_t> numbers(3000);
    std::iota(numbers.begin(), numbers.end(), 1u);
    writer.append<std::uint32_t>(numbers);
    writer.append<char>(std::string("abc"));
    good_ = std::move(writer).finish();
  }
  TableFile mapped(const std::string& bytes) { return *TableFile::map(store(bytes), "numbers1"); }

  static constexpr std::size_t kArrays = 32;  // where they begin
  static constexpr std::size_t kBlock = 4096;
  std::string good_;
};

TEST_F(MappedTables, GiveBackTheirElements) {
  TableFile opened = mapped(good_);
  TableFile moved = std::move(opened);
  const auto numbers = *moved.take<std::uint32_t>();
  ASSERT_EQ(numbers.size(), 3000u);
  EXPECT_EQ(numbers[0], 1u);
  EXPECT_EQ(numbers[2999], 3000u);
  EXPECT_EQ(moved.take<char>()->text(), "abc");
  EXPECT_FALSE(moved.is_damaged());
  EXPECT_EQ(numbers[3000], 0u) << "beyond the end";
  EXPECT_FALSE(moved.is_damaged());
}

TEST_F(MappedTables, NoticeDamageWhereItIsRead) {
  std::string bad = good_;
  bad[kArrays + kBlock + 4] ^= 1;  // element 1025
  TableFile table = mapped(bad);
  const auto numbers = *table.take<std::uint32_t>();
  EXPECT_EQ(numbers[1023], 1024u);
  EXPECT_EQ(numbers[2048], 2049u);
  EXPECT_FALSE(table.is_damaged());
  EXPECT_EQ(numbers[1024], 0u) << "in the block of the damage";
  EXPECT_TRUE(table.is_damaged());
}

TEST_F(MappedTables, RefuseToGiveADamagedArrayAsAWhole) {
  std::string bad = good_;
  bad[kArrays + kBlock + 4] ^= 1;
  TableFile table = mapped(bad);
  EXPECT_THAT(table.take_whole<std::uint32_t>().error().message,
              HasSubstr("a block has another digest"));
  TableFile letters = mapped(bad);
  ASSERT_TRUE(letters.take<std::uint32_t>());
  EXPECT_THAT(*letters.take_whole<char>(), ElementsAre('a', 'b', 'c'));
}

TEST_F(MappedTables, AreWrongOnlyAsLongAsTheyAreComparedAgain) {
  const auto path = store(good_);
  TableFile table = *TableFile::map(path, "numbers1");
  // Where the path leads to another file, a write is not seen at once.
  std::filesystem::create_hard_link(path, path.string() + "2");
  std::filesystem::remove(path);
  const auto numbers = *table.take<std::uint32_t>();
  EXPECT_TRUE(numbers.recheck(0, 3000));
  std::ofstream(path.string() + "2", std::ios::in | std::ios::out)
      .seekp(kArrays + 4)
      .write("\x09", 1);
  EXPECT_EQ(numbers[1], 9u) << "compared once";
  EXPECT_FALSE(table.is_damaged());
  EXPECT_TRUE(numbers.recheck(1024, 3000 - 1024)) << "other blocks";
  EXPECT_FALSE(numbers.recheck(1, 1));
  EXPECT_EQ(numbers[1], 0u);
  EXPECT_TRUE(table.is_damaged());
}

TEST_F(MappedTables, HavePartsWithinTheArray) {
  TableFile table = mapped(good_);
  const auto numbers = *table.take<std::uint32_t>();
  EXPECT_EQ(numbers.part(10, 20).size(), 10u);
  EXPECT_EQ(numbers.part(10, 20)[9], 20u);
  EXPECT_EQ(numbers.part(10, 20)[10], 0u);
  EXPECT_EQ(numbers.part(2990, 4000).size(), 10u);
  EXPECT_EQ(numbers.part(20, 10).size(), 0u);
  EXPECT_EQ(numbers.part(5000, 6000).size(), 0u);
  EXPECT_TRUE(numbers.recheck(3000, 0));
  EXPECT_FALSE(numbers.recheck(2999, 2));
  EXPECT_FALSE(numbers.recheck(3000, 1));
  EXPECT_FALSE(numbers.recheck(1, std::size_t(-1)));
}

}  // namespace
}  // namespace quarry::corpus
