#pragma once

#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A line by which source code uses another file: `from a.b import c`, `#include "b.h"`,
/// `use a::b;`, `const b = require("./b")`.
struct ImportLine {
  std::vector<std::string_view> words;  ///< names of the line, without punctuation
  bool is_relative = false;             ///< seen from the file's own folder or module
};

/// The imports among the first 8 KiB of a source file in any language, as views into it.
/// [any thread]
[[nodiscard]] std::vector<ImportLine> find_imports(std::string_view text);

}  // namespace quarry::corpus
