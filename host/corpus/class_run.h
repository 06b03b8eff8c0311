#pragma once

#include <bitset>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A class of bytes of UTF-8: some ASCII characters, and maybe every byte of all other characters.
struct ByteClass {
  std::bitset<128> ascii;
  bool beyond = false;
  friend bool operator==(const ByteClass&, const ByteClass&) = default;
};

/// Classes of which every line that the expression matches has consecutive bytes, one of each in
/// this order: "[A-Z][a-z]+[0-9]{4}" needs a letter and four digits in a row. The ones to be
/// expected most rarely, at most kLongestRun; empty when none is known that is worth looking for.
/// `pattern` is written as for parse_line_syntax.
[[nodiscard]] std::vector<ByteClass> required_run(std::string_view pattern, bool ignore_case);
inline constexpr std::size_t kLongestRun = 16;

/// How many of a thousand bytes of source code and prose are of a class, roughly.
[[nodiscard]] double share_of(const ByteClass& bytes);

}  // namespace quarry::corpus
