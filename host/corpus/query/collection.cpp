#include "corpus/query/collection.h"

#include "base/relative_path.h"
#include "base/text.h"
#include "corpus/query/location.h"

#include <algorithm>
#include <charconv>

namespace quarry::corpus {
namespace {

/// True if `path` is `name` or beneath it, ignoring case.
bool names(std::string_view path, std::string_view name) {
  if (path.size() > name.size() && path[name.size()] != '/') return false;
  return to_lower(path.substr(0, name.size())) == to_lower(name);
}

/// The source whose name is the longest that `path` starts with; of two that differ in case only,
/// the one with the same spelling.
std::optional<std::size_t> source_of(std::span<const std::string> all, std::string_view path) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& name = all[i];
    if (!names(path, name)) continue;
    const bool better = !best || name.size() > all[*best].size() ||
                        (name.size() == all[*best].size() && path.starts_with(name));
    if (better) best = i;
  }
  return best;
}

std::vector<std::string> names_of(const std::vector<Source>& sources) {
  std::vector<std::string> all;
  for (const Source& source : sources) all.push_back(source.name);
  return all;
}

/// `path` as normalised, which may begin with '/': the root of the collection is shown as "/", so
/// models write paths that start there.
Result<std::string> normalised_path(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  return normalise_relative_path(path);
}

Error unknown_source(const std::vector<Source>& sources, std::string_view path) {
  const std::vector<std::string> all = names_of(sources);
  const std::string wanted(path.substr(0, path.find('/')));
  std::string message = "there is no resource \"" + wanted + "\"";
  if (const auto near = nearest(wanted, all)) message += "; did you mean \"" + *near + "\"?";
  return {Code::kNotFound, std::move(message),
          all.empty() ? "No resource is selected." : "Paths begin with one of: " + join(all, ", ")};
}

/// The location of `path`, with the actual name of its file or directory.
Location place(const std::vector<Source>& sources, std::size_t source, std::string path) {
  const Snapshot* snapshot = sources[source].snapshot.get();
  const auto file = snapshot != nullptr ? find_as_shown(*snapshot, path) : std::nullopt;
  if (file) {
    path = snapshot->path(*file);
  } else if (snapshot != nullptr && snapshot->beneath(path).empty()) {
    if (auto directory = spelling_of(*snapshot, path)) path = std::move(*directory);
  }
  return {source, std::move(path)};
}

Result<std::optional<Location>> resolve_exactly(const std::vector<Source>& sources,
                                                std::string_view path) {
  const auto normalised = normalised_path(path);
  if (!normalised) return normalised.error();
  if (normalised->empty()) return std::nullopt;
  const auto source = source_of(names_of(sources), *normalised);
  if (source) {
    const std::size_t skip = std::min(normalised->size(), sources[*source].name.size() + 1);
    return place(sources, *source, normalised->substr(skip));
  }
  if (sources.size() == 1) return place(sources, 0, *normalised);
  return unknown_source(sources, *normalised);
}

/// `text` without lines behind it: "#L3-L9", ":3", ":3-9", ":3:1".
std::string_view without_lines(std::string_view text) {
  const std::size_t anchor = text.rfind("#L");
  if (anchor != text.npos && text.find_first_not_of("0123456789L-", anchor + 2) == text.npos) {
    return text.substr(0, anchor);
  }
  const std::size_t end = text.find_last_not_of("0123456789:-") + 1;
  return end > 0 && text.substr(end).starts_with(':') ? text.substr(0, end) : text;
}

/// `text` without blanks, quotes and brackets around it.
std::string_view bare(std::string_view text) {
  constexpr std::string_view kAround = " \t\r\n\"'`[]";
  text.remove_prefix(std::min(text.find_first_not_of(kAround), text.size()));
  return text.substr(0, text.find_last_not_of(kAround) + 1);
}

/// The path in a citation of one of `names`, "[docs:a.md#L3]", in a path with lines behind it, in
/// quotes, or with the slashes of another system.
std::string copied_path(std::string_view text, std::span<const std::string> names) {
  std::string out(without_lines(bare(text)));
  std::ranges::replace(out, '\\', '/');
  for (const std::string& name : names) {
    if (out.starts_with(name + ":")) out[name.size()] = '/';
  }
  return out;
}

}  // namespace

std::optional<std::size_t> source_named_by(std::span<const std::string> names,
                                           std::string_view path) {
  const auto normalised = normalised_path(path);
  return normalised ? source_of(names, *normalised) : std::nullopt;
}

std::optional<LineRange> lines_behind(std::string_view path) {
  path = bare(path);
  path.remove_prefix(without_lines(path).size());
  path.remove_prefix(std::min(path.find_first_of("0123456789"), path.size()));
  LineRange out{0, 0};
  const char* const end = path.data() + path.size();
  const auto first = std::from_chars(path.data(), end, out.first);
  if (first.ec != std::errc() || out.first == 0) return std::nullopt;
  out.last = out.first;
  const char* at = first.ptr;
  if (at == end || *at != '-') return out;
  ++at;
  if (at != end && *at == 'L') ++at;
  const auto last = std::from_chars(at, end, out.last);
  if (last.ec != std::errc() || out.last < out.first) return std::nullopt;
  return out;
}

Result<std::optional<Location>> Collection::resolve(std::string_view path) const {
  const auto is_there = [this](const Location& location) {
    return sources_[location.source].snapshot != nullptr && exists(*this, location);
  };
  auto written = resolve_exactly(sources_, path);
  if (written && (!*written || is_there(**written))) return written;
  if (const auto whole = normalised_path(path); whole && sources_.size() == 1) {
    // A tree may have a folder of its own name: "requests/requests".
    Location within = place(sources_, 0, *whole);
    if (is_there(within)) return within;
  }
  const std::string meant = copied_path(path, names_of(sources_));
  if (meant == path) return written;
  auto other = resolve_exactly(sources_, meant);
  return other && *other && is_there(**other) ? other : written;
}

}  // namespace quarry::corpus
