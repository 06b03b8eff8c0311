#pragma once

#include "base/decimal.h"

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace quarry {

/// Appends one JSON value to a string: on one line, without a DOM, with the commas and brackets
/// that the calls imply.
///
///     json.object([&] {
///       json.member("type", "citation").member("startLine", 10);
///       json.array("resources", [&] {
///         for (const Resource& each : resources) json.item(each.name);
///       });
///     });
///
/// Asserted: inside an object every value has a name that needs no escaping, elsewhere none has a
/// name, and outside of both there is one value.
///
/// Values are text (written by append_quoted), integers, bool, Money in dollars, spans of texts
/// (written as arrays) and optional values (null if empty). Raw values are JSON already and copied
/// unchecked.
class JsonWriter {
 public:
  /// `out` must outlive the writer.
  explicit JsonWriter(std::string& out) : out_(out) {}
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  /// An object with the members that `fill()` adds.
  template <std::invocable Fill>
  JsonWriter& object(Fill&& fill) {
    begin_item();
    return nest(Place::kObject, '{', fill, '}');
  }
  template <std::invocable Fill>
  JsonWriter& object(std::string_view name, Fill&& fill) {
    begin_member(name);
    return nest(Place::kObject, '{', fill, '}');
  }

  /// An array of the items that `fill()` adds.
  template <std::invocable Fill>
  JsonWriter& array(Fill&& fill) {
    begin_item();
    return nest(Place::kArray, '[', fill, ']');
  }
  template <std::invocable Fill>
  JsonWriter& array(std::string_view name, Fill&& fill) {
    begin_member(name);
    return nest(Place::kArray, '[', fill, ']');
  }

  template <class Value>
  JsonWriter& item(const Value& value) {
    begin_item();
    write(value);
    return *this;
  }
  template <class Value>
  JsonWriter& member(std::string_view name, const Value& value) {
    begin_member(name);
    write(value);
    return *this;
  }

  /// A text that `fill(add)` adds in pieces, each of them UTF-8 on its own.
  template <class Fill>
  JsonWriter& text(std::string_view name, Fill&& fill) {
    begin_member(name);
    out_ += '"';
    fill([this](std::string_view piece) { write_piece(piece); });
    out_ += '"';
    return *this;
  }

  JsonWriter& raw(std::string_view json);
  JsonWriter& raw(std::string_view name, std::string_view json);
  /// An array of raw values.
  JsonWriter& raw_array(std::string_view name, std::span<const std::string> items);
  /// The members of `object`, which is a raw object or empty.
  JsonWriter& raw_members(std::string_view object);

 private:
  /// Container of the next value.
  enum class Place : unsigned char { kOutside, kObject, kArray };

  void begin_item();
  void begin_member(std::string_view name);
  void separate();
  void write_piece(std::string_view piece);

  void write(std::string_view text);
  void write(std::span<const std::string> texts);
  void write(Money amount);
  template <class Value>
  void write(const std::optional<Value>& value) {
    if (value) {
      write(*value);
    } else {
      out_ += "null";
    }
  }
  void write_signed(std::int64_t number);
  void write_unsigned(std::uint64_t number);
  /// Only for bool itself, because pointers convert to it.
  template <std::same_as<bool> Bool>
  void write(Bool value) {
    out_ += value ? "true" : "false";
  }
  /// Not for characters.
  template <std::integral Number>
  requires(sizeof(Number) > 1) void write(Number number) {
    if constexpr (std::signed_integral<Number>) {
      write_signed(number);
    } else {
      write_unsigned(number);
    }
  }

  template <class Fill>
  JsonWriter& nest(Place place, char open, Fill& fill, char close) {
    const Place outer = std::exchange(place_, place);
    out_ += open;
    first_ = true;
    fill();
    out_ += close;
    first_ = false;
    place_ = outer;
    return *this;
  }

  std::string& out_;
  Place place_ = Place::kOutside;
  bool first_ = true;  ///< the next value needs no comma
};

/// One object; `fill(json)` adds its members.
template <std::invocable<JsonWriter&> Fill>
[[nodiscard]] std::string json_object(Fill&& fill) {
  std::string out;
  JsonWriter json(out);
  json.object([&] { fill(json); });
  return out;
}

/// One array; `fill(json)` adds its items.
template <std::invocable<JsonWriter&> Fill>
[[nodiscard]] std::string json_array(Fill&& fill) {
  std::string out;
  JsonWriter json(out);
  json.array([&] { fill(json); });
  return out;
}

}  // namespace quarry
