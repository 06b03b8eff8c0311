#include "resource-git/notes.h"

#include <algorithm>

namespace quarry::resource_git {
namespace {

constexpr std::size_t kNamedSubmodules = 10;
constexpr std::size_t kNamedFiles = 5;
constexpr std::size_t kLongest = 300;

std::string_view trimmed(std::string_view text) {
  const auto begin = std::min(text.find_first_not_of(" \t\r"), text.size());
  const auto end = text.find_last_not_of(" \t\r");
  return end == text.npos ? std::string_view() : text.substr(begin, end + 1 - begin);
}

std::string unquoted(std::string_view value) {
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '"') continue;
    if (value[i] == '\\' && i + 1 < value.size()) ++i;
    out += value[i];
  }
  return out;
}

/// `text` as printable ASCII on one line; other bytes become '?'.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 160)) out += c < ' ' || c > '~' ? '?' : c;
  return out + (text.size() > 160 ? "..." : "");
}

/// True if a URL may be shown: it contains no password.
bool may_be_shown(std::string_view url) {
  return url.find('@') == url.npos || url.find("://") == url.npos;
}

std::string joined(const std::vector<std::string>& names, std::size_t count) {
  std::string out;
  for (const std::string& name : names) {
    if (out.size() > 150) break;
    out += (out.empty() ? "" : ", ") + shown(name);
    --count;
  }
  return count == 0 ? out : out + " and " + std::to_string(count) + " more";
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 10'000) return std::to_string(bytes) + " bytes";
  if (bytes < 10'000'000) return std::to_string(bytes / 1000) + " kB";
  return std::to_string(bytes / 1'000'000) + " MB";
}

}  // namespace

std::map<std::string, std::string> parse_modules(std::string_view text) {
  std::map<std::string, std::string> urls;
  std::string path;
  std::string url;
  const auto keep = [&] {
    if (!path.empty() && !url.empty() && may_be_shown(url)) urls[path] = url;
    path.clear();
    url.clear();
  };
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('[')) keep();
    const auto equals = line.find('=');
    if (line.starts_with('#') || line.starts_with(';') || equals == line.npos) continue;
    const auto name = trimmed(line.substr(0, equals));
    if (name == "path") path = unquoted(trimmed(line.substr(equals + 1)));
    if (name == "url") url = unquoted(trimmed(line.substr(equals + 1)));
  }
  keep();
  return urls;
}

void Notes::add_submodule(const std::string& path, const std::string& commit) {
  if (submodules_.size() < kNamedSubmodules) submodules_.push_back({path, commit});
  ++submodule_count_;
}

void Notes::add_lfs_pointer(const std::string& path, std::uint64_t size) {
  if (pointers_.size() < kNamedFiles) pointers_.push_back(path);
  ++pointer_count_;
  pointer_bytes_ += size;
}

void Notes::add_missing_path(const std::string& path) {
  missing_.push_back(path);
}

void Notes::set_modules(std::string_view gitmodules) {
  urls_ = parse_modules(gitmodules);
}

std::vector<std::string> Notes::sentences() const {
  std::vector<std::string> out;
  if (!missing_.empty()) {
    out.push_back("Of the search paths there is nothing at " + joined(missing_, missing_.size()) +
                  ".");
  }
  for (const Submodule& submodule : submodules_) {
    const auto url = urls_.find(submodule.path);
    const std::string from = url == urls_.end() ? "" : " (" + shown(url->second) + ")";
    out.push_back("Submodule " + shown(submodule.path) + from + " at " +
                  submodule.commit.substr(0, 7) + " is not part of this snapshot.");
  }
  if (submodule_count_ > submodules_.size()) {
    out.push_back(std::to_string(submodule_count_ - submodules_.size()) +
                  " more submodules are not part of this snapshot.");
  }
  if (pointer_count_ != 0) {
    out.push_back("Of files kept by Git LFS only the pointers are here, not their " +
                  size_text(pointer_bytes_) + ": " + joined(pointers_, pointer_count_) + ".");
  }
  if (links_ != 0) {
    out.push_back(std::to_string(links_) + (links_ == 1
                                                ? " symbolic link is listed but not followed."
                                                : " symbolic links are listed but not followed."));
  }
  if (unfit_ != 0) {
    out.push_back(std::to_string(unfit_) +
                  " entries whose paths are unsafe, or too long or deep, were left out.");
  }
  for (std::string& sentence : out) {
    if (sentence.size() > kLongest) sentence = sentence.substr(0, kLongest - 3) + "...";
  }
  return out;
}

}  // namespace quarry::resource_git
