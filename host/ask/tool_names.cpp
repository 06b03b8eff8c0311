#include "ask/tool_names.h"

#include "base/json.h"
#include "base/text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::ask {

ToolNames::ToolNames(std::string_view tools) {
  const auto list = parse_json(tools);
  if (!list || !list->is_array()) return;
  for (const Json& tool : *list) names_.push_back(tool.value("name", std::string()));
}

std::string_view ToolNames::find(std::string_view written) const {
  constexpr std::string_view kAround = " \t\r\n\"'`";
  constexpr std::string_view kRecipient = "to=";
  if (const auto at = written.rfind(kRecipient); at != written.npos) {
    written.remove_prefix(at + kRecipient.size());
  }
  written.remove_prefix(std::min(written.find_first_not_of(kAround), written.size()));
  std::string name = to_lower(written.substr(0, written.find_first_of(" \t\r\n\"'`<({")));
  if (const auto number = name.find_last_not_of("0123456789");
      number != name.npos && number + 1 < name.size() && name[number] == ':') {
    name.erase(number);
  }
  if (name.empty()) return {};
  for (const std::string_view prefix : {"mcp_", "quarry_", "functions_", "tool_", "proxy_"}) {
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  }
  const std::size_t mark = name.rfind("__");
  std::string tail = name.substr(mark == name.npos ? 0 : mark + 2);
  tail.erase(0, tail.find_last_of(".:/") + 1);
  for (const std::string& known : names_) {
    if (to_lower(known) == name || to_lower(known) == tail) return known;
  }
  return {};
}

std::string ToolNames::meant_by(std::string_view written) const {
  const std::string_view known = find(written);
  return std::string(known.empty() ? written : known);
}

bool ToolNames::begins(std::string_view written) const {
  return std::ranges::any_of(names_, [begin = to_lower(written)](const std::string& known) {
    return to_lower(known).starts_with(begin);
  });
}

}  // namespace quarry::ask
