#include "corpus/tool_output.h"

#include "base/text.h"
#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace quarry::corpus {
namespace {

constexpr std::size_t kNoticeBytes = 512;
constexpr std::size_t kMostSuggestions = 3;

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// The paths right within `directory`, each once.
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

/// What `path` may have meant: a neighbour with a similar name, or the same name elsewhere.
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

/// Live files that were found to be damaged, as tools write them.
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

}  // namespace

bool ToolOutput::add(std::string_view line) {
  if (text_.size() + line.size() + 1 + kNoticeBytes > kMostOutputBytes) return false;
  text_ += line;
  text_ += '\n';
  return true;
}

std::string ToolOutput::finish(std::string_view notice) && {
  if (!text_.empty()) text_ += '\n';
  text_ += '(';
  text_ += utf8_prefix(notice, kNoticeBytes - 4);
  text_ += ")\n";
  return std::move(text_);
}

std::string shown(std::string_view path) {
  std::string out = to_utf8(path);
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return out;
}

std::string shown(const Source& source, std::string_view path) {
  return path.empty() ? source.name : source.name + '/' + shown(path);
}

std::optional<FileRef> find_as_shown(const Snapshot& snapshot, std::string_view path) {
  static constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  const bool maybe = path.find('?') != path.npos || path.find(kReplacement) != path.npos;
  if (const auto file = snapshot.find(path); file || !maybe) return file;
  const auto files = snapshot.files();
  const auto it =
      std::ranges::find_if(files, [&](FileRef file) { return shown(snapshot.path(file)) == path; });
  return it == files.end() ? std::nullopt : std::optional(*it);
}

std::string shown_size(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  static constexpr std::array kUnits = {"KB", "MB", "GB", "TB"};
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", size, kUnits[unit]);
  return text;
}

std::string counted(std::size_t count, std::string_view thing) {
  return std::to_string(count) + ' ' + std::string(thing) + (count == 1 ? "" : "s");
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  if (text.size() <= count) return text;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const bool starts = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (starts && count-- == 0) break;
  }
  return text.substr(0, at);
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
  return {Code::kNotFound, std::move(message), "Use list or glob to see what there is."};
}

std::string damage_notice(const Collection& collection) {
  const std::vector<std::string> files = damaged_files(collection);
  if (files.empty()) return {};
  std::string text = ". NOT READ, since the copy in the cache is damaged and is being made again: ";
  const std::size_t named = std::min(files.size(), kMostSuggestions);
  text += join(std::span(files).first(named), ", ");
  if (files.size() > named) text += " and " + counted(files.size() - named, "more file");
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

}  // namespace quarry::corpus
