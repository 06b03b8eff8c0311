#include "corpus/query/location.h"
#include "corpus/text/glob.h"
#include "corpus/tools/found_entries.h"
#include "corpus/tools/page.h"

#include <utility>

namespace quarry::corpus {
namespace {

constexpr const char* kind_of(FileKind kind) {
  switch (kind) {
    case FileKind::kText:
      return "file";
    case FileKind::kBinary:
      return "binary";
    case FileKind::kTooLarge:
      return "tooLarge";
    case FileKind::kUnreadable:
      return "unreadable";
    case FileKind::kLink:
      return "link";
    case FileKind::kSecret:
      return "secret";
  }
  return "file";
}

Json file_entry(const Source& source, FileRef file) {
  const Segment& segment = source.snapshot->segment(file);
  const FileKind kind = segment.kind(file.file);
  Json out{{"path", shown(source, source.snapshot->path(file))}, {"kind", kind_of(kind)}};
  if (kind == FileKind::kText) {
    out["lines"] = segment.line_count(file.file);
  } else {
    out["bytes"] = segment.size(file.file);
  }
  return out;
}

/// Results in their order: skips those before the position, adds as many as the page has space for,
/// counts all.
class EntryList {
 public:
  EntryList(Page& page, std::uint32_t position, std::uint32_t limit)
      : page_(page), position_(position), limit_(limit) {}

  template <class MakeEntry>
  void add(const MakeEntry& make) {
    const std::uint32_t number = count_++;
    if (number < position_ || full_) return;
    full_ = page_.count() == limit_ || !page_.add_entry(make());
    if (!full_) next_ = number + 1;
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// The position of the first result that was left out.
  [[nodiscard]] std::optional<std::uint32_t> next() const {
    return full_ ? std::optional(next_) : std::nullopt;
  }

 private:
  Page& page_;
  const std::uint32_t position_;
  const std::uint32_t limit_;
  std::uint32_t count_ = 0;
  std::uint32_t next_ = 0;
  bool full_ = false;
};

void list_sources(const Retrieval& retrieval, EntryList& list) {
  for (std::size_t i = 0; i < retrieval.collection.sources().size(); ++i) {
    const Source& source = retrieval.collection.sources()[i];
    list.add([&] {
      Json entry{{"path", source.name + '/'},
                 {"kind", "resource"},
                 {"files", source.snapshot->files().size()}};
      if (!retrieval.facts.empty()) entry["version"] = retrieval.facts[i].version;
      return entry;
    });
  }
}

void list_directory(const Source& source, const std::string& directory, EntryList& list) {
  for (const DirectoryEntry& entry : entries_of(*source.snapshot, directory)) {
    list.add([&] {
      if (entry.file) return file_entry(source, *entry.file);
      const std::string above = directory.empty() ? "" : directory + '/';
      return Json{{"path", shown(source, above + std::string(entry.name)) + '/'},
                  {"kind", "directory"},
                  {"files", entry.files}};
    });
  }
}

/// The location of the directory `path`; nullopt for the root of the collection.
Result<std::optional<Location>> find_directory(const Collection& collection,
                                               std::string_view path) {
  auto location = collection.resolve(path);
  if (!location || !*location || is_directory(collection, **location)) return location;
  const Source& source = collection.sources()[(*location)->source];
  if (!source.snapshot->find((*location)->path)) return no_such_path(collection, **location);
  return Error{Code::kInvalidArgument,
               "path: \"" + shown(source, (*location)->path) + "\" is a file, not a directory",
               "Use read to see a file."};
}

std::string note_of(const EntryList& list, bool has_glob) {
  if (list.count() == 0) {
    return has_glob ? "No file fits. * stays within one name; use **/ for every directory."
                    : "There is no file.";
  }
  if (!list.next()) return {};
  return std::to_string(list.count() - *list.next()) +
         " entries are left out: repeat the call with cursor, or narrow it with path or glob.";
}

}  // namespace

Result<Json> list_page(const Retrieval& retrieval, const Json& json) {
  const Collection& collection = retrieval.collection;
  const PageArguments arguments("list", json, retrieval);
  const std::string path = arguments.text("path");
  const std::string pattern = arguments.text("glob");
  const auto position = arguments.position();
  if (!position) return position.error();
  const auto place = find_directory(collection, path);
  if (!place) return error_of_field("path", place.error());

  Page page(retrieval, arguments.max_tokens());
  EntryList list(page, *position, arguments.number("limit", 200));
  if (!pattern.empty()) {
    const auto glob = Glob::compile(pattern);
    if (!glob) return error_of_field("glob", glob.error());
    each_match(collection, *place, *glob, retrieval.stop, [&](std::size_t source, FileRef file) {
      list.add([&] { return file_entry(collection.sources()[source], file); });
    });
  } else if (*place) {
    list_directory(collection.sources()[(*place)->source], (*place)->path, list);
  } else {
    list_sources(retrieval, list);
  }
  if (retrieval.stop.stop_requested()) return Error{Code::kCancelled, "list was cancelled"};
  const auto next = list.next();
  Json answer =
      std::move(page).finish("entries", arguments.cursor(), next, note_of(list, !pattern.empty()));
  answer["total"] = list.count();
  return answer;
}

}  // namespace quarry::corpus
