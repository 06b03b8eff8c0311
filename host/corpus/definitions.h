#pragma once

#include <cstdint>
#include <string_view>

namespace quarry::corpus {

/// What one line of source code defines, told from the line alone, for any language.
struct Definition {
  std::string_view name;      ///< a view into the line; empty when the line defines nothing
  bool opens_block = false;   ///< a function, type or module (not a constant): a passage may begin
  bool is_container = false;  ///< a class, module, namespace: others stand inside it
};

/// Looks for a definition: `def f`, `class C`, `func (r *R) M(`, `static int f(int a)`, `f() {`,
/// `const f = (`, `#define F`, `name = ` in the first column. [any thread]
[[nodiscard]] Definition find_definition(std::string_view line);

}  // namespace quarry::corpus
