#include "corpus/tools/found_entries.h"

#include <string>

namespace quarry::corpus {
namespace {

using VisitFile = std::function<void(std::size_t source, FileRef file)>;

void match_source(const Collection& collection, const Location& place, const Glob& glob,
                  const std::stop_token& stop, const VisitFile& visit) {
  const Source& source = collection.sources()[place.source];
  const Snapshot& snapshot = *source.snapshot;
  const std::size_t above = place.path.empty() ? 0 : place.path.size() + 1;
  const bool may_name = place.path.empty() && glob.may_name(source.name);
  for (const FileRef file : snapshot.beneath(place.path)) {
    if (stop.stop_requested()) return;
    const std::string_view path = snapshot.path(file);
    const bool fits = glob.matches(path.substr(above)) ||
                      (may_name && glob.matches(source.name + '/' + std::string(path)));
    if (fits) visit(place.source, file);
  }
}

}  // namespace

std::vector<DirectoryEntry> entries_of(const Snapshot& snapshot, std::string_view directory) {
  const std::size_t skip = directory.empty() ? 0 : directory.size() + 1;
  const auto files = snapshot.beneath(directory);
  std::vector<DirectoryEntry> entries;
  for (std::size_t i = 0; i < files.size();) {
    const std::string_view path = snapshot.path(files[i]);
    const std::size_t slash = path.find('/', skip);
    if (slash == std::string_view::npos) {
      entries.push_back({path.substr(skip), files[i]});
      ++i;
    } else {
      const std::size_t count = snapshot.beneath(path.substr(0, slash)).size();
      entries.push_back({path.substr(skip, slash - skip), {}, count});
      i += count;
    }
  }
  return entries;
}

void each_match(const Collection& collection, const std::optional<Location>& place,
                const Glob& glob, const std::stop_token& stop, const VisitFile& visit) {
  if (place) return match_source(collection, *place, glob, stop, visit);
  for (std::size_t source = 0; source < collection.sources().size(); ++source) {
    match_source(collection, {source, ""}, glob, stop, visit);
  }
}

}  // namespace quarry::corpus
