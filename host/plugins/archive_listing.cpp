#include "plugins/archive_listing.h"

#include "base/text.h"
#include "plugins/compose.h"
#include "plugins/plugin_files.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

namespace quarry::plugins {
namespace {

constexpr std::string_view kHint =
    "an archive of a plugin has its manifest and the files that it names, at its top or in one "
    "folder, and nothing but regular files";

Error refused(std::string_view name, std::string_view cause) {
  return {Code::kInvalidArgument, compose("the archive's member \"{}\" {}", name, cause),
          std::string(kHint)};
}

std::string_view kind_of(char type) {
  switch (type) {
    case 'l':
      return "is a symbolic link";
    case 'h':
      return "is a hard link";
    case 'b':
    case 'c':
      return "is a device";
    case 'p':
      return "is a named pipe";
    default:
      return "is no regular file";
  }
}

/// The next word of `line`, which loses it and the blanks around it.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const auto word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

/// True if `text` has the form of `pattern`, in which 'd' is a digit.
bool has_form(std::string_view text, std::string_view pattern) {
  return std::ranges::equal(text, pattern, [](char c, char form) {
    return form == 'd' ? c >= '0' && c <= '9' : c == form;
  });
}

std::optional<std::uint64_t> number(std::string_view digits) {
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

/// The name without "./" before it and '/' behind it; a failure if it leaves the archive.
Result<std::string_view> relative_name(std::string_view name) {
  if (name.starts_with('/')) return refused(name, "has an absolute name");
  for (const auto part : split(name, '/')) {
    if (part == "..") return refused(name, "has \"..\" in its name");
  }
  // tar shows such characters as escapes, so that the name is not the one in the archive.
  if (name.contains('\\')) return refused(name, "has an unusual character in its name");
  auto relative = name;
  while (relative.starts_with("./")) relative.remove_prefix(2);
  while (relative.ends_with('/')) relative.remove_suffix(1);
  return relative;
}

}  // namespace

Status ArchiveListing::read(std::string_view bytes) {
  for (;;) {
    const auto end = bytes.find('\n');
    line_ += bytes.substr(0, end);
    if (line_.size() > kLongestLine) {
      return refused(line_.substr(0, 60) + "…", "has a name that is too long");
    }
    if (end == std::string_view::npos) return {};
    if (auto taken = read_line(std::exchange(line_, {})); !taken) return taken;
    bytes.remove_prefix(end + 1);
  }
}

Status ArchiveListing::end() const {
  if (line_.empty()) return {};
  return Error(Code::kInvalidArgument, "the list of the archive's members is cut off",
               std::string(kHint));
}

/// "-rw-r--r-- 0/0   1234 2026-11-23 10:00 name". tar pads the time to the longest one before, so
/// that names behind times of other lengths could not be told from blanks.
Status ArchiveListing::read_line(std::string_view line) {
  const auto mode = take_word(line);
  take_word(line);  // owner
  const auto size = take_word(line);
  const auto date = take_word(line);
  const auto time = take_word(line);
  const bool is_known = mode.size() >= 10 && has_form(date, "dddd-dd-dd") &&
                        has_form(time, "dd:dd") && line.size() > 1 && line.front() == ' ';
  if (!is_known) {
    return Error(Code::kInvalidArgument, "the list of the archive's members cannot be read",
                 std::string(kHint));
  }
  return add(mode.front(), size, line.substr(1));
}

Status ArchiveListing::add(char type, std::string_view size, std::string_view name) {
  if (++members_ > kMostMembers) {
    return Error(Code::kInvalidArgument,
                 compose("the archive has more than {} members", kMostMembers), std::string(kHint));
  }
  if (type != '-' && type != 'd') return refused(name, kind_of(type));
  const auto relative = relative_name(name);
  if (!relative) return relative.error();
  if (type == 'd') return {};
  const auto bytes = number(size);
  if (!bytes || *bytes > kMaxFile) {
    return refused(name, compose("has more than {} bytes", kMaxFile));
  }
  bytes_ += *bytes;
  if (bytes_ > kMostBytes) {
    return Error(Code::kInvalidArgument,
                 compose("the archive's members have more than {} bytes", kMostBytes),
                 std::string(kHint));
  }
  if (!files_.emplace(*relative, File{std::string(name), *bytes}).second)
    return refused(name, "is there twice");
  return {};
}

Result<std::string> ArchiveListing::manifest() const {
  std::vector<std::string> found;
  for (const auto& [relative, packed] : files_) {
    const auto slash = relative.find('/');
    const bool is_top =
        slash == std::string::npos || relative.find('/', slash + 1) == relative.npos;
    const auto file = slash == std::string::npos ? relative : relative.substr(slash + 1);
    if (is_top && file == kManifestFile) found.push_back(packed.name);
  }
  if (found.size() == 1) return found.front();
  return Error(Code::kInvalidArgument,
               found.empty() ? compose("the archive has no {}", kManifestFile)
                             : compose("the archive has {} files {}", found.size(), kManifestFile),
               std::string(kHint));
}

bool ArchiveListing::has(std::string_view name) const {
  return find(name) != nullptr;
}

std::uint64_t ArchiveListing::size_of(std::string_view name) const {
  const auto* file = find(name);
  return file == nullptr ? 0 : file->bytes;
}

const ArchiveListing::File* ArchiveListing::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(files_, [name](const auto& file) { return file.second.name == name; });
  return found == files_.end() ? nullptr : &found->second;
}

}  // namespace quarry::plugins
