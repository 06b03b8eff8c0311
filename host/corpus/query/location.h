#pragma once

#include "base/error.h"
#include "corpus/query/collection.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// The form of a path in the output of tools: "<name>/<path>", one line of UTF-8.
[[nodiscard]] std::string shown(const Source& source, std::string_view path);

/// `path` as the snapshot spells a file or directory whose name differs in composed and decomposed
/// characters only; nullopt if there is none.
[[nodiscard]] std::optional<std::string> spelling_of(const Snapshot& snapshot,
                                                     std::string_view path);

/// The file at `path`, which may have the form that shown() writes, or another spelling.
[[nodiscard]] std::optional<FileRef> find_as_shown(const Snapshot& snapshot, std::string_view path);

/// The file at exactly `path`, or the files beneath the directory ("" = all), a range of files().
[[nodiscard]] std::span<const FileRef> files_at(const Snapshot& snapshot, std::string_view path);

/// True if the location is a directory: the root of its source, or a path with files beneath it.
[[nodiscard]] bool is_directory(const Collection& collection, const Location& location);

/// True if the location is a file or a directory.
[[nodiscard]] bool exists(const Collection& collection, const Location& location);

/// The error for a location that is neither file nor directory: kNotFound with suggestions, similar
/// names in the nearest existing directory and files with the same name elsewhere.
[[nodiscard]] Error no_such_path(const Collection& collection, const Location& location);

}  // namespace quarry::corpus
