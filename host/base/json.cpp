#include "base/json.h"

#include "base/json_member.h"
#include "base/utf8.h"

#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

namespace quarry {
namespace {

Error at(std::size_t position, std::string_view what) {
  return {Code::kInvalidArgument,
          "not valid JSON at byte " + std::to_string(position) + ": " + std::string(what)};
}

/// Builds the DOM and rejects input that nlohmann's own parser accepts.
class StrictBuilder final : public nlohmann::json_sax<Json> {
 public:
  explicit StrictBuilder(Json& root) : dom_(root, false) {}

  bool null() override { return dom_.null(); }
  bool boolean(bool value) override { return dom_.boolean(value); }
  bool number_integer(number_integer_t value) override { return dom_.number_integer(value); }
  bool number_unsigned(number_unsigned_t value) override { return dom_.number_unsigned(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    if (!std::isfinite(value)) return refuse("the number " + text + " is out of range");
    return dom_.number_float(value, text);
  }
  bool string(string_t& value) override { return dom_.string(value); }
  bool binary(binary_t& value) override { return dom_.binary(value); }
  bool start_object(std::size_t size) override {
    keys_.emplace_back();
    return enter() && dom_.start_object(size);
  }
  bool key(string_t& name) override {
    if (name.find('\0') != string_t::npos) return refuse("a key contains NUL");
    if (!keys_.back().insert(name).second) return refuse("the key \"" + name + "\" appears twice");
    return dom_.key(name);
  }
  bool end_object() override {
    keys_.pop_back();
    --depth_;
    return dom_.end_object();
  }
  bool start_array(std::size_t size) override { return enter() && dom_.start_array(size); }
  bool end_array() override {
    --depth_;
    return dom_.end_array();
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    position_ = position;
    reason_ = error.what();
    if (const auto colon = reason_.rfind(": "); colon != std::string::npos) {
      reason_.erase(0, colon + 2);
    }
    return false;
  }

  std::size_t position() const { return position_; }
  const std::string& reason() const { return reason_; }

 private:
  bool enter() {
    return ++depth_ <= kMaxJsonDepth ||
           refuse("nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
  }
  bool refuse(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }

  nlohmann::detail::json_sax_dom_parser<Json> dom_;
  /// Of the open objects. Not by hashes, which the author of a text could make equal.
  std::vector<std::set<std::string>> keys_;
  std::size_t depth_ = 0;
  std::size_t position_ = 0;
  std::string reason_;
};

/// Counts the bytes that the parser has consumed, so that errors of StrictBuilder have a position.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** last) : at_(at), last_(last) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *last_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** last_;
};

}  // namespace

Result<Json> parse_json(std::string_view text) {
  // The parser takes NUL for the end of the text.
  if (const auto nul = text.find('\0'); nul != text.npos) return at(nul + 1, "NUL");
  Json root;
  StrictBuilder builder(root);
  const char* last = text.data();
  const bool parsed = Json::sax_parse(CountingIterator(text.data(), &last),
                                      CountingIterator(text.data() + text.size(), &last), &builder);
  if (parsed) return root;
  const auto consumed = static_cast<std::size_t>(last - text.data());
  return at(builder.position() != 0 ? builder.position() : consumed, builder.reason());
}

std::string to_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append_quoted(std::string& out, std::string_view text) {
  out.reserve(out.size() + text.size() + 2);
  out += '"';
  append_escaped(out, text);
  out += '"';
}

void append_escaped(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  const std::string repaired = is_utf8(text) ? std::string() : to_utf8(text);
  if (!repaired.empty()) text = repaired;
  out.reserve(out.size() + text.size());
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text, plain, i - plain);
    plain = i + 1;
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += "\\u00";
        out += kHex[c >> 4];
        out += kHex[c & 15];
    }
  }
  out.append(text, plain);
}

std::string json_string(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

const Json* find_member(const Json& value, const char* name) {
  const auto found = value.find(name);
  return found == value.end() || found->is_null() ? nullptr : &*found;
}

std::string text_of(const Json& value, const char* name) {
  const Json* const member = find_member(value, name);
  return member != nullptr && member->is_string() ? member->get<std::string>() : std::string();
}

}  // namespace quarry
