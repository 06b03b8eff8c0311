#include "base/json_writer.h"

#include "base/json.h"

#include <algorithm>
#include <cassert>
#include <charconv>

namespace quarry {
namespace {

[[maybe_unused]] bool needs_no_escape(std::string_view name) {
  return std::ranges::none_of(name,
                              [](unsigned char c) { return c < 0x20 || c == '"' || c == '\\'; });
}

template <class Number>
void append_number(std::string& out, Number number) {
  char digits[20];  // enough for the smallest int64_t and the largest uint64_t
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace

JsonWriter& JsonWriter::raw(std::string_view json) {
  assert(!json.empty());
  begin_item();
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view name, std::string_view json) {
  assert(!json.empty());
  begin_member(name);
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::raw_array(std::string_view name, std::span<const std::string> items) {
  return array(name, [&] {
    for (const std::string& json : items) raw(json);
  });
}

JsonWriter& JsonWriter::raw_members(std::string_view object) {
  assert(place_ == Place::kObject);
  if (object.empty() || object == "{}") return *this;
  assert(object.front() == '{' && object.back() == '}');
  separate();
  out_ += object.substr(1, object.size() - 2);
  return *this;
}

void JsonWriter::begin_item() {
  assert(place_ == Place::kArray || (place_ == Place::kOutside && first_));
  separate();
}

void JsonWriter::begin_member(std::string_view name) {
  assert(place_ == Place::kObject);
  assert(needs_no_escape(name));
  separate();
  out_ += '"';
  out_ += name;
  out_ += "\":";
}

void JsonWriter::separate() {
  if (!first_) out_ += ',';
  first_ = false;
}

void JsonWriter::write_piece(std::string_view piece) {
  append_escaped(out_, piece);
}

void JsonWriter::write(std::string_view text) {
  append_quoted(out_, text);
}

void JsonWriter::write(std::span<const std::string> texts) {
  const auto items = [&] {
    for (const std::string& text : texts) item(text);
  };
  nest(Place::kArray, '[', items, ']');
}

void JsonWriter::write(Money amount) {
  out_ += to_decimal(amount);
}

void JsonWriter::write_signed(std::int64_t number) {
  append_number(out_, number);
}

void JsonWriter::write_unsigned(std::uint64_t number) {
  append_number(out_, number);
}

}  // namespace quarry
