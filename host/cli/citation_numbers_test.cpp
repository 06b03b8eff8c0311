#include "cli/citation_numbers.h"

#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

TEST(CitationNumbers, StandInPlaceOfCitations) {
  CitationNumbers numbers;
  numbers.add_resource("docs");
  numbers.add_resource("@scope/kit");
  EXPECT_EQ(
      numbers.numbered("It is [docs:a.md#L3], [@scope/kit:src/b.ts#L1-L2] and [docs:a.md#L3]."),
      "It is [1], [2] and [1].");
  EXPECT_EQ(numbers.number_of("@scope/kit", "src/b.ts", 1, 2), 2u);
  EXPECT_EQ(numbers.number_of("docs", "a.md", 3, 3), 1u);
  EXPECT_EQ(numbers.number_of("docs", "c.md", 1, 1), 3u) << "one that the text does not name";
}

TEST(CitationNumbers, LeaveOtherTextAsItIs) {
  CitationNumbers numbers;
  numbers.add_resource("docs");
  for (const char* text : {"[x:y]", "`[docs:a.md#L3]`", "[docs", "[a](http://docs:1)", "[docs:a\n]",
                           "a[0]", "[other:a.md#L3]"}) {
    EXPECT_EQ(numbers.numbered(text), text);
  }
  EXPECT_EQ(numbers.numbered("[[docs:a.md]]"), "[[1]]");
}

}  // namespace
}  // namespace quarry::cli
