#include "resource-git/tree_reader.h"

#include <quarry/limits.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace quarry::resource_git {
namespace {

/// Bytes of the longest accepted path that git may print; longer ones are an attack on memory.
constexpr std::size_t kLongestEntry = 1u << 20;
constexpr std::size_t kLongestHead = 256;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return {};
  return value;
}

/// Removes and returns the first word of `text`, with the spaces after it.
std::string_view take_word(std::string_view& text) {
  const auto end = std::min(text.find(' '), text.size());
  const auto word = text.substr(0, end);
  text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  return word;
}

std::optional<TreeEntry::Kind> kind_of(std::string_view mode, std::string_view type) {
  if (type == "tree") return TreeEntry::Kind::kDirectory;
  if (type == "commit") return TreeEntry::Kind::kSubmodule;
  if (type != "blob") return {};
  return mode == "120000" ? TreeEntry::Kind::kLink : TreeEntry::Kind::kFile;
}

/// "100644 blob <id>[ <size>]\t<path>"
std::optional<TreeEntry> parse_entry(std::string_view line) {
  const auto tab = line.find('\t');
  if (tab == line.npos) return {};
  std::string_view head = line.substr(0, tab);
  const auto mode = take_word(head);
  const auto type = take_word(head);
  const auto id = take_word(head);
  const auto size = take_word(head);
  const auto kind = kind_of(mode, type);
  const auto bytes = size.empty() || size == "-" ? 0 : number(size);
  if (!kind || !bytes || id.empty()) return {};
  return TreeEntry{*kind, std::string(id), *bytes, std::string(line.substr(tab + 1))};
}

}  // namespace

bool TreeReader::take(std::string_view bytes) {
  for (;;) {
    const auto end = bytes.find('\0');
    if (end == bytes.npos) break;
    rest_.append(bytes.substr(0, end));
    auto entry = parse_entry(rest_);
    rest_.clear();
    if (!entry || !on_entry_(std::move(*entry))) return false;
    bytes.remove_prefix(end + 1);
  }
  rest_.append(bytes);
  return rest_.size() < kLongestEntry;
}

bool BlobReader::take(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!(in_body_ ? take_body(bytes) : take_head(bytes))) return false;
  }
  return true;
}

/// "<id> blob <size>\n"
bool BlobReader::take_head(std::string_view& bytes) {
  const auto end = bytes.find('\n');
  head_.append(bytes.substr(0, end));
  bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
  if (end == bytes.npos) return head_.size() < kLongestHead;
  std::string_view line = head_;
  take_word(line);
  const bool blob = take_word(line) == "blob";
  const auto size = number(line);
  head_.clear();
  body_.clear();
  in_body_ = true;
  left_ = size.value_or(0) + 1;
  return blob && size;
}

bool BlobReader::take_body(std::string_view& bytes) {
  const auto now = bytes.substr(0, left_);
  bytes.remove_prefix(now.size());
  left_ -= now.size();
  in_body_ = left_ != 0;
  if (in_body_ || !body_.empty()) body_.append(now);
  if (in_body_) return true;
  const std::string_view whole = body_.empty() ? now : std::string_view(body_);
  return whole.ends_with('\n') && on_blob_(whole.substr(0, whole.size() - 1));
}

bool is_fit(std::string_view path) {
  constexpr auto kLevels = static_cast<std::ptrdiff_t>(QUARRY_LIMIT_LEVELS);
  if (path.empty() || path.size() > QUARRY_LIMIT_PATH || std::ranges::count(path, '/') >= kLevels) {
    return false;
  }
  while (true) {
    const auto part = path.substr(0, path.find('/'));
    const auto same = [&](std::string_view name) {
      return std::ranges::equal(part, name, {}, [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
      });
    };
    if (part.empty() || part == "." || part == ".." || same(".git")) return false;
    if (part.size() == path.size()) return true;
    path.remove_prefix(part.size() + 1);
  }
}

bool is_lfs_pointer(std::string_view bytes, std::uint64_t& size) {
  constexpr std::string_view kBegin = "version https://git-lfs.github.com/spec/v1\n";
  constexpr std::string_view kSize = "\nsize ";
  if (bytes.size() > 1024 || !bytes.starts_with(kBegin)) return false;
  const auto at = bytes.find(kSize);
  if (at == bytes.npos) return false;
  const auto digits = bytes.substr(at + kSize.size());
  size = number(digits.substr(0, digits.find('\n'))).value_or(0);
  return true;
}

}  // namespace quarry::resource_git
