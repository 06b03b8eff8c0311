#include "cli/mcp/jsonc.h"

#include <algorithm>
#include <optional>

namespace quarry::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Parses values in sequence. Stops at the first mistake, which `wrong()` returns.
class Reader {
 public:
  Reader(std::string_view text, JsonDialect dialect)
      : text_(text), comments_(dialect == JsonDialect::kWithComments) {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  }

  JsoncNode document() {
    skip();
    if (at_ == text_.size() && !wrong_) return {at_, at_, Json::object(), {}};
    JsoncNode node = value(0);
    skip();
    if (!wrong_ && at_ < text_.size()) fail("something follows the value");
    return node;
  }

  [[nodiscard]] const std::optional<std::string>& wrong() const { return wrong_; }
  /// Position of the mistake or the end of parsing.
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  void fail(std::string what) {
    if (!wrong_) wrong_ = std::move(what);
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (wrong_ || peek() != c) return false;
    ++at_;
    return true;
  }

  /// Skips white space and comments.
  void skip() {
    while (!wrong_) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      if (peek() != '/') return;
      if (!comments_) return fail("this file may have no comments");
      const std::string_view two = text_.substr(at_, 2);
      if (two != "//" && two != "/*") return fail("a single /");
      const std::size_t end = two == "//" ? text_.find('\n', at_) : text_.find("*/", at_ + 2);
      if (two == "/*" && end == std::string_view::npos) return fail("a comment that does not end");
      at_ = std::min(two == "//" ? end : end + 2, text_.size());
    }
  }

  JsoncNode value(std::size_t depth) {
    if (depth > kMaxJsonDepth) fail("it nests too deep");
    if (wrong_) return {};
    if (peek() == '{') return object(depth);
    if (peek() == '[') return list(depth);
    return scalar();
  }

  /// Calls `one` at each item between the opening bracket and `close`.
  template <class One>
  void items(char close, const One& one) {
    ++at_;
    skip();
    while (!wrong_ && !take(close)) {
      one();
      skip();
      const bool more = take(',');
      skip();
      if (wrong_ || (!more && take(close))) return;
      if (!more) return fail(close == '}' ? "a comma or } is missing" : "a comma or ] is missing");
      if (peek() == close && !comments_) return fail("a comma before the end");
    }
  }

  JsoncNode object(std::size_t depth) {
    JsoncNode out{at_, at_, Json::object(), {}};
    items('}', [&] {
      JsoncMember member{{}, at_, {}};
      if (peek() != '"') return fail("a name in quotes is missing");
      const Json name = scalar().value;
      if (wrong_) return;
      member.name = name.get<std::string>();
      if (out.value.contains(member.name)) {
        at_ = member.begin;
        return fail('"' + member.name + "\" appears twice");
      }
      skip();
      if (!take(':')) return fail("a colon is missing");
      skip();
      member.value = value(depth + 1);
      out.value[member.name] = member.value.value;
      out.members.push_back(std::move(member));
    });
    out.end = at_;
    return out;
  }

  JsoncNode list(std::size_t depth) {
    JsoncNode out{at_, at_, Json::array(), {}};
    items(']', [&] { out.value.push_back(value(depth + 1).value); });
    out.end = at_;
    return out;
  }

  /// Parses a string, a number, true, false or null.
  JsoncNode scalar() {
    const std::size_t begin = at_;
    const std::size_t end = peek() == '"' ? end_of_string() : end_of_word();
    auto parsed = end > begin ? parse_json(text_.substr(begin, end - begin))
                              : Result<Json>(Error{Code::kInvalidArgument, ""});
    if (!parsed) {
      fail(end > begin ? "no value of JSON" : "a value is missing");
      return {};
    }
    at_ = end;
    return {begin, end, std::move(*parsed), {}};
  }
  [[nodiscard]] std::size_t end_of_string() const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, text_.size());
  }
  [[nodiscard]] std::size_t end_of_word() const {
    return std::min(text_.find_first_of(" \t\r\n,:{}[]\"/", at_), text_.size());
  }

  std::string_view text_;
  const bool comments_;
  std::size_t at_ = 0;
  std::optional<std::string> wrong_;
};

/// "line:column" of a byte, the column in code points.
std::string place_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::string_view in_line = before.substr(before.rfind('\n') + 1);
  const auto column =
      std::ranges::count_if(in_line, [](unsigned char c) { return (c & 0xC0) != 0x80; }) + 1;
  return std::to_string(line) + ':' + std::to_string(column);
}

}  // namespace

const JsoncNode* JsoncNode::member(std::string_view name) const {
  const auto found = std::ranges::find(members, name, &JsoncMember::name);
  return found == members.end() ? nullptr : &found->value;
}

Result<JsoncNode> parse_jsonc(std::string_view text, JsonDialect dialect,
                              const std::filesystem::path& file) {
  Reader reader(text, dialect);
  JsoncNode node = reader.document();
  if (!reader.wrong()) return node;
  return Error{
      Code::kInvalidArgument,
      file.string() + ':' + place_of(text, reader.at()) + ": not valid JSON: " + *reader.wrong(),
      "Correct the file first; nothing was written."};
}

}  // namespace quarry::cli
