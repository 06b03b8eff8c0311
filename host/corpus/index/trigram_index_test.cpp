#include "corpus/index/trigram_index.h"

#include "base/executor.h"
#include "corpus/index/posting_list.h"
#include "corpus/index/trigram_format.h"
#include "corpus/segment/segment_writer.h"
#include "corpus/segment/table_file.h"
#include "corpus/segment/testing/directory_fixture.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Trigrams : public DirectoryFixture {
 protected:
  static TrigramShape shape(const std::vector<std::string>& texts) {
    TrigramShape shape{texts.size(), 0};
    for (const std::string& text : texts) shape.text_bytes += text.size() + 1;
    return shape;
  }

  std::filesystem::path build(const std::vector<std::string>& texts) {
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    const auto out = new_directory() / TrigramIndex::kFileName;
    InlineExecutor executor;
    const Status status = write_trigrams(views, shape(texts), out, executor, {});
    EXPECT_TRUE(status) << status.error().message;
    return out;
  }

  std::shared_ptr<const TrigramIndex> index(const std::vector<std::string>& texts) {
    return *open_trigrams(build(texts), shape(texts));
  }
};

TEST_F(Trigrams, NameTheFilesThatHoldALiteral) {
  const auto trigrams = index({"one two", "two three", "three four"});
  EXPECT_THAT(trigrams->candidates("two"), ElementsAre(0, 1));
  EXPECT_THAT(trigrams->candidates("three"), ElementsAre(1, 2));
  EXPECT_THAT(trigrams->candidates("five"), IsEmpty());
}

TEST_F(Trigrams, IgnoreAsciiCase) {
  const auto trigrams = index({"NewReader", "newreader", "newwriter"});
  EXPECT_THAT(trigrams->candidates("NEWREADER"), ElementsAre(0, 1));
}

TEST_F(Trigrams, CannotNarrowShortLiterals) {
  const auto trigrams = index({"a", "b"});
  EXPECT_THAT(trigrams->candidates("ab"), ElementsAre(0, 1));
  EXPECT_THAT(trigrams->candidates(""), ElementsAre(0, 1));
}

TEST_F(Trigrams, DoNotCrossLines) {
  EXPECT_THAT(index({"ab\ncd"})->candidates("bcd"), IsEmpty());
}

TEST_F(Trigrams, LookOnlyAtTheAsciiPartsOfALiteral) {
  const auto trigrams = index({"STRASSE", "Stra\u00DFe", "stra\u1E9Ee", "other"});
  EXPECT_THAT(trigrams->candidates("stra\u00DFe"), ElementsAre(0, 1, 2));
  EXPECT_THAT(trigrams->candidates("\u00E9t\u00E9"), ElementsAre(0, 1, 2, 3));
}

TEST_F(Trigrams, KnowTheFilesWhoseLettersFoldIntoAscii) {
  const auto trigrams = index({"\u212Aelvin", "ma\u017Fk", "kelvin", "other"});
  EXPECT_THAT(trigrams->candidates("kelvin"), ElementsAre(2));
  EXPECT_THAT(trigrams->folding_files(), ElementsAre(0, 1));
}

