#include "corpus/index/vector_part.h"

#include "corpus/segment/testing/directory_fixture.h"

#include <map>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;

class UnfinishedVectors : public DirectoryFixture {
 protected:
  [[nodiscard]] fs::path file() const { return root_ / ".vectors-1.part"; }
  static EncodedText row(std::uint64_t text, char value) {
    return {text, {0.25F, std::string(row_bytes(kDimension), value)}};
  }
  /// Opens the file to continue it; its rows are in rows_ afterwards.
  Result<VectorPart> open() {
    rows_.clear();
    return VectorPart::open(file(), [this](const StoredRow& one) {
      EXPECT_EQ(one.dimension, kDimension);
      rows_[one.text] = one.values;
    });
  }
  static constexpr std::uint32_t kDimension = 20;
  std::map<std::uint64_t, std::string> rows_;
};

TEST_F(UnfinishedVectors, AreThereWhenTheyAreContinued) {
  {
    auto part = open();
    ASSERT_TRUE(part) << part.error().message;
    EXPECT_EQ(part->dimension(), 0u);
    ASSERT_TRUE(part->append(kDimension, std::vector{row(1, 'a'), row(2, 'b')}));
    ASSERT_TRUE(part->append(kDimension, std::vector{row(3, 'c')}));
  }
  const auto again = open();
  EXPECT_EQ(again->dimension(), kDimension);
  EXPECT_THAT(rows_, ElementsAre(Key(1), Key(2), Key(3)));
  EXPECT_EQ(rows_[2], std::string(32, 'b'));
}

TEST_F(UnfinishedVectors, LoseOnlyTheBatchThatWasCut) {
  ASSERT_TRUE(open()->append(kDimension, std::vector{row(1, 'a'), row(2, 'b')}));
  const std::size_t whole = fs::file_size(file());
  ASSERT_TRUE(open()->append(kDimension, std::vector{row(3, 'c')}));
  const std::string bytes = *read_file(file());
  for (std::size_t size = whole; size < bytes.size(); ++size) {
    write(file(), bytes.substr(0, size));
    {
      auto part = open();
      EXPECT_THAT(rows_, ElementsAre(Key(1), Key(2))) << size;
      EXPECT_EQ(fs::file_size(file()), whole);
      ASSERT_TRUE(part->append(kDimension, std::vector{row(4, 'd')}));
    }
    ASSERT_TRUE(open());
    EXPECT_THAT(rows_, ElementsAre(Key(1), Key(2), Key(4))) << size;
  }
}

TEST_F(UnfinishedVectors, LoseWhatIsDamaged) {
  ASSERT_TRUE(open()->append(kDimension, std::vector{row(1, 'a')}));
  std::string bytes = *read_file(file());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    write(file(), changed);
    ASSERT_TRUE(open());
    EXPECT_THAT(rows_, IsEmpty()) << at;
  }
}

TEST_F(UnfinishedVectors, HaveOneWriterAndAnyReaders) {
  auto part = open();
  ASSERT_TRUE(part->append(kDimension, std::vector{row(1, 'a')}));
  EXPECT_EQ(open().error().code, Code::kUnavailable);
  std::vector<std::uint64_t> read;
  ASSERT_TRUE(read_part(file(), [&](const StoredRow& one) { read.push_back(one.text); }));
  EXPECT_THAT(read, ElementsAre(1));
}

TEST_F(UnfinishedVectors, AreHiddenFromLaterSnapshots) {
  EXPECT_EQ(part_file_name("vectors-1"), ".vectors-1.part");
}

}  // namespace
}  // namespace quarry::corpus
