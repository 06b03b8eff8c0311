#pragma once

#include "base/error.h"
#include "corpus/query/collection.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// Maximum size of a tool's output, including the notice at its end.
inline constexpr std::size_t kMostOutputBytes = 50u << 10;

/// Collects lines for the model and reserves space for a notice at the end.
class ToolOutput {
 public:
  /// Adds a line; false, and no change, if it does not fit.
  [[nodiscard]] bool add(std::string_view line);
  /// Ends the output with a notice in parentheses, in a paragraph of its own.
  [[nodiscard]] std::string finish(std::string_view notice) &&;
  [[nodiscard]] bool empty() const { return text_.empty(); }

 private:
  std::string text_;
};

/// The addition to a tool's notice if a text is damaged, because the results may be incomplete;
/// empty if no damage was found.
[[nodiscard]] std::string damage_notice(const Collection& collection);

/// A note for the reader of an answer, who does not see what the tools told, in the same case.
[[nodiscard]] std::string damage_note(const Collection& collection);

/// The error of a tool that found nothing if a text is damaged; success if none is.
[[nodiscard]] Status damage_status(const Collection& collection);

/// The files at or beneath `path` that a search could not read because they look binary, for a
/// search that found nothing; empty if there are none.
[[nodiscard]] std::string unread_notice(const Collection& collection, std::string_view path);

/// The location of the directory `path`; nullopt for the root of the collection. The error of
/// no_such_path() for a path that does not exist; kInvalidArgument for a file, with the advice to
/// use `read`.
Result<std::optional<Location>> find_directory(const Collection& collection, std::string_view path);

}  // namespace quarry::corpus
