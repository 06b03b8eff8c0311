#include "model_http/json_text.h"

#include "model_http/half_characters.h"

namespace quarry::model_http {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 100;
constexpr std::int64_t kLargestCount = std::int64_t{1} << 53;

Json parse(std::string_view text) {
  bool too_deep = false;
  const auto shallow = [&](int around, Json::parse_event_t event, const Json&) {
    const bool opens =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    too_deep = too_deep || (opens && around >= kDeepest);
    return !too_deep;
  };
  Json out = Json::parse(text, shallow, false);
  return too_deep ? Json(Json::value_t::discarded) : out;
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
