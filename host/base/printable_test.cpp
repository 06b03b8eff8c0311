#include "base/printable.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry {
namespace {

TEST(Printable, ShowsTextOfAllScripts) {
  for (const char* text :
       {"", "plain", "a\tb\nc", "Grüße, Ελλάδα, 日本語, שלום, 🙂", "a\u00a0b"}) {
    EXPECT_EQ(printable(text), text);
  }
}

struct Row {
  const char* name;
  std::string text;
  const char* shown;
};

class Escaped : public ::testing::TestWithParam<Row> {};

TEST_P(Escaped, IsShownAsANumber) {
  const Row& row = GetParam();
  EXPECT_EQ(printable("a" + row.text + "b"), "a" + std::string(row.shown) + "b");
  EXPECT_EQ(printable_line("a" + row.text + "b"), "a" + std::string(row.shown) + "b");
}

INSTANTIATE_TEST_SUITE_P(
    Controls, Escaped,
    ::testing::Values(Row{"NUL", std::string(1, '\0'), "\\u{0}"}, Row{"CR", "\r", "\\u{d}"},
                      Row{"ESC", "\x1b", "\\u{1b}"}, Row{"DEL", "\x7f", "\\u{7f}"},
                      Row{"PAD", "\u0080", "\\u{80}"}, Row{"NEL", "\u0085", "\\u{85}"},
                      Row{"CSI", "\u009b", "\\u{9b}"}, Row{"APC", "\u009f", "\\u{9f}"},
                      Row{"ALM", "\u061c", "\\u{61c}"}, Row{"LRM", "\u200e", "\\u{200e}"},
                      Row{"RLM", "\u200f", "\\u{200f}"}, Row{"LS", "\u2028", "\\u{2028}"},
                      Row{"PS", "\u2029", "\\u{2029}"}, Row{"LRE", "\u202a", "\\u{202a}"},
                      Row{"RLO", "\u202e", "\\u{202e}"}, Row{"LRI", "\u2066", "\\u{2066}"},
                      Row{"PDI", "\u2069", "\\u{2069}"}),
    [](const auto& row) { return row.param.name; });

TEST(Printable, ARawByteOfC1IsNoUtf8) {
  EXPECT_EQ(printable("a\x9b"
                      "2J"),
            "a\uFFFD2J");
}

TEST(Printable, NeighboursOfWhatIsEscapedAreShown) {
  for (const char* text :
       {"\u00a0", "\u061b", "\u061d", "\u200d", "\u2010", "\u2027", "\u202f", "\u2065", "\u206a"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ALineEndOfWindowsIsALineEnd) {
  EXPECT_EQ(printable("a\r\nb\r\r\nc"), "a\nb\\u{d}\nc");
  EXPECT_EQ(printable_line("a\r\nb"), "a\\nb");
}

TEST(Printable, ALineStaysOne) {
  EXPECT_EQ(printable_line("a\nhint: b"), "a\\nhint: b");
}

TEST(Printable, FurtherLinesAreIndented) {
  EXPECT_EQ(printable_indented("a\nhint: b\n\n", 2), "a\n  hint: b");
}

TEST(PrintableExact, EscapesInvisibleCharactersToo) {
  EXPECT_EQ(printable_exact("gr\u00fc\u00df \u4e16 \U0001F600"),
            "gr\u00fc\u00df \u4e16 \U0001F600");
  EXPECT_EQ(printable_exact("a\nb\tc\x1b[2J\x7f"), "a\\u000Ab\\u0009c\\u001B[2J\\u007F");
  EXPECT_EQ(printable_exact("\u0085\u009b\u202e\u2066\u200b\ufeff\U000E0041"),
            "\\u0085\\u009B\\u202E\\u2066\\u200B\\uFEFF\\U000E0041");
  EXPECT_EQ(printable_exact("\xff x"), "\ufffd x");
}

TEST(PrintableExact, IsCutBetweenCodePoints) {
  EXPECT_EQ(printable_exact("\u00fc\u00fc\u00fc", 3), "\u00fc\u00fc\u00fc");
  EXPECT_EQ(printable_exact("\u00fc\u00fc\u00fc\u00fc", 3), "\u00fc\u00fc\u00fc\u2026");
  EXPECT_EQ(printable_exact(std::string(1'000'000, 'x'), 3), "xxx\u2026");
}

TEST(Printable, JsonKeepsItsValue) {
  const nlohmann::json value{{"text", "a\u009bb\u202ec\n\u007f \"🙂\""}};
  const std::string text = value.dump() + "\n";
  const std::string shown = printable_json(text);
  EXPECT_EQ(shown.find("\u009b"), shown.npos);
  EXPECT_EQ(shown.find("\u202e"), shown.npos);
  EXPECT_EQ(shown.find('\x7f'), shown.npos);
  EXPECT_EQ(shown.back(), '\n');
  EXPECT_EQ(nlohmann::json::parse(shown), value);
}

}  // namespace
}  // namespace quarry
