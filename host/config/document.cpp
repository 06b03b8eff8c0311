#include "config/document.h"

#include "config/nesting.h"

#include <algorithm>
#include <sstream>

#include <toml++/toml.h>

namespace quarry::config {
namespace {

/// Byte offsets of positions that toml++ reports as line and code point.
class Offsets {
 public:
  explicit Offsets(std::string_view text) : text_(text) {
    lines_.push_back({0, 0});
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (begins_code_point(i) && code_points_++ % kStep == 0) steps_.push_back(i);
      if (text[i] == '\n') lines_.push_back({i + 1, code_points_});
    }
  }
  std::size_t line(const toml::source_position& position) const {
    return start_of(position).offset;
  }
  /// At most kStep code points are walked, however long the line is.
  std::size_t at(const toml::source_position& position) const {
    const std::size_t code_point =
        start_of(position).code_point + std::max<std::size_t>(position.column, 1) - 1;
    if (code_point >= code_points_) return text_.size();
    std::size_t offset = steps_[code_point / kStep];
    for (std::size_t left = code_point % kStep; left > 0; --left) {
      do ++offset;
      while (offset < text_.size() && !begins_code_point(offset));
    }
    return offset;
  }

 private:
  static constexpr std::size_t kStep = 64;
  struct Start {
    std::size_t offset;
    std::size_t code_point;  ///< from 0
  };

  bool begins_code_point(std::size_t offset) const {
    return (static_cast<unsigned char>(text_[offset]) & 0xC0) != 0x80;
  }
  Start start_of(const toml::source_position& position) const {
    return lines_[std::min<std::size_t>(position.line, lines_.size()) - 1];
  }

  std::string_view text_;
  std::vector<Start> lines_;
  std::vector<std::size_t> steps_;  ///< offset of every kStep-th code point
  std::size_t code_points_ = 0;
};

class Converter {
 public:
  Converter(std::string_view text, const std::filesystem::path& file, Document& out)
      : offsets_(text), file_(file), out_(out) {}

  Json convert(const toml::node& node, const std::string& at) {
    if (const toml::table* table = node.as_table()) return object(*table, at);
    if (const toml::array* array = node.as_array()) return list(*array, at);
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return number->get();
    if (const auto* number = node.as_floating_point()) return number->get();
    if (const auto* truth = node.as_boolean()) return truth->get();
    std::ostringstream text;
    node.visit([&](const auto& value) {
      if constexpr (toml::is_chronological<decltype(value)>) text << value.get();
    });
    return text.str();
  }

 private:
  void place(const std::string& at, const toml::source_position& position) {
    out_.places[at] = {file_, position.line, position.column};
  }

  void remember(const toml::node& node, const std::string& at) {
    const toml::source_region& region = node.source();
    const toml::table* table = node.as_table();
    if (table != nullptr && !table->is_inline()) {
      out_.headers[at] = offsets_.line(region.begin);
    } else if (const toml::array* array = node.as_array();
               array == nullptr || array->empty() || !written_with_headers(*array)) {
      out_.values[at] = {offsets_.at(region.begin), offsets_.at(region.end)};
    }
  }

  static bool written_with_headers(const toml::array& array) {
    const toml::table* first = array.front().as_table();
    return first != nullptr && !first->is_inline();
  }

  Json object(const toml::table& table, const std::string& at) {
    Json out = Json::object();
    for (const auto& [key, value] : table) {
      const std::string child = child_pointer(at, key.str());
      place(child, key.source().begin);
      remember(value, child);
      out[std::string(key.str())] = convert(value, child);
    }
    return out;
  }

  Json list(const toml::array& array, const std::string& at) {
    Json out = Json::array();
    for (const toml::node& item : array) {
      const std::string child = at + '/' + std::to_string(out.size());
      place(child, item.source().begin);
      remember(item, child);
      out.push_back(convert(item, child));
    }
    return out;
  }

  Offsets offsets_;
  const std::filesystem::path& file_;
  Document& out_;
};

Error not_toml(const Place& place, const std::string& cause, Place* out) {
  if (out != nullptr) *out = place;
  Error failure{Code::kInvalidArgument, place.text() + ": not valid TOML: " + cause,
                "Correct the file; \"quarry config check\" checks it."};
  failure.tag = "ConfigError";
  failure.details.push_back({place.text(), cause});
  return failure;
}

bool is_bare(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

}  // namespace

Result<Document> parse_document(std::string_view text, const std::filesystem::path& file,
                                Place* place) {
  if (const auto deep = nested_too_deep(text)) {
    return not_toml({file, deep->line, deep->column},
                    "nested deeper than " + std::to_string(kMaxNesting) + " levels", place);
  }
  Document document;
  try {
    const toml::table root = toml::parse(text, file.string());
    document.root = Converter(text, file, document).convert(root, "");
    return document;
  } catch (const toml::parse_error& error) {
    const auto begin = error.source().begin;
    return not_toml({file, begin.line, begin.column}, std::string(error.description()), place);
  }
}

std::string to_toml_key(std::string_view name) {
  return is_bare(name) ? std::string(name) : to_toml(std::string(name));
}

Json parse_value(std::string_view text) {
  const auto parsed = parse_document("value = " + std::string(text), {});
  return parsed && parsed->root.size() == 1 ? parsed->root["value"] : Json(text);
}

std::string to_toml(const Json& value) {
  if (value.is_object()) {
    std::string out = "{";
    for (const auto& [name, member] : value.items()) {
      out += (out.size() > 1 ? ", " : " ") + to_toml_key(name) + " = " + to_toml(member);
    }
    return out + (out.size() > 1 ? " }" : "}");
  }
  if (value.is_array()) {
    std::string out = "[";
    for (const Json& item : value) out += (out.size() > 1 ? ", " : "") + to_toml(item);
    return out + "]";
  }
  std::string out = to_text(value);
  // JSON allows DEL in a string, TOML does not.
  for (std::size_t i = 0; (i = out.find('\x7f', i)) != std::string::npos;) {
    out.replace(i, 1, "\\u007F");
  }
  return out;
}

}  // namespace quarry::config
