#include "ask/cited_sources.h"

#include "corpus/query/testing/collection_fixture.h"

#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

class CitedLines : public corpus::CollectionFixture {
 protected:
  static std::string numbered(int count, const std::string& rest = "") {
    std::string text;
    for (int i = 1; i <= count; ++i) text += "line " + std::to_string(i) + rest + "\n";
    return text;
  }
  static corpus::Citation citation(std::uint32_t start, std::uint32_t end, bool verified = true) {
    return {"docs", "a.txt", start, end, 0, verified};
  }
  CitedSource around(const std::string& text, const corpus::Citation& one) {
    return cited_sources(collection("docs", {{"a.txt", text}}), {one}, {"{}"}).at(0);
  }
};

TEST_F(CitedLines, HaveThirtyBeforeAndAfterThem) {
  const CitedSource middle = around(numbered(100), citation(50, 52));
  EXPECT_EQ(middle.first_line, 20u);
  ASSERT_EQ(middle.lines.size(), 63u);
  EXPECT_EQ(middle.lines.front(), "line 20");
  EXPECT_EQ(middle.lines.back(), "line 82");
  const CitedSource whole = around(numbered(5), citation(1, 5));
  EXPECT_EQ(whole.first_line, 1u);
  EXPECT_EQ(whole.lines.size(), 5u);
}

TEST_F(CitedLines, AreBoundedInNumberAndSize) {
  EXPECT_EQ(around(numbered(1000), citation(1, 1000)).lines.size(), 400u);
  const CitedSource wide = around(numbered(400, std::string(1000, 'x')), citation(1, 400));
  EXPECT_GT(wide.lines.size(), 60u);
  EXPECT_LT(wide.lines.size(), 70u) << "64 KiB";
  EXPECT_EQ(around(std::string(10'000, 'x'), citation(1, 1)).lines.at(0).size(), 4096u);
  EXPECT_EQ(around("one\r\ntwo\r\n", citation(1, 1)).lines,
            (std::vector<std::string>{"one", "two"}));
}

TEST_F(CitedLines, AreNoneOfWhatIsNotVerifiedOrHasNoLines) {
  EXPECT_TRUE(around(numbered(9), citation(1, 2, false)).lines.empty());
  EXPECT_TRUE(around("", citation(0, 0)).lines.empty());
}

TEST_F(CitedLines, OfAllCitationsHaveABound) {
  const std::string text = numbered(400, std::string(1000, 'x'));
  const std::vector<corpus::Citation> many(30, citation(1, 400));
  const auto sources = cited_sources(collection("docs", {{"a.txt", text}}), many,
                                     std::vector<std::string>(30, "{}"));
  CitedSources all;
  EXPECT_EQ(all.size(), std::nullopt);
  EXPECT_EQ(all.memory_bytes(), 0u);
  all.set(sources);
  EXPECT_EQ(all.size(), 30u);
  EXPECT_FALSE(all.find(1)->lines.empty());
  EXPECT_TRUE(all.find(30)->lines.empty());
  EXPECT_FALSE(all.find(0));
  EXPECT_FALSE(all.find(31));
  EXPECT_LT(all.memory_bytes(), std::size_t{(1 << 20) + (128 << 10)});
}

}  // namespace
}  // namespace quarry::ask
