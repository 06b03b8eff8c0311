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
  std::string name = to_lower(written.substr(0, written.find("<|")));
  if (const auto number = name.find_last_not_of("0123456789");
      number != name.npos && number + 1 < name.size() && name[number] == ':') {
    name.erase(number);
  }
  const auto first = name.find_first_not_of(" \t\r\n\"'");
  const auto last = name.find_last_not_of(" \t\r\n\"'");
  if (first == name.npos) return {};
  name = name.substr(first, last - first + 1);
  const std::size_t mark = name.rfind("__");
  std::string tail = name.substr(mark == name.npos ? 0 : mark + 2);
  tail.erase(0, tail.find_last_of(".:/") + 1);
  for (const std::string& known : names_) {
    if (to_lower(known) == name || to_lower(known) == tail) return known;
  }
  return {};
}

}  // namespace quarry::ask
