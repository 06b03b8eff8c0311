#include "config/member.h"

#include <charconv>
#include <cstdlib>
#include <limits>

namespace quarry::config {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnits = "KMGT";

/// Nothing if 64 bits cannot count them.
std::optional<std::uint64_t> bytes_of(const Json& size) {
  if (size.is_number()) return size.get<std::uint64_t>();
  const std::string& text = size.get_ref<const std::string&>();
  std::uint64_t count = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::size_t unit = text.find_first_of(kUnits);
  const std::size_t shift = unit == text.npos ? 0 : 10 * (kUnits.find(text[unit]) + 1);
  if (read.ec != std::errc() || count > std::numeric_limits<std::uint64_t>::max() >> shift) {
    return std::nullopt;
  }
  return count << shift;
}

std::string size_text(std::uint64_t bytes) {
  std::size_t unit = 0;
  for (; unit < kUnits.size() && bytes % 1024 == 0; ++unit) bytes /= 1024;
  const std::string number = std::to_string(bytes);
  return unit == 0 ? number : number + kUnits[unit - 1] + "iB";
}

std::vector<fs::path> paths_of(const Json& list) {
  std::vector<fs::path> out;
  for (const Json& item : list) out.push_back(expand_home(item));
  return out;
}

using Mistake = std::optional<std::string>;

/// Sets a member of each type.
struct Assign {
  const Json& value;

  template <class T>
  Mistake operator()(T* out) const {
    *out = value.get<T>();
    return std::nullopt;
  }
  template <class Number, class Period>
  Mistake operator()(std::chrono::duration<Number, Period>* out) const {
    *out = std::chrono::duration<Number, Period>(value.get<Number>());
    return std::nullopt;
  }
  Mistake operator()(std::optional<std::uint32_t>* out) const {
    *out = value.get<std::uint32_t>();
    return std::nullopt;
  }
  Mistake operator()(std::optional<Money>* out) const {
    const auto amount = parse_money(value.is_string() ? value.get<std::string>() : value.dump());
    if (!amount) return amount.error().message;
    *out = *amount;
    return std::nullopt;
  }
  Mistake operator()(fs::path* out) const {
    *out = expand_home(value);
    return std::nullopt;
  }
  Mistake operator()(std::vector<fs::path>* out) const {
    *out = paths_of(value);
    return std::nullopt;
  }
  Mistake operator()(std::optional<std::vector<fs::path>>* out) const {
    *out = paths_of(value);
    return std::nullopt;
  }
  Mistake operator()(const ByteSize& out) const {
    const auto bytes = bytes_of(value);
    if (!bytes) return to_text(value) + " is more than can be counted";
    if (*bytes < out.least) return to_text(value) + " is less than " + size_text(out.least);
    *out.bytes = *bytes;
    return std::nullopt;
  }
  Mistake operator()(const Words& out) const {
    *out.value = value == out.if_true;
    return std::nullopt;
  }
};

/// The value of a member of each type.
struct Show {
  template <class T>
  Json operator()(const T* in) const {
    return *in;
  }
  template <class Number, class Period>
  Json operator()(const std::chrono::duration<Number, Period>* in) const {
    return in->count();
  }
  template <class T>
  Json operator()(const std::optional<T>* in) const {
    return *in ? (*this)(&**in) : Json();
  }
  Json operator()(const std::string* in) const { return in->empty() ? Json() : Json(*in); }
  Json operator()(const Money* in) const { return *parse_json(to_decimal(*in)); }
  Json operator()(const fs::path* in) const { return in->empty() ? Json() : Json(in->string()); }
  Json operator()(const std::vector<fs::path>* in) const {
    Json out = Json::array();
    for (const fs::path& path : *in) out.push_back(path.string());
    return out;
  }
  Json operator()(const ByteSize& in) const { return size_text(*in.bytes); }
  Json operator()(const Words& in) const { return *in.value ? in.if_true : in.if_false; }
};

}  // namespace

fs::path expand_home(const std::string& path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  const char* home = std::getenv("HOME");
  return home == nullptr ? fs::path(path) : fs::path(home) / path.substr(path == "~" ? 1 : 2);
}

std::optional<std::string> assign(const Json& value, const Member& member) {
  return std::visit(Assign{value}, member);
}

Json to_json(const Member& member) {
  return std::visit(Show{}, member);
}

}  // namespace quarry::config
