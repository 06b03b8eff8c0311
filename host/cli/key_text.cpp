#include "cli/key_text.h"

#include "base/text.h"
#include "cli/text_table.h"

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <re2/re2.h>

namespace quarry::cli {
namespace {

/// "a, b or c"
std::string alternatives(const std::vector<std::string>& texts, std::string_view last = " or ") {
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool is_last = i + 1 == texts.size();
    out += (i == 0 ? "" : is_last ? std::string(last) : ", ") + texts[i];
  }
  return out;
}

std::string number(const Json& value) {
  return value.is_number_integer() ? grouped(value) : value.dump();
}

std::string in_quotes(const Json& value) {
  return "`" + to_text(value) + "`";
}

/// ", 1 to 64" of `least` and `most`, each of which may be missing.
std::string range(const Json& schema, const char* least, const char* most, const char* unit) {
  const bool has_least = schema.contains(least) && schema[least] != 1;
  const bool has_most = schema.contains(most);
  if (has_most && schema.contains(least)) {
    return ", " + number(schema[least]) + " to " + number(schema[most]) + unit;
  }
  if (has_most) return ", at most " + number(schema[most]) + unit;
  return has_least || (schema.contains(least) && *unit == '\0')
             ? ", at least " + number(schema[least]) + unit
             : "";
}

std::string items_text(const Json& schema) {
  const Json items = schema.value("items", Json::object());
  std::string out = "list of texts";
  if (schema.contains("maxItems")) out += range(schema, "minItems", "maxItems", "");
  if (!items.contains("maxLength")) return out;
  return out + (schema.contains("maxItems") ? " of" : ", each") + " at most " +
         number(items["maxLength"]) + " characters";
}

std::string members_text(const Json& schema) {
  const Json members = schema.value("additionalProperties", Json());
  if (!members.is_object() || members.value("type", Json()) != "string") return "table";
  if (!members.contains("maxLength")) return "table of texts";
  return "table of texts, each at most " + number(members["maxLength"]) + " characters";
}

std::string word_of(const std::string& type, const Json& schema) {
  if (type == "string") return schema.value("format", "") == "decimal" ? "decimal text" : "text";
  if (type == "array") return items_text(schema);
  if (type == "object") return members_text(schema);
  return type;
}

std::string any_of_text(const Json& schema) {
  std::vector<std::string> texts;
  bool has_range = false;
  for (const Json& option : schema["anyOf"]) {
    texts.push_back(type_text(option));
    has_range |= texts.back().find(',') != std::string::npos;
  }
  return alternatives(texts, has_range ? "; or " : " or ");
}

}  // namespace

std::string type_text(const Json& schema) {
  if (schema.value("writeOnly", false)) return "secret";
  if (schema.contains("anyOf")) return any_of_text(schema);
  std::vector<std::string> words;
  for (const Json& value : schema.value("enum", Json::array())) words.push_back(in_quotes(value));
  if (!words.empty()) return alternatives(words);
  const Json type = schema.value("type", Json::array());
  for (const Json& name : type.is_array() ? type : Json::array({type})) {
    if (name != "null") words.push_back(word_of(name, schema));
  }
  std::string out = alternatives(words);
  if (schema.contains("maxLength"))
    out += ", at most " + number(schema["maxLength"]) + " characters";
  return out + range(schema, "minimum", "maximum", "");
}

std::string default_text(const Json& schema, bool required) {
  if (required) return "required";
  if (schema.contains("defaultDescription")) return schema["defaultDescription"];
  return schema.contains("default") ? in_quotes(schema["default"]) : "—";
}

std::string trust_text(std::string_view rule) {
  static constexpr std::pair<std::string_view, const char*> kRules[] = {
      {"plain", "any value without a table in it"},
      {"new", "a name that no resource of your own files has"},
      {"https", "an https URL"},
      {"beneath", "an absolute path beneath the file's own directory"},
      {"lower", "no higher than the value without the file"}};
  for (const auto& [name, text] : kRules) {
    if (name == rule) return text;
  }
  return "refused";
}

std::string plain_text(std::string_view markdown) {
  std::string out(markdown);
  static const re2::RE2 kLink(R"(\[([^\]]+)\]\([^)]*\))");
  re2::RE2::GlobalReplace(&out, kLink, "\\1");
  std::erase(out, '`');
  return out;
}

}  // namespace quarry::cli
