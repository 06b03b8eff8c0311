#include "corpus/segment/table_file.h"

#include "corpus/segment/testing/directory_fixture.h"

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
  EXPECT_THAT(*moved.take<std::uint32_t>(), ElementsAre(1, 2, 3));
  EXPECT_THAT(*moved.take<std::uint64_t>(), ElementsAre(1ull << 40));
  EXPECT_THAT(moved.take<char>().error().message, HasSubstr("an array is missing"));
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
  bad[24] = '\xFF';  // the length of the first array
  seal_table(bad);
  auto table = TableFile::open(store(bad), "numbers1");
  ASSERT_TRUE(table);
  EXPECT_THAT(table->take<std::uint32_t>().error().message, HasSubstr("runs past the end"));
}

TEST_F(Tables, RefuseArraysOfTheWrongWidth) {
  auto table = TableFile::open(store(two_arrays()), "numbers1");
  EXPECT_THAT(table->take<std::uint64_t>().error().message, HasSubstr("broken length"));
}

}  // namespace
}  // namespace quarry::corpus
