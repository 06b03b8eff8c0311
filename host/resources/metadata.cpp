#include "resources/metadata.h"

#include "base/hash.h"
#include "base/json_member.h"
#include "resources/refresh.h"

#include <nlohmann/json.hpp>

namespace quarry::resources {
namespace {

using Milliseconds = std::chrono::milliseconds;

/// 128 bits distinguish sources and keep names short.
std::string short_hash(std::string_view text) {
  return sha256_hex(text).substr(0, 32);
}

std::vector<std::string> texts_of(const Json& json, const char* member) {
  std::vector<std::string> texts;
  const auto found = json.find(member);
  if (found == json.end() || !found->is_array()) return texts;
  for (const Json& text : *found) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

/// `json` as text, with a digest member that reveals damage.
std::string with_digest(Json json) {
  json.erase("digest");
  json["digest"] = short_hash(to_text(json));
  return to_text(json);
}

Json to_json(const plugins::FactsByPath& facts) {
  Json out = Json::object();
  for (const auto& [path, file] : facts) {
    out[path] = {
        {"permalink", file.permalink}, {"title", file.title}, {"mediaType", file.media_type}};
  }
  return out;
}

plugins::FactsByPath facts_of(const Json& json) {
  plugins::FactsByPath facts;
  const auto found = json.find("facts");
  if (found == json.end() || !found->is_object()) return facts;
  for (const auto& [path, file] : found->items()) {
    if (!file.is_object()) continue;
    facts[path] = {text_of(file, "permalink"), text_of(file, "title"), text_of(file, "mediaType")};
  }
  return facts;
}

bool is_set(const Json& json, const char* member) {
  const auto found = json.find(member);
  return found != json.end() && *found == true;
}

}  // namespace

std::string source_of(const Json& resource, std::string_view project) {
  Json source = without_host_members(resource);
  source.erase("name");
  source.erase("specialNotes");
  if (project.empty()) return to_text(source);
  return to_text({{"for", "projects"}, {"source", std::move(source)}});  // not a resource: no type
}

std::string source_key(std::string_view source) {
  return short_hash(source);
}

std::string snapshot_name(std::string_view source_key, std::string_view version) {
  return std::string(source_key) + '.' + short_hash(version);
}

std::string metadata_text(const Metadata& metadata) {
  const auto at = std::chrono::floor<Milliseconds>(metadata.fetched_at).time_since_epoch();
  return with_digest(Json{{"source", metadata.source},
                          {"version", metadata.version},
                          {"display", metadata.display},
                          {"permalink", metadata.permalink},
                          {"integrity", metadata.integrity},
                          {"fields", metadata.fields},
                          {"notes", metadata.notes},
                          {"generated", metadata.generated},
                          {"resolved", metadata.origin.version},
                          {"state", metadata.origin.state},
                          {"facts", to_json(metadata.facts)},
                          {"inPlace", metadata.in_place},
                          {"immutable", metadata.immutable},
                          {"fetchedAtMs", at.count()}});
}

Result<Metadata> parse_metadata(std::string_view text) {
  auto json = parse_json(text);
  if (!json) return json.error();
  if (!json->is_object() || text != with_digest(*json)) {
    return Error{Code::kInvalidArgument, "the description of a snapshot is damaged"};
  }
  const auto at = json->find("fetchedAtMs");
  Metadata metadata{text_of(*json, "source"),
                    text_of(*json, "version"),
                    text_of(*json, "display"),
                    text_of(*json, "permalink"),
                    text_of(*json, "integrity"),
                    text_of(*json, "fields"),
                    texts_of(*json, "notes"),
                    texts_of(*json, "generated"),
                    {},
                    facts_of(*json),
                    {},
                    is_set(*json, "inPlace"),
                    is_set(*json, "immutable")};
  metadata.origin = {text_of(*json, "resolved"), text_of(*json, "state")};
  if (metadata.source.empty() || at == json->end() || !at->is_number_integer()) {
    return Error{Code::kInvalidArgument, "the description of a snapshot is incomplete"};
  }
  metadata.fetched_at = Clock::Wall(Milliseconds(at->get<std::int64_t>()));
  return metadata;
}

}  // namespace quarry::resources