TEST_F(Trigrams, NeverMissAFileOverManyParts) {
  std::mt19937 random(7);
  std::vector<std::string> texts(900);
  for (std::string& text : texts) {
    text.resize(20'000);
    for (char& byte : text) byte = static_cast<char>("abcdefgh \n"[random() % 10]);
  }
  const auto trigrams = index(texts);
  for (int round = 0; round < 50; ++round) {
    std::string literal(7, ' ');
    for (char& byte : literal) byte = static_cast<char>('a' + random() % 8);
    const auto found = trigrams->candidates(literal);
    EXPECT_TRUE(std::ranges::is_sorted(found));
    for (FileId file = 0; file < texts.size(); ++file) {
      if (texts[file].find(literal) == std::string::npos) continue;
      EXPECT_TRUE(std::ranges::binary_search(found, file)) << literal;
    }
  }
}

TEST_F(Trigrams, RefuseADamagedFile) {
  const std::vector<std::string> texts = {"some text to look at", "and some more of it"};
  const auto path = build(texts);
  const std::string whole = *read_file(path);
  for (std::size_t size = 0; size < whole.size(); size += 5) {
    write(path, whole.substr(0, size));
    EXPECT_FALSE(open_trigrams(path, shape(texts))) << "cut to " << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    write(path, flipped);
    const auto index = open_trigrams(path, shape(texts));
    if (!index) continue;
    // Whatever is damaged, no file is left out.
    for (const char* word : {"some", "text", "more"}) {
      const auto found = (*index)->candidates(word);
      if (!(*index)->is_damaged()) continue;
      EXPECT_THAT(found, ElementsAre(0, 1)) << "flipped at " << at;
    }
    EXPECT_THAT((*index)->candidates("more"), Contains(1)) << "flipped at " << at;
  }
}

TEST_F(Trigrams, SurviveListsThatMakeNoSense) {
  const std::vector<std::string> texts = {"some text to look at", "and some more of it"};
  const auto path = build(texts);
  const std::string whole = *read_file(path);
  for (std::size_t at = 32; at < whole.size(); ++at) {
    std::string sealed = whole;
    sealed[at] = static_cast<char>(sealed[at] ^ 0x81);
    seal_table(sealed);
    write(path, sealed);
    const auto index = open_trigrams(path, shape(texts));
    if (!index) continue;
    for (const FileId file : (*index)->candidates("some")) EXPECT_LT(file, texts.size());
  }
}

TEST_F(Trigrams, BelongToOneText) {
  const std::vector<std::string> texts = {"some text"};
  const auto index = open_trigrams(build(texts), {1, 77});
  ASSERT_FALSE(index);
  EXPECT_THAT(index.error().message, HasSubstr("belongs to another text"));
}

TEST_F(Trigrams, LeaveNothingBehindWhenCancelled) {
  std::stop_source source;
  source.request_stop();
  InlineExecutor executor;
  const std::string_view texts[] = {"text"};
  const auto out = new_directory() / TrigramIndex::kFileName;
  const Status status = write_trigrams(texts, {1, 5}, out, executor, source.get_token());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kCancelled);
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(Trigrams, NeverReplaceAFile) {
  const auto out = build({"text"});
  InlineExecutor executor;
  const std::string_view texts[] = {"text"};
  const Status status = write_trigrams(texts, {1, 5}, out, executor, {});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr(out.string()));
}

TEST_F(Trigrams, AreBuiltFromASegment) {
  auto writer = *SegmentWriter::create(new_directory() / "segment");
  ASSERT_TRUE(writer.add("a", FileKind::kText, 7, "one two"));
  ASSERT_TRUE(writer.add("b", FileKind::kText, 9, "two three"));
  const auto segment = *std::move(writer).finish();
  const auto out = segment->directory() / TrigramIndex::kFileName;
  InlineExecutor executor;
  ASSERT_TRUE(TrigramIndex::build(*segment, out, executor, {}));
  EXPECT_THAT((*TrigramIndex::open(out, *segment))->candidates("three"), ElementsAre(1));
}

TEST(PostingList, SurvivesBrokenBytes) {
  EXPECT_THAT(read_postings("\x01\x01\xFF", 10), ElementsAre(0, 1)) << "cut short";
  EXPECT_THAT(read_postings("\xFF\xFF\xFF\xFF\xFF\xFF", 10), IsEmpty()) << "too long";
  EXPECT_THAT(read_postings("\x01\x60", 10), ElementsAre(0)) << "beyond the last file";
}

TEST(PostingList, KeepsWhatIsInBoth) {
  std::string list;
  for (const std::uint32_t step : {3u, 300u, 1u, 70'000u}) append_varint(list, step);
  EXPECT_THAT(read_postings(list, 1'000'000), ElementsAre(2, 302, 303, 70'303));
  std::vector<FileId> files = {0, 2, 303, 304, 70'303, 70'304};
  keep_postings(files, list);
  EXPECT_THAT(files, ElementsAre(2, 303, 70'303));
}

}  // namespace
}  // namespace quarry::corpus
