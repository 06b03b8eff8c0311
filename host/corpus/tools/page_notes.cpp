#include "corpus/tools/page_notes.h"

#include "base/text.h"
#include "corpus/query/location.h"
#include "corpus/text/display.h"

#include <algorithm>
#include <span>
#include <vector>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostNamedFiles = 3;

/// Live files that were found damaged, in the form that tools write.
std::vector<std::string> damaged_files(const Collection& collection) {
  std::vector<std::string> files;
  for (const Source& source : collection.sources()) {
    for (std::uint32_t i = 0; i < source.snapshot->segments().size(); ++i) {
      const Segment& segment = *source.snapshot->segments()[i];
      for (const FileId file : segment.damaged_files()) {
        if (source.snapshot->is_live({i, file})) files.push_back(shown(source, segment.path(file)));
      }
    }
  }
  return files;
}

/// The names of some of them, and the number of the others.
std::string first_of(const std::vector<std::string>& files) {
  const std::size_t named = std::min(files.size(), kMostNamedFiles);
  std::string text = join(std::span(files).first(named), ", ");
  if (files.size() > named) text += " and " + counted(files.size() - named, "more file");
  return text;
}

/// Files that a search does not read, for one reason: "it looks binary", "they look binary".
struct UnreadFiles {
  FileKind kind;
  std::string_view verb;
  std::string_view verb_of_several;
  std::string_view what;
  std::size_t count = 0;
  std::vector<std::string> files = {};  ///< the first of them
};

std::string sentence(const UnreadFiles& unread) {
  if (unread.count == 0) return {};
  std::string text = " Not searched, since ";
  text += unread.count == 1 ? "it " : "they ";
  text += unread.count == 1 ? unread.verb : unread.verb_of_several;
  text.append(" ").append(unread.what).append(": ").append(join(unread.files, ", "));
  const std::size_t others = unread.count - unread.files.size();
  if (others > 0) text += " and " + counted(others, "more file");
  return text + ".";
}

}  // namespace

std::string damage_notice(const Collection& collection) {
  const std::vector<std::string> files = damaged_files(collection);
  if (files.empty()) return {};
  return ". NOT READ, since the copy in the cache is damaged and is being made again: " +
         first_of(files);
}

std::string damage_note(const Collection& collection) {
  const std::vector<std::string> files = damaged_files(collection);
  if (files.empty()) return {};
  return "Note: not every file could be read, since the copy in the cache is damaged: " +
         first_of(files) + ". It is made again; ask again for an answer that rests on all files.";
}

std::string unread_notice(const Collection& collection, std::string_view path) {
  const auto place = collection.resolve(path);
  if (!place) return {};
  std::vector<UnreadFiles> all = {
      {FileKind::kBinary, "looks", "look", "binary"},
      {FileKind::kTooLarge, "is", "are", "too large"},
      {FileKind::kUnreadable, "was", "were", "not readable"},
  };
  for (std::size_t i = 0; i < collection.sources().size(); ++i) {
    if (*place && (*place)->source != i) continue;
    const Source& source = collection.sources()[i];
    for (const FileRef file : files_at(*source.snapshot, *place ? (*place)->path : "")) {
      const FileKind kind = source.snapshot->segment(file).kind(file.file);
      const auto unread = std::ranges::find(all, kind, &UnreadFiles::kind);
      if (unread == all.end() || ++unread->count > kMostNamedFiles) continue;
      unread->files.push_back(shown(source, source.snapshot->path(file)));
    }
  }
  std::string text;
  for (const UnreadFiles& unread : all) text += sentence(unread);
  return text;
}

Status damage_status(const Collection& collection) {
  const std::vector<std::string> files = damaged_files(collection);
  if (files.empty()) return {};
  Error error{Code::kInternal,
              counted(files.size(), "file") +
                  " cannot be read, their copy in the cache is damaged (" + files.front() +
                  (files.size() > 1 ? ", …)" : ")"),
              "It is made again from its source; ask again in a moment."};
  return std::move(error).tagged("SnapshotDamaged");
}

}  // namespace quarry::corpus
