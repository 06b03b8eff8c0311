#include "model_http/json_text.h"

#include "model_http/half_characters.h"

namespace quarry::model_http {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 100;
constexpr std::int64_t kLargestCount = std::int64_t{1} << 53;

/// True if the brackets of `text` nest deeper than kDeepest, as far as it is JSON. The parser could
/// tell it to a callback, but then takes the square of the elements of an array of objects.
bool nests_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    if (in_string && byte == '\\') {
      ++i;
    } else if (byte == '"') {
      in_string = !in_string;
    } else if (!in_string && (byte == '{' || byte == '[')) {
      if (++depth > kDeepest) return true;
    } else if (!in_string && (byte == '}' || byte == ']')) {
      --depth;
    }
  }
  return false;
}

Json parse(std::string_view text) {
  if (nests_too_deep(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

}  // namespace

Json read_json(std::string_view text) {
  Json out = parse(text);
  if (!out.is_discarded()) return out;
  const auto marked = mark_halves(text);
  return marked ? parse(*marked) : out;
}

const Json& member(const Json& object, std::string_view key) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

std::string_view text_member(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  return value.is_string() ? std::string_view(value.get_ref<const std::string&>()) : "";
}

std::int64_t count_member(const Json& object, std::string_view key, std::int64_t otherwise) {
  const Json& value = member(object, key);
  if (!value.is_number_integer() || value < 0 || value > kLargestCount) return otherwise;
  return value.get<std::int64_t>();
}

std::string to_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace quarry::model_http
