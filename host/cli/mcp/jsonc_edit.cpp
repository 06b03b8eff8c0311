#include "cli/mcp/jsonc_edit.h"

#include "base/text.h"

#include <algorithm>

namespace quarry::cli {
namespace {

std::string quoted_name(std::string_view text) {
  return to_text(Json(text));
}

/// Indentation of the text: the white space before its first member on a separate line.
std::string indentation_of(std::string_view text, const JsoncNode& root) {
  if (root.members.empty()) return "  ";
  const std::size_t begin = root.members.front().begin;
  const std::size_t newline = text.rfind('\n', begin);
  if (newline == std::string_view::npos || newline < root.begin) return "  ";
  const std::string_view before = text.substr(newline + 1, begin - newline - 1);
  const bool blank = before.find_first_not_of(" \t") == std::string_view::npos;
  return blank && !before.empty() ? std::string(before) : "  ";
}

bool has_lines(std::string_view text, const JsoncNode& node) {
  return text.substr(node.begin, node.end - node.begin).find('\n') != std::string_view::npos;
}

}  // namespace

Result<JsoncEdit> JsoncEdit::of(std::string text, JsonDialect dialect, std::filesystem::path file) {
  JsoncEdit edit(std::move(text), dialect, std::move(file));
  if (const Status parsed = edit.parse(); !parsed) return parsed.error();
  if (edit.root_.begin == edit.root_.end) {
    if (!edit.text_.empty() && !edit.text_.ends_with('\n')) edit.text_ += '\n';
    edit.text_ += "{}\n";
    if (const Status parsed = edit.parse(); !parsed) return parsed.error();
  }
  return edit;
}

Status JsoncEdit::parse() {
  auto root = parse_jsonc(text_, dialect_, file_);
  if (!root) return std::move(root).error();
  if (!root->value.is_object()) {
    return Error{Code::kInvalidArgument, file_.string() + ": not an object",
                 "Correct the file first; nothing was written."};
  }
  root_ = std::move(*root);
  return {};
}

/// A line end and the indentation for `depth`.
std::string JsoncEdit::line(std::size_t depth) const {
  std::string out = text_.find("\r\n") == std::string::npos ? "\n" : "\r\n";
  const std::string step = indentation_of(text_, root_);
  for (std::size_t i = 0; i < depth; ++i) out += step;
  return out;
}

std::string JsoncEdit::rendered(const Json& value, std::size_t depth) const {
  if (!value.is_object() || value.empty()) {
    std::string out = value.is_array() ? "[" : to_text(value);
    if (!value.is_array()) return out;
    for (const Json& item : value) out += (out.size() > 1 ? ", " : "") + rendered(item, depth);
    return out + "]";
  }
  std::string out = "{";
  for (const auto& [name, member] : value.items()) {
    out += (out.size() > 1 ? "," : "") + line(depth + 1) + quoted_name(name) + ": " +
           rendered(member, depth + 1);
  }
  return out + line(depth) + "}";
}

Status JsoncEdit::merge(const Path& path, const Json& wanted) {
  const JsoncNode* node = &root_;
  for (const std::string& name : path) node = node != nullptr ? node->member(name) : nullptr;
  if (node == nullptr) return set(path, wanted);
  for (const auto& [name, value] : wanted.items()) {
    Path child = path;
    child.push_back(name);
    // The nodes are parsed again after each change.
    const Status done = value.is_object() ? merge(child, value) : set(child, value);
    if (!done) return done;
  }
  return {};
}

Status JsoncEdit::set(const Path& path, const Json& value) {
  const JsoncNode* node = &root_;
  for (std::size_t depth = 0; depth < path.size(); ++depth) {
    if (!node->value.is_object()) {
      return Error{Code::kInvalidArgument,
                   file_.string() + ": " +
                       join(std::vector(path.begin(), path.begin() + std::ptrdiff_t(depth)), ".") +
                       " is not an object",
                   "Correct the file first; nothing was written."};
    }
    const JsoncNode* next = node->member(path[depth]);
    if (next == nullptr) {
      Json made = value;
      for (std::size_t i = path.size() - 1; i > depth; --i) made = Json{{path[i], made}};
      insert(*node, depth + 1, path[depth], made);
      return parse();
    }
    node = next;
  }
  if (node->value == value) return {};
  text_.replace(node->begin, node->end - node->begin, rendered(value, path.size()));
  return parse();
}

Status JsoncEdit::append(const Path& path, const Json& item) {
  const JsoncNode* node = &root_;
  for (const std::string& name : path) node = node != nullptr ? node->member(name) : nullptr;
  Json list = node != nullptr ? node->value : Json::array();
  if (!list.is_array()) {
    return Error{Code::kInvalidArgument, file_.string() + ": " + join(path, ".") + " is not a list",
                 "Correct the file first; nothing was written."};
  }
  if (list.empty()) return set(path, Json::array({item}));
  // Inserts before the first item, so that the text after it need not be examined.
  const std::size_t depth = path.size() + 1;
  const std::string made = has_lines(text_, *node) ? line(depth) + rendered(item, depth) + ','
                                                   : rendered(item, depth) + ", ";
  text_.insert(node->begin + 1, made);
  return parse();
}

/// Appends a member to an object whose members are at `depth`.
void JsoncEdit::insert(const JsoncNode& object, std::size_t depth, const std::string& name,
                       const Json& value) {
  const std::string member = quoted_name(name) + ": " + rendered(value, depth);
  if (object.members.empty()) return insert_first(object, depth, member);
  const std::size_t end = object.members.back().value.end;
  const bool lines = has_lines(text_, object);
  const std::size_t next = skip_blank(end, true);
  const bool comma = text_[next] == ',';
  if (!lines) {
    text_.insert(comma ? next + 1 : end, (comma ? " " : ", ") + member);
    return;
  }
  // Keeps a comment that ends on the line of the last member there.
  const std::size_t behind = skip_blank(comma ? next + 1 : end, false);
  text_.insert(behind, line(depth) + member);
  if (!comma) text_.insert(end, ",");
}

void JsoncEdit::insert_first(const JsoncNode& object, std::size_t depth,
                             const std::string& member) {
  const std::size_t inside = object.begin + 1;
  const bool blank = text_.find_first_not_of(" \t\r\n", inside) == object.end - 1;
  if (blank) {
    text_.replace(inside, object.end - 1 - inside, line(depth) + member + line(depth - 1));
  } else {
    text_.insert(inside, line(depth) + member);
  }
}

/// The first byte from `at` that is neither white space nor in a comment. Without `lines`, within
/// this line only: the end of the line if there is none, and `at` if a comment continues beyond it.
std::size_t JsoncEdit::skip_blank(std::size_t at, bool lines) const {
  const std::size_t from = at;
  const char* const blanks = lines ? " \t\r\n" : " \t";
  for (;;) {
    at = std::min(text_.find_first_not_of(blanks, at), text_.size());
    const std::string_view rest = std::string_view(text_).substr(at);
    std::size_t end = at;
    if (rest.starts_with("//")) {
      end = std::min(text_.find('\n', at), text_.size());
      if (end > at && text_[end - 1] == '\r') --end;
    } else if (rest.starts_with("/*")) {
      end = text_.find("*/", at) + 2;
    }
    if (!lines && end > at && text_.substr(at, end - at).find('\n') != std::string::npos) {
      return from;
    }
    if (end == at) break;
    at = end;
  }
  const bool line_end = at == text_.size() || text_[at] == '\n' || text_[at] == '\r';
  return lines || line_end ? at : from;
}

Status JsoncEdit::remove(const Path& path) {
  const JsoncNode* node = &root_;
  for (std::size_t i = 0; i + 1 < path.size() && node != nullptr; ++i) node = node->member(path[i]);
  if (node == nullptr || node->member(path.back()) == nullptr) return {};
  const auto& members = node->members;
  const auto found = std::ranges::find(members, path.back(), &JsoncMember::name);
  const std::size_t next = skip_blank(found->value.end, true);
  const bool comma = text_[next] == ',';
  erase(found->begin, comma ? next + 1 : found->value.end);
  if (!comma && found != members.begin()) {
    text_.erase(skip_blank((found - 1)->value.end, true), 1);  // the comma before it
  }
  return parse();
}

/// Also removes lines that become empty.
void JsoncEdit::erase(std::size_t begin, std::size_t end) {
  const std::size_t start = begin == 0 ? 0 : text_.rfind('\n', begin - 1) + 1;
  const std::size_t newline = text_.find('\n', end);
  const auto blank = [&](std::size_t from, std::size_t to) {
    return trim(std::string_view(text_).substr(from, to - from)).empty();
  };
  if (newline != std::string::npos && blank(start, begin) && blank(end, newline)) {
    begin = start;
    end = newline + 1;
  } else {
    end = std::min(text_.find_first_not_of(" \t", end), text_.size());
  }
  text_.erase(begin, end - begin);
}

}  // namespace quarry::cli
