#pragma once

#include <bitset>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A class of UTF-8 bytes: some ASCII characters, and optionally all bytes of other characters.
struct ByteClass {
  std::bitset<128> ascii;
  bool beyond = false;
  friend bool operator==(const ByteClass&, const ByteClass&) = default;
};

/// Byte classes that every matching line contains consecutively, in this order:
/// "[A-Z][a-z]+[0-9]{4}" requires a letter followed by four digits. The rarest such run, at most
/// kLongestRun classes; empty if none is known that is worth searching for. `pattern` has the
/// syntax of parse_line_syntax.
[[nodiscard]] std::vector<ByteClass> required_run(std::string_view pattern, bool ignore_case);
inline constexpr std::size_t kLongestRun = 16;

/// Approximate frequency of a class per 1000 bytes of source code and prose.
[[nodiscard]] double share_of(const ByteClass& bytes);

}  // namespace quarry::corpus
