#include "ask/call_objects.h"

#include "ask/call_markup.h"

#include <array>
#include <span>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace {

constexpr auto kListSpellings = std::to_array<const char*>({"tool_calls", "toolCalls"});
constexpr auto kNameSpellings = std::to_array<const char*>(
    {"name", "tool_name", "recipient_name", "tool", "action", "function"});

const Json* first_member(const Json& object, std::span<const char* const> names) {
  for (const char* name : names) {
    if (const auto found = object.find(name); found != object.end()) return &*found;
  }
  return nullptr;
}

/// The member with the call's name and arguments; null if it is the object itself.
const Json* inner_call(const Json& object) {
  const Json* const name = first_member(object, kNameSpellings);
  if (name != nullptr && name->is_object()) return name;
  const auto function = object.find("function");
  return function != object.end() && function->is_object() ? &*function : nullptr;
}

}  // namespace

void add_object_calls(const Json& value, const ToolNames& tools, UnknownTool unknown,
                      std::vector<TextCall>& calls) {
  if (value.is_array()) {
    for (const Json& item : value) add_object_calls(item, tools, unknown, calls);
  }
  if (!value.is_object()) return;
  if (const Json* several = first_member(value, kListSpellings)) {
    return add_object_calls(*several, tools, unknown, calls);
  }
  if (value.size() == 1 && value.begin()->is_object()) {
    if (const auto known = tools.find(value.begin().key()); !known.empty()) {
      calls.push_back({std::string(known), to_text(*value.begin())});
      return;
    }
  }
  if (const Json* inner = inner_call(value)) return add_object_calls(*inner, tools, unknown, calls);
  const Json* const name = first_member(value, kNameSpellings);
  if (name == nullptr || !name->is_string()) return;
  const auto& written = name->get_ref<const std::string&>();
  const Json* const given = first_member(value, kArgumentMembers);
  const bool is_certain = given != nullptr && !tools.find(written).empty();
  if (unknown == UnknownTool::kLeftOut && !is_certain) return;
  Json arguments = given == nullptr ? Json::object() : *given;
  if (arguments.is_string()) {
    auto parsed = parse_call_arguments(arguments.get_ref<const std::string&>());
    if (parsed) arguments = std::move(*parsed);
  }
  if (arguments.is_object()) calls.push_back({tools.meant_by(written), to_text(arguments)});
}

}  // namespace quarry::ask
