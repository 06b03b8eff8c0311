#include "media_type.h"

#include "request.h"

#include <algorithm>

namespace quarry::http_server {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view take(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = trimmed(rest.substr(0, end));
  rest.remove_prefix(std::min(rest.size(), end + 1));
  return part;
}

bool is_refused(std::string_view parameters) {
  while (!parameters.empty()) {
    std::string_view value = take(parameters, ';');
    const std::string_view name = take(value, '=');
    if (!equal_ignoring_case(name, "q")) continue;
    return value.starts_with('0') && value.find_first_not_of("0.") == value.npos;
  }
  return false;
}

Accepts fits(std::string_view range, std::string_view type) {
  if (equal_ignoring_case(range, type)) return Accepts::kByName;
  if (range == "*/*") return Accepts::kByWildcard;
  if (!range.ends_with("/*")) return Accepts::kNot;
  const std::string_view start = range.substr(0, range.size() - 1);
  return equal_ignoring_case(type.substr(0, start.size()), start) ? Accepts::kByWildcard
                                                                  : Accepts::kNot;
}

}  // namespace

bool is_media_type(std::string_view content_type, std::string_view type) {
  return equal_ignoring_case(take(content_type, ';'), type);
}

Accepts accepts(std::string_view field, std::string_view type) {
  if (trimmed(field).empty()) return Accepts::kByWildcard;
  Accepts best = Accepts::kNot;
  while (!field.empty()) {
    std::string_view parameters = take(field, ',');
    const Accepts found = fits(take(parameters, ';'), type);
    if (found == Accepts::kNot) continue;
    if (!is_refused(parameters)) {
      best = std::max(best, found);
    } else if (found == Accepts::kByName) {
      return Accepts::kNot;
    }
  }
  return best;
}

}  // namespace quarry::http_server
