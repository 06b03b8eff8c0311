#include "ask/call_elements.h"

#include "base/json.h"
#include "base/text.h"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace {

void add_attributes(std::string_view text, Json& arguments) {
  constexpr std::string_view kBegin = "=\"";
  for (std::size_t at = 0; (at = text.find(kBegin)) != text.npos;) {
    const std::size_t end = text.find('"', at + kBegin.size());
    if (end == text.npos) return;
    arguments[std::string(trim(text.substr(0, at)))] =
        std::string(text.substr(at + kBegin.size(), end - at - kBegin.size()));
    text.remove_prefix(end + 1);
  }
}

/// Adds the texts of the elements in `text` under their names.
void add_elements(std::string_view text, Json& arguments) {
  for (std::size_t at = 0; (at = text.find('<')) != text.npos;) {
    text.remove_prefix(at + 1);
    const std::string_view key = text.substr(0, text.find_first_of("<>"));
    const bool is_tag = text.substr(key.size()).starts_with('>');
    if (!is_tag || key.empty() || key.front() == '/') continue;
    const std::string_view value = text.substr(key.size() + 1);
    const std::size_t end = value.find("</" + std::string(key) + ">");
    if (end == value.npos) return;
    arguments[std::string(key)] = std::string(trim(value.substr(0, end)));
    text = value.substr(end + 2);
  }
}

/// The text of the first element `name` in `text`; empty if there is none.
std::string_view inside(std::string_view text, std::string_view name) {
  const std::string begin = "<" + std::string(name) + ">";
  const std::size_t at = text.find(begin);
  if (at == text.npos) return {};
  text.remove_prefix(at + begin.size());
  return text.substr(0, text.find("</" + std::string(name) + ">"));
}

}  // namespace

void add_parameter_call(std::string_view element, const ToolNames& tools,
                        std::vector<TextCall>& calls) {
  const std::size_t end = element.find('>');
  if (end == element.npos) return;
  std::string name(element.substr(0, end));
  name = name.substr(name.find('=') + 1);
  const std::string known(tools.find(name));
  const std::string_view body = element.substr(end + 1);
  Json arguments = Json::object();
  if (const std::string_view object = trim(body); object.starts_with('{')) {
    auto json = parse_loosely(object.substr(0, size_of_json(object)));
    if (!json || !json->is_object()) return;
    arguments = std::move(*json);
  }
  for (std::size_t at = 0; (at = body.find("<parameter", at)) != body.npos;) {
    const std::size_t open = body.find('>', at);
    if (open == body.npos) return;
    std::string key(body.substr(at, open - at));
    key = key.substr(std::min(key.find('=') + 1, key.size()));
    std::erase(key, '"');
    const std::string_view before_next = body.substr(0, body.find("<parameter", open));
    const std::size_t close = std::min(before_next.find("</parameter>", open), before_next.size());
    std::string_view value = body.substr(open + 1, close - open - 1);
    if (value.starts_with('\n')) value.remove_prefix(1);
    if (value.ends_with('\n')) value.remove_suffix(1);
    arguments[key.substr(0, key.find(' '))] = std::string(value);
    at = open;
  }
  std::erase(name, '"');
  calls.push_back({known.empty() ? name : known, to_text(arguments)});
}

void add_pairs_call(std::string_view body, const ToolNames& tools, std::vector<TextCall>& calls) {
  constexpr std::string_view kKey = "<arg_key>";
  constexpr std::string_view kValue = "<arg_value>";
  std::size_t at = body.find(kKey);
  const std::string_view name = trim(body.substr(0, at));
  Json arguments = Json::object();
  while (at != body.npos) {
    const std::size_t key_end = body.find('<', at + kKey.size());
    const std::size_t value = body.find(kValue, at);
    if (key_end == body.npos || value == body.npos) return;
    const std::size_t next = body.find(kKey, value);
    const std::size_t value_end =
        std::min({body.substr(0, next).find("</arg_value>", value), next, body.size()});
    const std::size_t begin = value + kValue.size();
    arguments[std::string(trim(body.substr(at + kKey.size(), key_end - at - kKey.size())))] =
        std::string(body.substr(begin, value_end - begin));
    at = next;
  }
  if (!name.empty()) calls.push_back({tools.meant_by(name), to_text(arguments)});
}

void add_named_call(std::string_view body, const ToolNames& tools, std::vector<TextCall>& calls) {
  const std::string_view name = trim(inside(body, "tool_name"));
  Json arguments = Json::object();
  if (const std::string_view object = trim(inside(body, "arguments")); !object.empty()) {
    auto json = parse_loosely(object);
    if (!json || !json->is_object()) return;
    arguments = std::move(*json);
  }
  add_elements(inside(body, "parameters"), arguments);
  if (!name.empty()) calls.push_back({tools.meant_by(name), to_text(arguments)});
}

void add_tool_elements(std::string_view text, const ToolNames& tools,
                       std::vector<TextCall>& calls) {
  while (text.starts_with('<')) {
    const std::size_t open = text.find('>');
    if (open == text.npos) return;
    const std::string_view tag = text.substr(1, open - 1);
    const std::string_view name = tag.substr(0, tag.find_first_of(" \t\r\n/"));
    const std::string_view known = tools.find(name);
    if (known.empty()) return;
    const std::string closing = "</" + std::string(name) + ">";
    const bool is_empty = tag.ends_with('/');
    const std::size_t close = is_empty ? open + 1 : std::min(text.find(closing, open), text.size());
    Json arguments = Json::object();
    add_attributes(tag.substr(name.size()), arguments);
    add_elements(text.substr(open + 1, close - open - 1), arguments);
    calls.push_back({std::string(known), to_text(arguments)});
    text = trim(text.substr(std::min(close + (is_empty ? 0 : closing.size()), text.size())));
  }
}

}  // namespace quarry::ask
