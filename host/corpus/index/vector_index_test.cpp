#include "corpus/index/vector_index.h"

#include "base/file.h"
#include "corpus/segment/testing/directory_fixture.h"

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;

/// Vectors of some passages, with one that is not encoded yet.
class VectorFile : public DirectoryFixture {
 protected:
  void SetUp() override {
    DirectoryFixture::SetUp();
    table_ = {
        .places = 7, .dimension = 40, .done = kPassages - 1, .scales = {}, .texts = {}, .rows = {}};
    for (std::uint32_t i = 0; i < kPassages; ++i) {
      table_.scales.push_back(i == 1 ? 0.0F : 0.5F);
      table_.texts.push_back(i == 1 ? 0 : 100 + i);
      table_.rows += std::string(row_bytes(40), static_cast<char>(i % 100));
    }
    bytes_ = to_bytes(table_);
    file_ = root_ / "vectors-1";
    write(file_, bytes_);
  }

  static constexpr std::uint32_t kPassages = 3000;  // more than one block of rows
  VectorTable table_;
  std::string bytes_;
  fs::path file_;
};

TEST_F(VectorFile, ReturnsEveryRow) {
  const auto index = VectorIndex::open(file_);
  ASSERT_TRUE(index) << index.error().message;
  EXPECT_EQ((*index)->passage_count(), kPassages);
  EXPECT_EQ((*index)->dimension(), 40u);
  EXPECT_EQ((*index)->done(), kPassages - 1);
  EXPECT_FALSE((*index)->is_complete());
  EXPECT_TRUE((*index)->check(0, kPassages));
  for (const PassageId passage : {0u, 1u, 1500u, kPassages - 1}) {
    EXPECT_EQ((*index)->text(passage), table_.texts[passage]);
    EXPECT_EQ((*index)->scale(passage), table_.scales[passage]);
    EXPECT_EQ((*index)->rows(passage)[39], static_cast<std::int8_t>(passage % 100));
  }
}

TEST_F(VectorFile, WithAnyByteOfItsHeadChangedIsRefused) {
  const std::size_t head = bytes_.size() - table_.rows.size();
  for (std::size_t at = 0; at < head; at += at < 64 ? 1 : 997) {
    std::string changed = bytes_;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    write(file_, changed);
    EXPECT_FALSE(VectorIndex::open(file_)) << at;
  }
}

TEST_F(VectorFile, CutAnywhereIsRefused) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{10}, std::size_t{64}, bytes_.size() / 2, bytes_.size() - 1}) {
    write(file_, bytes_.substr(0, size));
    EXPECT_FALSE(VectorIndex::open(file_)) << size;
  }
}

TEST_F(VectorFile, WithAScaleThatIsNoNumberIsRefused) {
  table_.scales[5] = -1;
  write(file_, to_bytes(table_));
  EXPECT_FALSE(VectorIndex::open(file_));
}

TEST_F(VectorFile, FindsADamagedRowWhenItIsRead) {
  const auto index = VectorIndex::open(file_);
  ASSERT_TRUE(index);
  const Fd fd(::open(file_.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::pwrite(fd.get(), "X", 1, static_cast<off_t>(bytes_.size() - 1)), 1);
  EXPECT_TRUE((*index)->check(0, 10));
  EXPECT_FALSE((*index)->is_damaged());
  EXPECT_FALSE((*index)->check(kPassages - 1, 1));
  EXPECT_TRUE((*index)->is_damaged());
}

TEST_F(VectorFile, FindsARowThatIsDamagedLater) {
  const auto index = VectorIndex::open(file_);
  ASSERT_TRUE((*index)->check(0, kPassages));
  fs::resize_file(file_, 4096);
  EXPECT_TRUE((*index)->check(0, kPassages)) << "compared once";
  EXPECT_FALSE((*index)->recheck(kPassages - 1));
}

TEST_F(VectorFile, OfNoPassagesIsComplete) {
  write(file_, to_bytes({}));
  const auto index = VectorIndex::open(file_);
  ASSERT_TRUE(index) << index.error().message;
  EXPECT_TRUE((*index)->is_complete());
  EXPECT_EQ((*index)->dimension(), 0u);
}

TEST(VectorFileName, IsThatOfTheEncoder) {
  EXPECT_EQ(vector_file_name("a").size(), 24u);
  EXPECT_NE(vector_file_name("a"), vector_file_name("b"));
}

}  // namespace
}  // namespace quarry::corpus
