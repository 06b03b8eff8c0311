#include "model_http/embedding_request.h"

#include "model_http/json_text.h"
#include "model_http/request_options.h"

#include <cmath>
#include <limits>

namespace quarry::model_http {
namespace {

using Json = nlohmann::json;

std::optional<Failure> take_text(Json& members, const char* name, std::string& text) {
  if (!members.contains(name)) return std::nullopt;
  if (!members[name].is_string()) {
    return field_failure(std::string("/") + name, "must be a string");
  }
  text = members[name];
  members.erase(name);
  return std::nullopt;
}

Failure invalid_request(std::string message) {
  return {QUARRY_INVALID_ARGUMENT, std::move(message), {}, {}};
}

}  // namespace

Outcome<EmbeddingOptions> EmbeddingOptions::take(Json members) {
  EmbeddingOptions out;
  for (const auto& wrong :
       {take_count(members, "dimensions", 16384, out.dimensions),
        take_count(members, "batch", 2048, out.batch),
        take_text(members, "query_prefix", out.query_prefix),
        take_text(members, "passage_prefix", out.passage_prefix), unknown_member(members)}) {
    if (wrong) return *wrong;
  }
  return out;
}

std::string EmbeddingOptions::variant() const {
  Json out = Json::object();
  if (dimensions > 0) out["dimensions"] = dimensions;
  if (!query_prefix.empty()) out["query_prefix"] = query_prefix;
  if (!passage_prefix.empty()) out["passage_prefix"] = passage_prefix;
  return out.empty() ? std::string() : to_text(out);
}

Outcome<EmbeddingRequest> EmbeddingRequest::read(std::string_view json,
                                                 const EmbeddingOptions& options) {
  const Json said = read_json(json);
  EmbeddingRequest out;
  out.model = text_member(said, "model");
  if (out.model.empty()) return invalid_request("the request names no model");
  const Json& texts = member(said, "texts");
  if (!texts.is_array() || texts.empty()) return invalid_request("the request has no texts");
  const bool query = text_member(said, "kind") == "query";
  const std::string& prefix = query ? options.query_prefix : options.passage_prefix;
  for (const Json& text : texts) {
    if (!text.is_string()) return invalid_request("a text of the request is not a string");
    out.texts.push_back(prefix + text.get_ref<const std::string&>());
  }
  return out;
}

std::int64_t read_count(JsonCursor& json) {
  constexpr double kMost = 9e15;  // which a double counts exactly
  if (json.null()) return -1;
  const double count = json.number();
  return count >= 0 && count <= kMost ? static_cast<std::int64_t>(count) : -1;
}

std::optional<std::vector<float>> read_vector(JsonCursor& json) {
  std::vector<float> out;
  json.array([&] {
    const double value = json.number();
    if (std::abs(value) > std::numeric_limits<float>::max()) json.fail();
    if (!json.failed()) out.push_back(static_cast<float>(value));
  });
  if (json.failed()) return std::nullopt;
  return out;
}

}  // namespace quarry::model_http
