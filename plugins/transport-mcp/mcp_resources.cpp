#include "mcp_resources.h"

#include "http_server/percent.h"
#include "mcp_server/catalogue.h"

#include <quarry/percent.hpp>

#include <charconv>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using mcp::Answer;
using mcp::Json;

constexpr std::string_view kScheme = "quarry://resources/";
constexpr std::size_t kPage = 100;

/// Its type, the texts of `fields`, and its notes: "git https://…: notes".
std::string description_of(const Json& resource, const SourceFields& fields) {
  std::string text = mcp::find_string(resource, "type");
  if (const auto own = fields.find(text); own != fields.end()) {
    for (const std::string& field : own->second) {
      const std::string value = mcp::find_string(resource, field);
      if (!value.empty()) text += " " + value;
    }
  }
  const std::string notes = mcp::find_string(resource, "specialNotes");
  return notes.empty() ? text : text + ": " + notes;
}

Json resource_of(const Json& resource, const SourceFields& fields) {
  const std::string name = mcp::find_string(resource, "name");
  return {{"uri", std::string(kScheme) + to_percent_encoded(name)},
          {"name", name},
          {"description", description_of(resource, fields)},
          {"mimeType", "application/json"}};
}

Json list_in(std::string_view listed) {
  const Json value = Json::parse(listed, nullptr, false);
  const Json* const all = mcp::find(value, "resources");
  return all != nullptr && all->is_array() ? *all : Json::array();
}

}  // namespace

SourceFields source_fields(const Json& schemas) {
  SourceFields out;
  const Json::json_pointer variants("/resource/oneOf");
  const Json::json_pointer name("/properties/type/const");
  if (!schemas.is_object() || !schemas.contains(variants)) return out;
  for (const Json& schema : schemas[variants]) {
    if (!schema.contains(name) || !schema[name].is_string()) continue;
    for (const Json& field : schema.value("required", Json::array())) {
      if (field.is_string() && field != "type" && field != "name") {
        out[schema[name]].push_back(field);
      }
    }
  }
  return out;
}

Answer page_of_resources(std::string_view listed, std::string_view cursor,
                         const SourceFields& fields) {
  std::size_t begin = 0;
  const auto [end, error] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), begin);
  if (!cursor.empty() && (error != std::errc() || end != cursor.data() + cursor.size())) {
    return Answer::failed(mcp::kInvalidParams, "params.cursor is not valid");
  }
  const Json all = list_in(listed);
  Json page{{"resources", Json::array()}};
  for (std::size_t i = begin; i < all.size() && i - begin < kPage; ++i) {
    page["resources"].push_back(resource_of(all[i], fields));
  }
  if (all.size() > begin && all.size() - begin > kPage) {
    page["nextCursor"] = std::to_string(begin + kPage);
  }
  return Answer::of(mcp::dump(page));
}

Answer contents_of_resource(std::string_view listed, std::string_view uri, mcp::Era era) {
  const auto name = uri.starts_with(kScheme)
                        ? http_server::percent_decoded(uri.substr(kScheme.size()))
                        : std::nullopt;
  for (const Json& one : list_in(listed)) {
    if (!name || mcp::find_string(one, "name") != *name) continue;
    const Json content{{"uri", uri}, {"mimeType", "application/json"}, {"text", mcp::dump(one)}};
    return Answer::of(mcp::dump(Json{{"contents", Json::array({content})}}));
  }
  return mcp::no_such_resource(era, uri);
}

}  // namespace quarry::transport_mcp
