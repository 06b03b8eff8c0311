#pragma once

#include "base/error.h"
#include "corpus/collection.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// What a tool may answer, the notice at its end included.
inline constexpr std::size_t kMostOutputBytes = 50u << 10;

/// Collects lines for the model and leaves room for a notice at the end.
class ToolOutput {
 public:
  /// Adds a line; false, and nothing added, when it would not fit any more.
  [[nodiscard]] bool add(std::string_view line);
  /// Ends the output with a notice in parentheses, on a paragraph of its own.
  [[nodiscard]] std::string finish(std::string_view notice) &&;
  [[nodiscard]] bool empty() const { return text_.empty(); }

 private:
  std::string text_;
};

/// A path of any bytes as one line of UTF-8.
[[nodiscard]] std::string shown(std::string_view path);

/// "<name>/<path>" as tools write it, one line of UTF-8.
[[nodiscard]] std::string shown(const Source& source, std::string_view path);

/// The file at `path`, which may be written as shown() writes it.
[[nodiscard]] std::optional<FileRef> find_as_shown(const Snapshot& snapshot, std::string_view path);

/// Bytes for people: "312 B", "4.5 KB", "2.0 MB".
[[nodiscard]] std::string shown_size(std::uint64_t bytes);

/// "1 file", "3 files".
[[nodiscard]] std::string counted(std::size_t count, std::string_view thing);

/// The first `count` characters of well-formed `text`.
[[nodiscard]] std::string_view first_characters(std::string_view text, std::size_t count);

/// Whether the location is a directory: the root of its source, or something lies beneath it.
[[nodiscard]] bool is_directory(const Collection& collection, const Location& location);

/// Whether the location is a file or a directory.
[[nodiscard]] bool exists(const Collection& collection, const Location& location);

/// The error for a location that is neither file nor directory: kNotFound with names near it, of
/// what lies in the nearest directory that exists and of files called the same elsewhere.
[[nodiscard]] Error no_such_path(const Collection& collection, const Location& location);

/// What a tool adds to its notice when it met a text that is damaged, so that nobody takes what it
/// found for all there is; empty when it met none.
[[nodiscard]] std::string damage_notice(const Collection& collection);

/// The error of a tool that found nothing because of that; nothing when there is no damage.
[[nodiscard]] Status damage_status(const Collection& collection);

/// Where the directory `path` is, nullopt for the root of the collection. kNotFound as above;
/// kInvalidArgument for a file, with the advice to use `read`.
Result<std::optional<Location>> find_directory(const Collection& collection, std::string_view path);

}  // namespace quarry::corpus
