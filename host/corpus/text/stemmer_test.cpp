#include "corpus/text/stemmer.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

TEST(Stemmer, GivesTheFormsOfAWordOneStem) {
  const std::vector<std::vector<std::string_view>> families = {
      {"parse", "parses", "parsed", "parsing", "parser", "parsers"},
      {"encode", "encoding", "encoder", "encoded"},
      {"validate", "validation", "validator", "validates"},
      {"connect", "connection", "connections", "connector"},
      {"map", "maps", "mapped", "mapping", "mapper"},
      {"compress", "compression", "compressed", "compressor"},
      {"serialize", "serialization", "serializer", "serialise"},
      {"allocate", "allocator", "allocation", "alloc"},
      {"directory", "directories"},
      {"query", "queries"},
      {"match", "matches", "matching"},
      {"create", "creates", "creation", "creator"},
      {"id", "ids"},
      {"index", "indexes", "indexing"},
  };
  for (const auto& family : families) {
    for (const std::string_view word : family) {
      EXPECT_EQ(stemmed(word), stemmed(family.front())) << word << " and " << family.front();
    }
  }
}

TEST(Stemmer, KeepsDifferentWordsApart) {
  const std::pair<std::string_view, std::string_view> pairs[] = {
      {"string", "stride"}, {"process", "processor2"}, {"status", "state"}, {"bus", "bu"},
      {"class", "clas"},    {"thing", "th"},           {"need", "ne"},      {"hash", "has"},
  };
  for (const auto& [one, other] : pairs) EXPECT_NE(stemmed(one), stemmed(other));
}

TEST(Stemmer, LeavesShortWordsAndOtherBytesAlone) {
  for (const std::string_view word : {"", "a", "is", "bus", "css", "utf8", "größen", "x86"}) {
    EXPECT_EQ(stemmed(word), word);
  }
}

}  // namespace
}  // namespace quarry::corpus
