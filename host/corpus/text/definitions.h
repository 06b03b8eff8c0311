#pragma once

#include <cstdint>
#include <string_view>

namespace quarry::corpus {

/// The definition on one line of source code of any language, found from the line alone.
struct Definition {
  std::string_view name;      ///< a view into the line; empty when the line defines nothing
  bool opens_block = false;   ///< a function, type or module (not a constant): a passage may begin
  bool is_container = false;  ///< a class, module, namespace: encloses others
};

/// Looks for a definition: `def f`, `class C`, `func (r *R) M(`, `static int f(int a)`, `f() {`,
/// `const f = (`, `#define F`, `name = ` in the first column. [any thread]
[[nodiscard]] Definition find_definition(std::string_view line);

}  // namespace quarry::corpus
