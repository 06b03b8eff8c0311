#include "conformance/example.h"

#include "base/schema.h"

#include <random>
#include <string_view>
#include <utility>

namespace quarry::conformance {
namespace {

bool follows(const Json& schema, const Json& value) {
  const auto mistakes = mistakes_by(schema, value, Schema::Unknown::kRefuse);
  return mistakes && mistakes->empty();
}

/// True if `schema` permits a value of `type`; a schema without a type permits all.
bool permits_type(const Json& schema, std::string_view type) {
  const auto said = schema.find("type");
  if (said == schema.end()) return true;
  if (said->is_string()) return said->get_ref<const std::string&>() == type;
  for (const Json& each : *said) {
    if (each == type) return true;
  }
  return false;
}

std::optional<Json> stated(const Json& schema) {
  for (const char* key : {"default", "const"}) {
    if (const auto found = schema.find(key); found != schema.end()) return *found;
  }
  for (const char* key : {"enum", "examples"}) {
    const auto found = schema.find(key);
    if (found != schema.end() && found->is_array() && !found->empty()) return found->front();
  }
  return std::nullopt;
}

/// Checks must not use the port of a running host.
Json with_free_port(Json value) {
  constexpr std::string_view kOwn = "127.0.0.1:";
  if (!value.is_string()) return value;
  const auto& text = value.get_ref<const std::string&>();
  return text.starts_with(kOwn) ? Json(std::string(kOwn) + "0") : value;
}

class Examples {
 public:
  Examples(bool defaults, std::filesystem::path directory)
      : defaults_(defaults), directory_(std::move(directory)) {}

  std::optional<Json> of(const Json& schema) const {
    if (!schema.is_object()) return Json::object();
    if (auto value = stated(schema)) return with_free_port(std::move(*value));
    if (const auto any = schema.find("anyOf"); any != schema.end() && any->is_array()) {
      for (const Json& each : *any) {
        if (auto value = of(each); value && follows(schema, *value)) return value;
      }
    }
    for (auto& candidate : candidates(schema)) {
      if (follows(schema, candidate)) return std::move(candidate);
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::vector<Json> candidates(const Json& schema) const {
    std::vector<Json> out;
    if (permits_type(schema, "object")) out.push_back(object(schema));
    if (permits_type(schema, "string")) add_texts(schema, out);
    if (permits_type(schema, "array")) out.push_back(array(schema));
    if (permits_type(schema, "integer") || permits_type(schema, "number")) {
      for (const Json& number : {schema.value("minimum", Json(1)), Json(1), Json(0)}) {
        out.push_back(number);
      }
    }
    if (permits_type(schema, "boolean")) out.emplace_back(false);
    if (permits_type(schema, "null")) out.emplace_back(nullptr);
    return out;
  }
  void add_texts(const Json& schema, std::vector<Json>& out) const {
    const auto shortest = schema.value("minLength", std::size_t{0});
    for (const std::string& text :
         {(directory_ / "example").string(), std::string("https://example.org/a"),
          std::string("example"), std::string("1"), std::string("a/b")}) {
      out.emplace_back(text.size() < shortest ? text + std::string(shortest, 'a') : text);
    }
  }
  [[nodiscard]] Json array(const Json& schema) const {
    Json out = Json::array();
    const auto least = schema.value("minItems", std::size_t{0});
    if (least == 0) return out;
    const auto item = of(schema.value("items", Json::object()));
    while (item && out.size() < least) out.push_back(*item);
    return out;
  }
  [[nodiscard]] bool is_wanted(const Json& schema, const std::string& member,
                               const Json& rules) const {
    for (const Json& each : schema.value("required", Json::array())) {
      if (each == member) return true;
    }
    return defaults_ && rules.is_object() && rules.contains("default");
  }
  [[nodiscard]] Json object(const Json& schema) const {
    Json out = Json::object();
    const Json members = schema.value("properties", Json::object());
    for (const auto& [member, rules] : members.items()) {
      if (!is_wanted(schema, member, rules)) continue;
      if (auto value = of(rules)) out[member] = std::move(*value);
    }
    return out;
  }

  bool defaults_;
  std::filesystem::path directory_;
};

std::vector<Json> odd_values(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string printable;
  for (int i = 0; i < 40; ++i) printable += static_cast<char>(' ' + random() % 95);
  Json deep = Json::array();
  for (int i = 0; i < 30; ++i) deep = Json::array({std::move(deep)});
  return {nullptr,
          true,
          -1,
          static_cast<std::int64_t>(random() >> 1),
          1e300,
          "",
          " ",
          printable,
          std::string(20'000, 'x'),
          "\xE2\x80\xAE\xF0\x9F\xAA\xA8 \x01",
          "../../etc/passwd",
          Json::array(),
          Json::array({7, nullptr, "a"}),
          Json::object(),
          Json{{"a", {{"b", 7}}}},
          std::move(deep)};
}

}  // namespace

std::optional<Json> example_of(const Json& schema, bool defaults,
                               const std::filesystem::path& directory) {
  auto value = Examples(defaults, directory).of(schema);
  if (!value || !value->is_object() || (schema.is_object() && !follows(schema, *value))) {
    return std::nullopt;
  }
  return value;
}

std::vector<Variation> variations(const Json& schema, const Json& good, std::uint64_t seed) {
  std::vector<Variation> out;
  const Json members = schema.is_object() ? schema.value("properties", Json::object()) : Json();
  for (const auto& [member, rules] : members.items()) {
    for (Json& odd : odd_values(seed)) {
      Json value = good;
      value[member] = std::move(odd);
      const bool sound = follows(schema, value);
      out.push_back({std::move(value), member, sound});
    }
  }
  return out;
}

}  // namespace quarry::conformance
