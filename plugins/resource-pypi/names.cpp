#include "resource-pypi/names.h"

#include "package_source/text.h"

#include <algorithm>
#include <array>
#include <vector>

namespace quarry::resource_pypi {
namespace {

using package_source::lower;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool is_mark(char c) {
  return c == '.' || c == '_' || c == '-';
}

std::vector<std::string> split(std::string_view text, char by) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t at = std::min(text.find(by), text.size());
    out.emplace_back(text.substr(0, at));
    if (at == text.size()) return out;
    text.remove_prefix(at + 1);
  }
}

std::optional<FileName> wheel_name(std::string_view stem, std::string_view project) {
  const auto parts = split(stem, '-');
  if (parts.size() != 5 && parts.size() != 6) return std::nullopt;
  if (normalised_name(parts[0]) != project) return std::nullopt;
  std::string text = parts[1];
  std::replace(text.begin(), text.end(), '_', '-');  // as pip reads old wheels
  auto version = Version::parse(text);
  if (!version) return std::nullopt;
  if (parts.size() == 6 && (parts[2].empty() || parts[2][0] < '0' || parts[2][0] > '9')) {
    return std::nullopt;
  }
  return FileName{true,
                  std::move(*version),
                  ".whl",
                  parts.size() == 6 ? parts[2] : "",
                  parts[parts.size() - 3],
                  parts.back()};
}

/// Old names have '-' in the project too, so each '-' may be the one before the version.
std::optional<FileName> sdist_name(std::string_view stem, std::string_view suffix,
                                   std::string_view project) {
  for (std::size_t at = stem.find('-'); at != std::string_view::npos; at = stem.find('-', at + 1)) {
    if (normalised_name(stem.substr(0, at)) != project) continue;
    auto version = Version::parse(stem.substr(at + 1));
    if (!version) return std::nullopt;
    return FileName{false, std::move(*version), std::string(suffix), {}, {}, {}};
  }
  return std::nullopt;
}

}  // namespace

bool is_project_name(std::string_view name) {
  if (name.empty() || !is_alphanumeric(name.front()) || !is_alphanumeric(name.back())) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_alphanumeric(c) || is_mark(c); });
}

std::string normalised_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (is_mark(c)) {
      if (out.empty() || out.back() != '-') out += '-';
    } else {
      out += lower({&c, 1});
    }
  }
  return out;
}

std::string_view archive_suffix(std::string_view name) {
  // Not ".tar.xz": its header may demand gigabytes of memory.
  constexpr std::array<std::string_view, 7> kSuffixes{".tar.gz", ".tgz", ".zip", ".tar.bz2",
                                                      ".tbz",    ".tar", ".whl"};
  for (const std::string_view suffix : kSuffixes) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) return suffix;
  }
  return {};
}

std::optional<FileName> file_name(std::string_view name, std::string_view project) {
  constexpr std::size_t kLongest = 512;
  const std::string_view suffix = archive_suffix(name);
  if (suffix.empty() || name.size() > kLongest) return std::nullopt;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/' || c == '\\' || byte <= 0x20 || byte >= 0x7f) return std::nullopt;
  }
  const std::string_view stem = name.substr(0, name.size() - suffix.size());
  return suffix == ".whl" ? wheel_name(stem, project) : sdist_name(stem, suffix, project);
}

}  // namespace quarry::resource_pypi
