#include "resource-archive/url.h"

#include "package_source/text.h"

#include <array>

namespace quarry::resource_archive {

using package_source::lower;

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::optional<std::string> without_extension(std::string_view file) {
  constexpr std::array<std::string_view, 11> kExtensions{
      ".tar.gz", ".tar.xz", ".tar.zst", ".tar.bz2", ".tar", ".tgz",
      ".txz",    ".tzst",   ".tbz2",    ".tbz",     ".zip"};
  const std::string small = lower(file);
  for (const std::string_view extension : kExtensions) {
    if (small.size() > extension.size() && small.ends_with(extension)) {
      return std::string(file.substr(0, file.size() - extension.size()));
    }
  }
  return std::nullopt;
}

std::string sha256_of_fragment(std::string_view fragment) {
  constexpr std::string_view kKey = "sha256=";
  if (!fragment.starts_with(kKey)) return {};
  std::string digits = lower(fragment.substr(kKey.size()));
  return digits.size() == 64 && is_hex(digits) ? digits : std::string();
}

}  // namespace quarry::resource_archive
