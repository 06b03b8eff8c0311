#include "ask/function_calls.h"

#include "ask/call_markup.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace {

constexpr int kDeepest = 32;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_of_name(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

std::size_t size_of_name(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return 0;
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_of_name) - text.begin());
}

/// A reader of calls that stops at the first mistake.
class FunctionReader {
 public:
  explicit FunctionReader(std::string_view text) : rest_(text) {}

  std::optional<std::vector<TextCall>> read() {
    std::vector<TextCall> out;
    const bool listed = take("[");
    while (!failed_ && !at_end(listed)) {
      out.push_back(call());
      while (take(",") || take(";")) {
      }
    }
    skip_blanks();
    if (failed_ || out.empty() || !rest_.empty()) return std::nullopt;
    return out;
  }

  std::optional<Json> read_value() {
    Json out = value();
    skip_blanks();
    return failed_ || !rest_.empty() ? std::nullopt : std::optional(std::move(out));
  }

 private:
  bool at_end(bool listed) {
    skip_blanks();
    return listed ? take("]") : rest_.empty();
  }

  TextCall call() {
    const bool printed = take("print(");
    take("call:");
    std::string name = this->name();
    while (take(":")) name = this->name();  // "call:read:read{"
    constexpr std::string_view kCall = ".call";
    if (name.ends_with(kCall)) name.resize(name.size() - kCall.size());
    Json arguments = Json::object();
    if (take("(")) {
      arguments = pairs('=', ")");
    } else {
      need("{");
      arguments = pairs(':', "}");
    }
    if (printed) need(")");
    return {std::move(name), failed_ ? std::string() : to_text(arguments)};
  }

  /// `a=1, b=2)` or `a: 1, b: 2}`.
  Json pairs(char between, std::string_view end) {
    Json out = Json::object();
    if (++depth_ > kDeepest) failed_ = true;
    while (!failed_ && !take(end)) {
      std::string key = this->key();
      need({&between, 1});
      out[std::move(key)] = value();
      if (!take(",") && !ends_with(end)) failed_ = true;
    }
    --depth_;
    return out;
  }

  /// The string in quotes that comes next; nullopt if it is something else.
  std::optional<std::string> quoted() {
    skip_blanks();
    for (const std::string_view quote : kQuotes) {
      if (rest_.starts_with(quote)) return string(quote);
    }
    return std::nullopt;
  }

  std::string key() {
    auto text = quoted();
    return text ? std::move(*text) : name();
  }

  Json value() {
    if (auto text = quoted()) return std::move(*text);
    if (take("{")) return pairs(':', "}");
    if (take("[")) return list();
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kWords = {
        {{"True", "true"},
         {"true", "true"},
         {"False", "false"},
         {"false", "false"},
         {"None", "null"},
         {"null", "null"}}};
    for (const auto& [word, json] : kWords) {
      if (take(word)) return *parse_json(json);
    }
    return number();
  }

  Json list() {
    Json out = Json::array();
    if (++depth_ > kDeepest) failed_ = true;
    while (!failed_ && !take("]")) {
      out.push_back(value());
      if (!take(",") && !ends_with("]")) failed_ = true;
    }
    --depth_;
    return out;
  }

  Json number() {
    const std::size_t size = std::min(rest_.find_first_not_of("+-.0123456789eE"), rest_.size());
    auto out = parse_json(rest_.substr(0, size));
    rest_.remove_prefix(size);
    if (out && out->is_number()) return std::move(*out);
    failed_ = true;
    return {};
  }

  std::string string(std::string_view quote) {
    std::string_view inside = rest_.substr(quote.size());
    std::string out;
    for (std::size_t at = 0; at < inside.size(); ++at) {
      if (inside.substr(at).starts_with(quote)) {
        rest_ = inside.substr(at + quote.size());
        return out;
      }
      if (inside[at] != '\\' || quote.size() != 1 || at + 1 == inside.size()) {
        out += inside[at];
        continue;
      }
      constexpr std::string_view kEscaped = "nrt\\'\"";
      constexpr std::string_view kMeant = "\n\r\t\\'\"";
      const std::size_t known = kEscaped.find(inside[++at]);
      if (known == kEscaped.npos) out += '\\';
      out += known == kEscaped.npos ? inside[at] : kMeant[known];
    }
    failed_ = true;
    return out;
  }

  std::string name() {
    skip_blanks();
    const std::size_t size = size_of_name(rest_);
    if (size == 0) failed_ = true;
    const std::string out(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return out;
  }

  bool ends_with(std::string_view end) {
    skip_blanks();
    return rest_.starts_with(end);
  }
  bool take(std::string_view wanted) {
    skip_blanks();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }
  void need(std::string_view wanted) {
    if (!take(wanted)) failed_ = true;
  }
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kWhiteSpace), rest_.size()));
  }

  /// The last two are those of Gemma.
  static constexpr std::array<std::string_view, 4> kQuotes = {"\"", "'", "<|\"|>", "<escape>"};

  std::string_view rest_;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<std::vector<TextCall>> read_function_calls(std::string_view text) {
  return FunctionReader(text).read();
}

std::size_t size_of_json(std::string_view text) {
  if (!text.starts_with('{') && !text.starts_with('[')) return 0;
  std::size_t depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

Result<Json> parse_loosely(std::string_view text) {
  auto strict = parse_json(text);
  if (strict) return strict;
  if (auto loose = FunctionReader(text).read_value()) return std::move(*loose);
  return strict;
}

Result<Json> parse_call_arguments(std::string_view text) {
  if (trim(text).empty()) return Json::object();
  auto whole = parse_json(text);
  if (whole && whole->is_string()) {  // the text of a text
    auto inner = parse_call_arguments(whole->get_ref<const std::string&>());
    if (inner) return inner;
  }
  if (whole) return whole;
  std::string_view rest = trim(text);
  if (rest.starts_with(kBlockMark)) {
    rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
    rest = trim(rest.substr(0, rest.rfind(kBlockMark)));
  }
  std::optional<Json> out;
  while (const std::size_t size = size_of_json(rest)) {
    auto object = parse_loosely(rest.substr(0, size));
    const bool is_next = !out || out->empty() || (object && *object == *out);
    if (!object || !object->is_object() || !is_next) return whole;
    out = std::move(*object);
    rest = trim(rest.substr(size));
  }
  const bool is_over = rest.find_first_not_of("}]") == rest.npos || !closer_at(rest).empty();
  return out && is_over ? Result<Json>(std::move(*out)) : whole;
}

std::optional<bool> begins_as_function_call(std::string_view text) {
  const auto skip = [&](std::size_t size) {
    text.remove_prefix(size);
    text.remove_prefix(std::min(text.find_first_not_of(kWhiteSpace), text.size()));
  };
  skip(0);
  if (text.empty()) return std::nullopt;
  if (text.front() != '[') return false;
  skip(1);
  const std::size_t name = size_of_name(text);
  if (name == text.size()) return std::nullopt;
  if (name == 0 || text[name] != '(') return false;
  skip(name + 1);
  const std::size_t argument = size_of_name(text);
  if (argument > 0) skip(argument);
  if (text.empty()) return std::nullopt;
  return text.front() == (argument > 0 ? '=' : ')');
}

}  // namespace quarry::ask
