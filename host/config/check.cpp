#include "config/check.h"

#include "base/schema.h"
#include "config/keys.h"
#include "config/model_table.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace quarry::config {
namespace {

constexpr const char* kHint = "Correct the named places; \"quarry config check\" checks them.";

std::vector<std::string> tokens_of(const std::string& pointer) {
  std::vector<std::string> out;
  for (Json::json_pointer at(pointer); !at.empty(); at.pop_back()) out.push_back(at.back());
  std::ranges::reverse(out);
  return out;
}

/// The member `token` of a table or list; null if there is none.
Json* member(Json& value, const std::string& token) {
  if (value.is_object()) {
    const auto found = value.find(token);
    return found == value.end() ? nullptr : &*found;
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  const bool is_index = error == std::errc() && end == token.data() + token.size();
  return value.is_array() && is_index && index < value.size() ? &value[index] : nullptr;
}

/// True for a wrong value that can be read like a right one.
bool is_readable(const std::vector<std::string>& tokens, const Json& value) {
  if (tokens.size() == 2 && tokens[0] == "model") return is_model_instance(value);
  return tokens.size() == 3 && tokens[0] == "resource" && tokens[2] == "name" && value.is_string();
}

/// Removes the value at `tokens`: an item of a list with its list, a provider with its table. No
/// effect if it does not exist.
void remove_value(Json& root, std::vector<std::string> tokens) {
  const bool with_table = tokens.size() > 1 && tokens.back() == "provider";
  if (with_table) tokens.pop_back();
  Json* table = nullptr;
  std::string key;
  Json* at = &root;
  for (const std::string& token : tokens) {
    if (at->is_object()) {
      table = at;
      key = token;
    }
    at = member(*at, token);
    if (at == nullptr) return;
  }
  if (table != nullptr && (with_table || !is_readable(tokens, *at))) table->erase(key);
}

bool is_resource(const Json& value) {
  return value.is_object() && value.value("name", Json()).is_string() &&
         value.value("type", Json()).is_string();
}

}  // namespace

Place nearest_place(const std::map<std::string, Place>& places, std::string pointer) {
  while (!pointer.empty() && !places.contains(pointer)) {
    const std::size_t slash = pointer.rfind('/');
    pointer.erase(slash == std::string::npos ? 0 : slash);
  }
  const auto place = places.find(pointer);
  return place == places.end() ? Place{} : place->second;
}

std::vector<FieldError> violations_in(const Document& document) {
  static const Schema schema = *Schema::compile(whole_schema());
  auto out = schema.check(document.root, Schema::Unknown::kRefuse);
  std::ranges::move(check_model_instances(document.root), std::back_inserter(out));
  return out;
}

std::vector<Mistake> at_places(const Document& document,
                               const std::vector<FieldError>& violations) {
  std::vector<Mistake> out;
  for (const FieldError& violation : violations) {
    const std::string name = violation.field.substr(violation.field.empty() ? 0 : 1);
    out.push_back({nearest_place(document.places, violation.field),
                   dotted_key(document.root, violation.field),
                   "\"" + name + "\" " + violation.message,
                   {}});
  }
  return out;
}

std::vector<Mistake> at_places(const Table& table, std::string_view name,
                               const std::vector<FieldError>& violations) {
  std::vector<Mistake> out;
  for (const FieldError& violation : violations) {
    const std::string& field = violation.field;
    const std::string key = dotted_key(Json(), field);
    out.push_back({nearest_place(table.places, field),
                   std::string(name) + (key.empty() ? "" : "." + key),
                   (field.empty() ? "" : "\"" + field.substr(1) + "\" ") + violation.message,
                   {}});
  }
  return out;
}

void remove_violations(Json& root, const std::vector<FieldError>& violations) {
  for (const FieldError& violation : violations) remove_value(root, tokens_of(violation.field));
  const auto resources = root.find("resource");
  if (resources == root.end()) return;
  for (Json& resource : *resources) {
    if (!is_resource(resource)) resource = nullptr;
  }
}

std::string dotted_key(const Json& root, const std::string& pointer) {
  std::string out;
  std::string at;
  const std::vector<std::string> tokens = tokens_of(pointer);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    at = child_pointer(at, tokens[i]);
    std::string name = tokens[i];
    const Json::json_pointer named(at + "/name");
    if (i == 1 && tokens[0] == "resource" && root.contains(named) && root[named].is_string()) {
      name = root[named];
    }
    out += (out.empty() ? "" : ".") + to_toml_key(name);
  }
  return out;
}

Error mistakes_error(const std::vector<Mistake>& mistakes) {
  Error error{Code::kInvalidArgument, "", kHint};
  error.tag = "ConfigError";
  for (const Mistake& mistake : mistakes) {
    const std::string place = mistake.place.text();
    const std::string message = mistake.message + (mistake.hint.empty() ? "" : "; " + mistake.hint);
    error.message +=
        (error.message.empty() ? "" : "\n") + (place.empty() ? "" : place + ": ") + message;
    error.details.push_back({place, message});
  }
  return error;
}

}  // namespace quarry::config
