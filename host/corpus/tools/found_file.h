#pragma once

#include "base/error.h"
#include "corpus/query/collection.h"
#include "corpus/query/location.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A file of a collection.
struct FoundFile {
  Location location;
  FileRef file;
};

/// The file at `path`, or an error with the reason: kNotFound with similar names, kInvalidArgument
/// for a directory.
Result<FoundFile> find_file(const Collection& collection, std::string_view path);

/// The lines `first` to `last` of `file`, which has them; an error that names the source if they
/// are damaged.
Result<std::vector<std::string>> lines_of(const Source& source, FileRef file, std::uint32_t first,
                                          std::uint32_t last);

/// The sentence about a file without lines, which is shown as `name`.
std::string why_no_lines(const Segment& segment, FileId file, const std::string& name);

}  // namespace quarry::corpus
