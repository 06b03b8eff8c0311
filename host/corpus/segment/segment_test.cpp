#include "corpus/segment/segment.h"

#include "corpus/segment/segment_format.h"
#include "corpus/segment/segment_writer.h"
#include "corpus/segment/table_file.h"
#include "corpus/segment/testing/directory_fixture.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::HasSubstr;

class Segments : public DirectoryFixture {
 protected:
  std::shared_ptr<const Segment> segment(const Files& files) {
    auto writer = *SegmentWriter::create(new_directory() / "segment");
    for (const auto& [path, text] : files) {
      EXPECT_TRUE(writer.add(path, FileKind::kText, text.size(), text));
    }
    return *std::move(writer).finish();
  }

  /// Reads everything of a segment that may be damaged.
  static std::size_t read_all(const Segment& segment) {
    std::size_t sum = segment.packed_text().size();
    for (FileId file = 0; file < segment.file_count(); ++file) {
      sum += segment.path(file).size() + segment.size(file) + segment.text(file).size();
      for (std::uint32_t line = 1; line <= segment.line_count(file); ++line) {
        sum += segment.line(file, line).size();
      }
      sum += segment.line_of(file, segment.text(file).size());
    }
    for (std::size_t at = 0; at < segment.packed_text().size(); ++at) sum += segment.file_at(at);
    return sum;
  }
};

std::string numbered_lines(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST_F(Segments, KeepFilesInOrderOfPathHoweverTheyCome) {
  const auto packed = segment({{"b", "second"}, {"a/z", "first"}, {"c", ""}});
  ASSERT_EQ(packed->file_count(), 3u);
  EXPECT_EQ(packed->path(0), "a/z");
  EXPECT_EQ(packed->path(1), "b");
  EXPECT_EQ(packed->text(1), "second");
  EXPECT_EQ(packed->packed_text(), std::string_view("first\0second\0\0", 14));
}

TEST_F(Segments, FindTheFileOfAnOffset) {
  const auto packed = segment({{"a", "xy"}, {"b", ""}, {"c", "z"}});
  const FileId expected[] = {0, 0, 0, 1, 2, 2};
  for (std::size_t at = 0; at < packed->packed_text().size(); ++at) {
    EXPECT_EQ(packed->file_at(at), expected[at]) << at;
  }
  EXPECT_EQ(packed->offset_of(2), 4u);
}

TEST_F(Segments, KnowEveryLineOfALongFile) {
  const std::string text = numbered_lines(1000);
  const auto packed = segment({{"a", "x\ny"}, {"b", text}});
  ASSERT_EQ(packed->line_count(1), 1000u);
  for (std::uint32_t number = 1; number <= 1000; ++number) {
    const std::string line = "line " + std::to_string(number);
    EXPECT_EQ(packed->line(1, number), line);
    EXPECT_EQ(packed->line_of(1, text.find(line + "\n")), number);
  }
  EXPECT_EQ(packed->line(1, 0), "");
  EXPECT_EQ(packed->line(1, 1001), "");
}

TEST_F(Segments, CountALastLineWithoutNewline) {
  const auto packed = segment({{"a", ""}, {"b", "\n"}, {"c", "x"}, {"d", "x\n"}, {"e", "x\ny"}});
  const std::uint32_t expected[] = {0, 1, 1, 1, 2};
  for (FileId file = 0; file < 5; ++file) EXPECT_EQ(packed->line_count(file), expected[file]);
  EXPECT_EQ(packed->line(4, 2), "y");
  EXPECT_EQ(packed->line_of(4, 1), 1u) << "a newline belongs to its line";
  EXPECT_EQ(packed->line_of(4, 99), 2u) << "beyond the end is the last line";
}

TEST_F(Segments, MayHaveNoFiles) {
  const auto packed = segment({});
  EXPECT_EQ(packed->file_count(), 0u);
  EXPECT_EQ(packed->packed_text(), "");
}

TEST_F(Segments, KeepPathsOfAnyBytes) {
  const auto packed = segment({{"new\nline", "1"}, {"\xFF\xFE", "2"}});
  EXPECT_EQ(packed->path(0), "new\nline");
  EXPECT_EQ(packed->path(1), "\xFF\xFE");
}

TEST_F(Segments, CutShortAreRefused) {
  const auto packed = segment({{"a", "text"}, {"b", numbered_lines(200)}});
  const auto path = packed->directory() / kTextFile;
  std::filesystem::resize_file(path, packed->packed_text().size() - 1);
  const auto reopened = Segment::open(packed->directory());
  EXPECT_EQ(reopened.error().code, Code::kInternal);
  EXPECT_THAT(reopened.error().message, HasSubstr("do not fill the packed text"));
  std::filesystem::remove(path);
  EXPECT_EQ(Segment::open(packed->directory()).error().code, Code::kNotFound);
}

TEST_F(Segments, NeverReadOutOfBoundsWhateverTheirTextSays) {
  const auto packed = segment({{"a", "text"}, {"b", numbered_lines(200)}, {"c", "x\n\n"}});
  const auto path = packed->directory() / kTextFile;
  const std::string good = *read_file(path);
  for (const char byte : {'\n', '\0', 'x'}) {
    write(path, std::string(good.size(), byte));
    EXPECT_GT(read_all(**Segment::open(packed->directory())), 0u);
  }
}

TEST_F(Segments, NeverReadOutOfBoundsWhateverTheirTableSays) {
  const auto packed = segment({{"a", "text"}, {"b", numbered_lines(200)}, {"c/d", "x\n\n"}});
  const auto path = packed->directory() / kTableFile;
  const std::string good = *read_file(path);
  int refused = 0;
  for (std::size_t at = 32; at < good.size(); ++at) {
    for (const char flip : {'\x01', '\x80', '\xFF'}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      seal_table(bad);  // so that only the checks after the checksum can detect it
      write(path, bad);
      const auto reopened = Segment::open(packed->directory());
      if (reopened) {
        EXPECT_GT(read_all(**reopened), 0u);
      } else {
        ++refused;
        EXPECT_EQ(reopened.error().code, Code::kInternal);
      }
    }
  }
  EXPECT_GT(refused, 300) << "most damage is noticed";
}

}  // namespace
}  // namespace quarry::corpus
