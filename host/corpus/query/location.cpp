#include "corpus/query/location.h"

#include "base/text.h"
#include "corpus/text/code_point.h"
#include "corpus/text/composed.h"
#include "corpus/text/display.h"

#include <algorithm>
#include <vector>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostSuggestions = 3;

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// The entries of `directory`, each once.
std::vector<std::string> children(const Snapshot& snapshot, std::string_view directory) {
  const std::size_t skip = directory.empty() ? 0 : directory.size() + 1;
  std::vector<std::string> out;
  for (const FileRef file : snapshot.beneath(directory)) {
    const std::string_view path = snapshot.path(file);
    const std::string_view child = path.substr(0, path.find('/', skip));
    if (out.empty() || out.back() != child) out.emplace_back(child);
  }
  return out;
}

/// Suggestions for `path`: an entry with a similar name, and files with the same name elsewhere.
std::vector<std::string> suggestions(const Snapshot& snapshot, std::string_view path) {
  std::string_view directory = parent_of(path);
  while (!directory.empty() && snapshot.beneath(directory).empty()) {
    directory = parent_of(directory);
  }
  const std::size_t skip = directory.empty() ? 0 : directory.size() + 1;
  const std::string_view wrong = path.substr(0, path.find('/', skip));
  std::vector<std::string> out;
  if (auto near = nearest(wrong, children(snapshot, directory))) out.push_back(std::move(*near));
  const std::string name = to_lower(name_of(path));
  for (const FileRef file : snapshot.files()) {
    if (out.size() == kMostSuggestions) break;
    const std::string_view other = snapshot.path(file);
    if (name_of(other).size() != name.size() || to_lower(name_of(other)) != name) continue;
    if (std::ranges::find(out, other) == out.end()) out.emplace_back(other);
  }
  return out;
}

}  // namespace

std::string shown(const Source& source, std::string_view path) {
  return path.empty() ? source.name : source.name + '/' + shown(path);
}

std::optional<std::string> spelling_of(const Snapshot& snapshot, std::string_view path) {
  if (is_all_ascii(path)) return std::nullopt;
  const std::string wanted = composed(path);
  const auto slashes = std::ranges::count(path, '/');
  for (const FileRef file : snapshot.files()) {
    const std::string_view other = snapshot.path(file);
    std::size_t end = 0;
    for (std::ptrdiff_t i = 0; i <= slashes && end != other.npos; ++i) {
      end = other.find('/', i == 0 ? 0 : end + 1);
    }
    const std::string_view head = other.substr(0, end);
    if (!is_all_ascii(head) && composed(head) == wanted) return std::string(head);
  }
  return std::nullopt;
}

std::optional<FileRef> find_as_shown(const Snapshot& snapshot, std::string_view path) {
  const bool maybe = path.find('?') != path.npos || path.find(kReplacement) != path.npos;
  if (const auto file = snapshot.find(path)) return file;
  if (const auto other = spelling_of(snapshot, path)) return snapshot.find(*other);
  if (!maybe) return std::nullopt;
  const auto files = snapshot.files();
  const auto it =
      std::ranges::find_if(files, [&](FileRef file) { return shown(snapshot.path(file)) == path; });
  return it == files.end() ? std::nullopt : std::optional(*it);
}

std::span<const FileRef> files_at(const Snapshot& snapshot, std::string_view path) {
  const auto files = snapshot.beneath(path);
  if (!files.empty() || path.empty()) return files;
  const auto at = std::ranges::lower_bound(snapshot.files(), path, {},
                                           [&](FileRef file) { return snapshot.path(file); });
  const bool found = at != snapshot.files().end() && snapshot.path(*at) == path;
  return found ? std::span<const FileRef>(at, 1) : std::span<const FileRef>();
}

bool is_directory(const Collection& collection, const Location& location) {
  const Snapshot& snapshot = *collection.sources()[location.source].snapshot;
  return location.path.empty() || !snapshot.beneath(location.path).empty();
}

bool exists(const Collection& collection, const Location& location) {
  const Snapshot& snapshot = *collection.sources()[location.source].snapshot;
  return is_directory(collection, location) || snapshot.find(location.path);
}

Error no_such_path(const Collection& collection, const Location& location) {
  const Source& source = collection.sources()[location.source];
  std::string message = "there is no \"" + shown(source, location.path) + "\"";
  std::vector<std::string> near;
  for (const std::string& path : suggestions(*source.snapshot, location.path)) {
    near.push_back('"' + shown(source, path) + '"');
  }
  if (!near.empty()) message += "; did you mean " + join(near, " or ") + "?";
  return {Code::kNotFound, std::move(message), "Use list to see what there is."};
}

}  // namespace quarry::corpus
