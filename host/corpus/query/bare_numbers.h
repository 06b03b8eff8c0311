#pragma once

#include <string>
#include <string_view>

namespace quarry::corpus {

/// The last number of `sentence` that says a value: with at most four words after it; "" if there
/// is none. Numbers of lines, steps and versions, of a list, and small counts of the parts of a
/// program are none.
[[nodiscard]] std::string last_bare_number(std::string_view sentence);

/// False if `text` has numbers, and none of them is `number`: with other separators, as the
/// beginning of a version, as a word, or in another unit of time or size.
[[nodiscard]] bool may_have_number(std::string_view text, std::string_view number);

}  // namespace quarry::corpus
