#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// True for the paths of Jupyter notebooks.
[[nodiscard]] bool is_notebook(std::string_view path);

/// A Jupyter notebook (nbformat 3 and 4) as Markdown: its cells of text as they are, code in fences
/// with the language, the beginning of what it printed, and the types of all else that it put out.
/// nullopt if `json` is no notebook.
[[nodiscard]] std::optional<std::string> notebook_text(std::string_view json);

}  // namespace quarry::corpus
