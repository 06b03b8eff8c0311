#include "corpus/scip/scip_document.h"

#include "corpus/scip/testing/scip_bytes.h"

#include <string>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ScipDocument read(const std::string& bytes) {
  auto document = ScipDocument::read(bytes);
  EXPECT_TRUE(document) << document.error().message;
  return document ? std::move(*document) : ScipDocument();
}

TEST(ScipDocuments, HaveOccurrencesWithLinesFromOne) {
  const ScipDocumentBytes bytes =
      ScipDocumentBytes("a.ts").definition("s", {4, 6, 10}, {3, 0, 9, 1}).reference("t", {0, 1, 3});
  const ScipDocument document = read(bytes.bytes());
  ASSERT_EQ(document.occurrences.size(), 2u);
  const ScipOccurrence& definition = document.occurrences[0];
  EXPECT_EQ(definition.symbol, "s");
  EXPECT_EQ(definition.line, 5u);
  EXPECT_EQ(definition.begin, 6u);
  EXPECT_EQ(definition.end, 10u);
  EXPECT_TRUE(definition.is_definition);
  EXPECT_EQ(definition.first_line, 4u);
  EXPECT_EQ(definition.last_line, 10u);
  const ScipOccurrence& reference = document.occurrences[1];
  EXPECT_EQ(reference.line, 1u);
  EXPECT_FALSE(reference.is_definition);
  EXPECT_EQ(reference.first_line, 0u) << "not told";
}

TEST(ScipDocuments, TellEncodingAndKinds) {
  const ScipDocumentBytes bytes =
      ScipDocumentBytes("a.ts", ScipEncoding::kUtf16).kind("s", 7).kind("t", 0);
  const ScipDocument document = read(bytes.bytes());
  EXPECT_EQ(document.encoding, ScipEncoding::kUtf16);
  EXPECT_EQ(document.kinds.at("s"), 7);
  EXPECT_EQ(document.kinds.size(), 1u) << "an unspecified kind is none";
  EXPECT_EQ(read(ScipDocumentBytes("a", ScipEncoding::kUnspecified).bytes()).encoding,
            ScipEncoding::kUnspecified);
}

TEST(ScipDocuments, LeaveOutRangesThatAreNone) {
  ScipDocumentBytes bytes("a.ts");
  bytes.reference("s", {}).reference("s", {1, 2}).reference("s", {-1, 0, 3});
  bytes.reference("s", {1, 2, 3, 4, 5}).reference("s", {2'000'000'000, 0, 1});
  bytes.reference("s", {1, 0, 2, 3}).reference("", {1, 0, 3});
  bytes.reference("good", {1, 0, 1, 3});
  const ScipDocument document = read(bytes.bytes());
  ASSERT_EQ(document.occurrences.size(), 1u);
  EXPECT_EQ(document.occurrences[0].symbol, "good");
}

TEST(ScipDocuments, LeaveOutEnclosingRangesThatDoNotEnclose) {
  ScipDocumentBytes bytes("a.ts");
  bytes.definition("s", {4, 0, 3}, {5, 0, 9, 0}).definition("s", {4, 0, 3}, {0, 0, 3, 9});
  bytes.definition("s", {4, 0, 3}, {4, 0, 9});
  const ScipDocument document = read(bytes.bytes());
  ASSERT_EQ(document.occurrences.size(), 3u);
  EXPECT_EQ(document.occurrences[0].first_line, 0u);
  EXPECT_EQ(document.occurrences[1].first_line, 0u);
  EXPECT_EQ(document.occurrences[2].first_line, 5u) << "it may be of one line";
}

TEST(ScipDocuments, OfAnIndexAreInItsOrder) {
  const std::string index =
      scip_bytes({ScipDocumentBytes("b.ts").bytes(),
                  ScipDocumentBytes("a.ts").definition("s", {0, 0, 1}).bytes()});
  const auto documents = scip_documents(index);
  ASSERT_TRUE(documents);
  ASSERT_EQ(documents->size(), 2u);
  EXPECT_EQ(*scip_path(documents->at(0)), "b.ts");
  EXPECT_EQ(*scip_path(documents->at(1)), "a.ts");
  EXPECT_EQ(*scip_path(""), "");
}

TEST(ScipDocuments, OfAnIndexAreAtMostAMillion) {
  std::string index;
  for (int i = 0; i < 1'000'000; ++i) index.append("\x12\0", 2);
  EXPECT_EQ(scip_documents(index)->size(), 1'000'000u);
  index.append("\x12\0", 2);
  EXPECT_FALSE(scip_documents(index));
}

TEST(ScipDocuments, CutAnywhereAreRefusedOrShorter) {
  const std::string whole = ScipDocumentBytes("a.ts")
                                .definition("s m n v f().", {4, 6, 10}, {3, 0, 9, 1})
                                .kind("s m n v f().", 17)
                                .bytes();
  const std::string index = scip_bytes({whole});
  std::size_t refused = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto document = ScipDocument::read(std::string_view(whole).substr(0, size));
    if (document) {
      EXPECT_LE(document->occurrences.size(), 1u);
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, whole.size() / 2);
  for (std::size_t size = 0; size < index.size(); ++size) {
    const auto documents = scip_documents(std::string_view(index).substr(0, size));
    EXPECT_THAT(documents.value_or(std::vector<std::string_view>()), IsEmpty());
  }
}

TEST(ScipDocuments, MayHaveFieldsOfOtherTypes) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_int32(1, 5);        // a path that is a number
  writer.add_int32(2, 5);        // an occurrence
  writer.add_string(6, "utf8");  // an encoding
  writer.add_fixed64(99, 1);     // of a later version
  {
    protozero::pbf_writer occurrence(writer, 2);
    occurrence.add_int32(1, 3);  // a range
    occurrence.add_string(2, "s");
  }
  {
    protozero::pbf_writer occurrence(writer, 2);
    occurrence.add_int32(2, 3);  // a symbol
    occurrence.add_string(3, "definition");
  }
  EXPECT_THAT(read(bytes).occurrences, IsEmpty());
  EXPECT_EQ(*scip_path(bytes), "");
}

TEST(ScipTexts, AreCountedInTheirEncoding) {
  const std::string line = "\xC3\xA4 \xF0\x9F\x98\x80 name";  // ä, an emoji
  EXPECT_EQ(scip_text(line, 8, 12, ScipEncoding::kUtf8), "name");
  EXPECT_EQ(scip_text(line, 5, 9, ScipEncoding::kUtf16), "name");
  EXPECT_EQ(scip_text(line, 4, 8, ScipEncoding::kUtf32), "name");
  EXPECT_EQ(scip_text(line, 8, 12, ScipEncoding::kUnspecified), "name");
  EXPECT_EQ(scip_text(line, 3, 5, ScipEncoding::kUtf16), "") << "within the emoji";
  EXPECT_EQ(scip_text(line, 4, 9, ScipEncoding::kUtf32), "") << "beyond the end";
  EXPECT_EQ(scip_text(line, 4, 4, ScipEncoding::kUtf8), "");
  EXPECT_EQ(scip_text("\xF0\x9F", 0, 2, ScipEncoding::kUtf16), "\xF0\x9F") << "cut short";
}

}  // namespace
}  // namespace quarry::corpus
