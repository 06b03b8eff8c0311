#include "base/schema.h"
#include "base/schema_node.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry {
namespace {

using Coerced = std::optional<Json>;

/// The value of a JSON text, also of one that is written as the JSON of a text.
Coerced value_in(std::string_view text) {
  auto value = parse_json(trim(text));
  if (value && value->is_string()) value = parse_json(value->get_ref<const std::string&>());
  return value ? Coerced(std::move(*value)) : std::nullopt;
}

Coerced truth_in(const Json& value) {
  const auto* const text = value.get_ptr<const std::string*>();
  if (text == nullptr && !value.is_number_integer()) return std::nullopt;
  const std::string word = text != nullptr ? to_lower(trim(*text)) : to_text(value);
  if (word == "true" || word == "1") return Json(true);
  if (word == "false" || word == "0") return Json(false);
  return std::nullopt;
}

/// An integer that a double holds exactly.
Coerced as_integer(const Json& value) {
  constexpr double kMost = 9007199254740992;  // 2^53
  if (!value.is_number_float()) return value.is_number() ? Coerced(value) : std::nullopt;
  const auto number = value.get<double>();
  if (std::abs(number) > kMost || number != std::floor(number)) return std::nullopt;
  return Json(static_cast<std::int64_t>(number));
}

/// Null, empty text, or a list of these only.
bool says_nothing(const Json& value) {
  if (!value.is_array()) return value.is_null() || value == Json(std::string());
  for (const Json& item : value) {
    if (item.is_array() || !says_nothing(item)) return false;
  }
  return true;
}

/// A name without what tells "startLine", "start_line" and "start-line" apart.
std::string spelling(std::string_view name) {
  std::string out = to_lower(name);
  std::erase_if(out, [](char c) { return c == '_' || c == '-'; });
  return out;
}

/// True for text that begins as a list or an object, and so is no name.
bool is_meant_as_json(const Json& value) {
  if (!value.is_string()) return false;
  const std::string_view text = trim(value.get_ref<const std::string&>());
  return text.starts_with('[') || text.starts_with('{');
}

}  // namespace

/// `value`, whose type is none of the types of this schema, as one of them.
Coerced Schema::Node::as_one_of_the_types(const Json& value) const {
  if (value.is_array() && value.size() == 1 && !says_nothing(value)) {
    Json item = value.front();
    coerce(item);
    return fits(item) ? Coerced(std::move(item)) : std::nullopt;
  }
  if (allows("string")) return std::nullopt;  // any text, and nothing else, is meant as it stands
  if (value.is_number() && allows("integer")) return as_integer(value);
  const auto* const text = value.get_ptr<const std::string*>();
  if (allows("boolean")) {
    if (auto truth = truth_in(value)) return truth;
  }
  if (Coerced read = text != nullptr ? value_in(*text) : std::nullopt) {
    if (fits(*read)) return read;
    if (read->is_number() && allows("integer")) return as_integer(*read);
  }
  if (!allows("array") || says_nothing(value) || is_meant_as_json(value)) return std::nullopt;
  Json item = value;
  if (items) items->coerce(item);
  if (items && !items->fits(item)) return std::nullopt;
  return Json::array({std::move(item)});
}

/// The one choice that `value` is in another case; null if there is none.
const Json* Schema::Node::choice_spelled(const Json& value) const {
  const auto is_meant = [&](const Json& choice) {
    return value.is_string() && choice.is_string() &&
           to_lower(trim(value.get_ref<const std::string&>())) ==
               to_lower(choice.get_ref<const std::string&>());
  };
  const auto found = std::ranges::find_if(choices, is_meant);
  const bool is_one = std::ranges::count_if(choices, is_meant) == 1;
  return is_one && std::ranges::find(choices, value) == choices.end() ? &*found : nullptr;
}

void Schema::Node::coerce(Json& value) const {
  if (!fits(value)) {
    if (Coerced taken = as_one_of_the_types(value)) value = std::move(*taken);
  }
  if (const Json* const choice = choice_spelled(value)) value = *choice;
  if (value.is_array() && items) {
    for (Json& item : value) items->coerce(item);
  }
  if (value.is_object()) coerce_members(value);
}

/// The one property that `name` is another spelling of, or of one of its aliases.
const std::string* Schema::Node::property_spelled(std::string_view name) const {
  const std::string* found = nullptr;
  const std::string wanted = spelling(name);
  const auto is_wanted = [&](const std::string& other) { return spelling(other) == wanted; };
  for (const auto& [property, rule] : properties) {
    if (!is_wanted(property) && std::ranges::none_of(rule->aliases, is_wanted)) continue;
    if (found != nullptr) return nullptr;
    found = &property;
  }
  return found;
}

void Schema::Node::rename_members(Json& value) const {
  if (other_properties != nullptr) return;        // any name has a meaning of its own
  std::multimap<std::string, std::string> names;  // of unknown members, by what they mean
  for (const auto& [name, member] : value.items()) {
    const bool is_known = properties.contains(name);
    const auto* const meant = is_known ? nullptr : property_spelled(name);
    if (meant != nullptr && !value.contains(*meant)) names.emplace(*meant, name);
  }
  for (const auto& [meant, name] : names) {
    if (names.count(meant) > 1) continue;
    value[meant] = std::move(value[name]);
    value.erase(name);
  }
}

void Schema::Node::coerce_members(Json& value) const {
  rename_members(value);
  for (auto member = value.begin(); member != value.end();) {
    const auto known = properties.find(member.key());
    const Node* const rule =
        known != properties.end() ? known->second.get() : other_properties.get();
    if (rule != nullptr) rule->coerce(*member);
    const bool goes = rule != nullptr && says_nothing(*member) &&
                      std::ranges::find(required, member.key()) == required.end() &&
                      !rule->accepts(*member);
    member = goes ? value.erase(member) : std::next(member);
  }
}

bool Schema::Node::accepts(const Json& value) const {
  std::vector<FieldError> mistakes;
  check(value, "", Unknown::kIgnore, mistakes);
  return mistakes.empty();
}

/// Takes the members out of {"arguments": {…}} or its likes, beside which may be the name of what
/// is called and other members of this schema.
void Schema::Node::unwrap(Json& value) const {
  constexpr std::array<std::string_view, 7> kWrappers = {
      "arguments", "parameters", "params", "args", "input", "kwargs", "tool_input"};
  if (!value.is_object() || properties.empty() || other_properties != nullptr) return;
  std::string wrapper;
  for (const auto& [name, member] : value.items()) {
    if (properties.contains(name)) continue;
    const bool is_name = name == "name" || name == "tool" || name == "tool_name";
    if (is_name && member.is_string()) continue;
    const bool is_wrapper = std::ranges::find(kWrappers, name) != kWrappers.end();
    if (!is_wrapper || !wrapper.empty() || property_spelled(name) != nullptr) return;
    wrapper = name;
  }
  if (wrapper.empty()) return;
  Json inner = value[wrapper];
  coerce(inner);
  if (!inner.is_object()) return;
  for (const auto& [name, member] : value.items()) {
    if (properties.contains(name)) inner.emplace(name, member);
  }
  value = std::move(inner);
}

void Schema::coerce(Json& value) const {
  root_->coerce(value);
  root_->unwrap(value);
}

void coerce_by(const Json& schema, Json& value) {
  if (const auto compiled = Schema::compile(schema)) compiled->coerce(value);
}

}  // namespace quarry
