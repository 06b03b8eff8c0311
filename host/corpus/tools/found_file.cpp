#include "corpus/tools/found_file.h"

#include "corpus/text/display.h"

namespace quarry::corpus {

std::string why_no_lines(const Segment& segment, FileId file, const std::string& name) {
  const std::string size = shown_size(segment.size(file));
  switch (segment.kind(file)) {
    case FileKind::kText:
      return name + " is empty.";
    case FileKind::kBinary:
      return name + " is a binary file of " + size + "; there is no text to read.";
    case FileKind::kTooLarge:
      return name + " has " + size + " and is too large to be read.";
    case FileKind::kUnreadable:
      return name + " could not be read when this resource was loaded.";
    case FileKind::kLink:
      return name + " is a symbolic link; links are not followed.";
    case FileKind::kSecret:
      return name + " holds a private key, so its text was left out.";
  }
  return name + " cannot be read.";
}

Result<std::vector<std::string>> lines_of(const Source& source, FileRef file, std::uint32_t first,
                                          std::uint32_t last) {
  const Segment& segment = source.snapshot->segment(file);
  std::vector<std::string> out;
  std::string_view rest = segment.lines(file.file, first, last);
  for (std::uint32_t number = first; number <= last; ++number) {
    const std::size_t end = rest.find('\n');
    out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  // Verified after copying, so that the lines are undamaged.
  if (Status sound = segment.recheck(file.file, first, last); !sound) {
    return std::move(sound).error().in(source.name);
  }
  return out;
}

Result<FoundFile> find_file(const Collection& collection, std::string_view path) {
  auto location = collection.resolve(path);
  if (!location) return std::move(location).error();
  if (*location) {
    const Snapshot& snapshot = *collection.sources()[(*location)->source].snapshot;
    if (const auto file = snapshot.find((*location)->path)) return FoundFile{**location, *file};
    if (!is_directory(collection, **location)) return no_such_path(collection, **location);
  }
  return Error{Code::kInvalidArgument, "path: \"" + shown(path) + "\" is a directory",
               "Use list to see a directory."};
}

}  // namespace quarry::corpus
