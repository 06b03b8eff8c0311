#include "base/relative_path.h"

#include "base/text.h"

namespace quarry {
namespace {

Error bad_path(std::string_view path, std::string_view why) {
  return {Code::kInvalidArgument,
          "the path \"" + std::string(path.substr(0, 256)) + "\" " + std::string(why),
          "Give a path relative to the root of the resource."};
}

}  // namespace

Result<std::string> normalise_relative_path(std::string_view path) {
  if (path.size() > 4096) return bad_path(path, "is longer than 4096 bytes");
  if (path.find('\0') != std::string_view::npos) return bad_path(path, "contains NUL");
  if (path.starts_with('/')) return bad_path(path, "is absolute");
  std::string out;
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return bad_path(path, "leaves its root with \"..\"");
    if (!out.empty()) out += '/';
    out += part;
  }
  return out;
}

}  // namespace quarry
