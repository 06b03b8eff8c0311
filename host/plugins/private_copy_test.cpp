#include "plugins/private_copy.h"

#include "base/file.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>
#include <zstd.h>

#include <gtest/gtest.h>

namespace quarry::plugins {
namespace {

struct PrivateCopies : ::testing::Test {
  PrivateCopies()
      : directory(*make_temp_directory(std::filesystem::temp_directory_path(), "quarry-copy-")) {}
  ~PrivateCopies() override { std::filesystem::remove_all(directory); }
  Result<PrivateCopy> copy_of(const std::string& text, std::size_t most = 100) const {
    const auto file = directory / "plugin.so";
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
    return PrivateCopy::make("one", file, most);
  }
  std::filesystem::path directory;
};

TEST_F(PrivateCopies, HoldTheBytesUnderAPathThatIsTakenWhileTheyLive) {
  std::string path;
  {
    const auto first = copy_of("bytes of one");
    const auto second = copy_of("others");
    ASSERT_TRUE(first && second);
    EXPECT_NE(first->path(), second->path());
    EXPECT_EQ(*read_file(first->path()), "bytes of one");
    path = first->path();
  }
  EXPECT_NE(::access(path.c_str(), R_OK), 0);
}

TEST_F(PrivateCopies, CannotBeChangedByAnybody) {
  const auto copy = copy_of("bytes");
  ASSERT_TRUE(copy);
  const Fd fd(::open(copy->path().c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(fd);
  EXPECT_EQ(::write(fd.get(), "X", 1), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::ftruncate(fd.get(), 0), -1);
}

TEST_F(PrivateCopies, MoveWithTheirOwner) {
  auto copy = copy_of("bytes");
  ASSERT_TRUE(copy);
  const PrivateCopy moved = std::move(*copy);
  EXPECT_EQ(*read_file(moved.path()), "bytes");
}

std::string compressed(const std::string& text) {
  std::string out(::ZSTD_compressBound(text.size()), '\0');
  out.resize(::ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST_F(PrivateCopies, HoldWhatACompressedFileUnpacksTo) {
  const std::string text(3u << 20, 'x');
  const auto copy = PrivateCopy::unpack("one", compressed(text), text.size());
  ASSERT_TRUE(copy);
  EXPECT_EQ(*read_file(copy->path()), text);
  const Fd fd(::open(copy->path().c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_EQ(::write(fd.get(), "X", 1), -1);
  EXPECT_EQ(*read_file(PrivateCopy::unpack("one", compressed(""), 0)->path()), "");
}

TEST_F(PrivateCopies, AreNotUnpackedBeyondTheLimit) {
  const std::string text(3u << 20, 'x');
  const auto copy = PrivateCopy::unpack("one", compressed(text), text.size() - 1);
  ASSERT_FALSE(copy);
  EXPECT_EQ(copy.error().code, Code::kResourceExhausted);
}

TEST_F(PrivateCopies, AreNotUnpackedFromBytesThatAreCutOffOrNotCompressed) {
  const std::string whole = compressed("some text that is compressed");
  for (const auto& bytes : {whole.substr(0, whole.size() - 1), whole + "more",
                            std::string("\x7f"
                                        "ELF"),
                            std::string()}) {
    const auto copy = PrivateCopy::unpack("one", bytes, 100);
    ASSERT_FALSE(copy) << bytes.size();
    EXPECT_EQ(copy.error().code, Code::kInvalidArgument);
  }
}

TEST_F(PrivateCopies, MayBeOfAnEmptyFileAndOfOneAsLargeAsPermitted) {
  EXPECT_EQ(*read_file(copy_of("")->path()), "");
  EXPECT_EQ(*read_file(copy_of("12345", 5)->path()), "12345");
  const auto larger = copy_of("123456", 5);
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().code, Code::kResourceExhausted);
}

TEST_F(PrivateCopies, AreOfRegularFilesOnly) {
  EXPECT_EQ(PrivateCopy::make("one", directory, 5).error().code, Code::kInvalidArgument);
  EXPECT_EQ(PrivateCopy::make("one", directory / "none", 5).error().code, Code::kNotFound);
}

}  // namespace
}  // namespace quarry::plugins
