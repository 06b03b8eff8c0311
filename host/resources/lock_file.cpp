#include "resources/lock_file.h"

#include "base/file.h"
#include "base/schema.h"
#include "base/text.h"
#include "config/document.h"

#include <algorithm>
#include <set>

namespace quarry::resources {
namespace {

constexpr std::size_t kMaxBytes = 16u << 20;

constexpr std::string_view kLockSchema = R"json({
  "type": "object",
  "properties": {"resource": {"type": "array", "items": {
    "type": "object",
    "required": ["name", "source", "version", "display"],
    "properties": {
      "name": {"type": "string", "minLength": 1},
      "source": {"type": "object", "required": ["type"],
                 "properties": {"type": {"type": "string"}}, "additionalProperties": {}},
      "version": {"type": "string", "minLength": 1},
      "display": {"type": "string"},
      "integrity": {"type": "string"}
    }}}}
})json";

constexpr std::string_view kHead =
    "# Written by \"quarry lock\". With --locked, exactly these versions are asked about.\n";

Error damaged(const config::Document& document, FieldError mistake) {
  std::string pointer = mistake.field;
  while (!pointer.empty() && !document.places.contains(pointer)) {
    pointer.erase(pointer.rfind('/'));  // a missing member is reported at its table
  }
  const auto place = document.places.find(pointer);
  const std::string where = place == document.places.end() ? "" : place->second.text();
  Error error{Code::kInvalidArgument,
              where + ": \"" + mistake.field.substr(1) + "\" " + mistake.message,
              "Write it again: quarry lock."};
  error.tag = "ConfigError";
  error.details = {{where, std::move(mistake.message)}};
  return error;
}

std::vector<FieldError> mistakes_in(const Json& root) {
  static const Schema schema = compiled_schema(kLockSchema);
  auto mistakes = schema.check(root, Schema::Unknown::kRefuse);
  if (!mistakes.empty() || !root.contains("resource")) return mistakes;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < root["resource"].size(); ++i) {
    const std::string name = root["resource"][i]["name"];
    if (seen.insert(to_lower(name)).second) continue;
    mistakes.push_back({"/resource/" + std::to_string(i) + "/name", "appears twice"});
  }
  return mistakes;
}

std::string shown(const Json& source, const std::string& member) {
  const auto found = source.find(member);
  return found == source.end() ? "nothing" : to_text(*found);
}

}  // namespace

Result<std::vector<LockedResource>> read_lock_file(const std::filesystem::path& file) {
  const auto text = read_file(file, kMaxBytes);
  if (!text) return Error(text.error()).tagged("ConfigError");
  const auto document = config::parse_document(*text, file);
  if (!document) {
    Error error = document.error();
    error.hint = "Write it again: quarry lock.";
    return error;
  }
  auto mistakes = mistakes_in(document->root);
  if (!mistakes.empty()) return damaged(*document, std::move(mistakes.front()));
  std::vector<LockedResource> out;
  for (const Json& row : document->root.value("resource", Json::array())) {
    plugins::ResourceVersion version;
    version.id = row["version"];
    version.immutable = true;
    version.display = row["display"];
    version.integrity = row.value("integrity", "");
    out.push_back({row["name"], row["source"], std::move(version)});
  }
  return out;
}

std::string lock_file_text(std::vector<LockedResource> resources) {
  std::ranges::sort(resources, {}, &LockedResource::name);
  std::string out(kHead);
  for (const LockedResource& resource : resources) {
    out += "\n[[resource]]\nname = " + config::to_toml(resource.name) +
           "\nsource = " + config::to_toml(resource.source) +
           "\nversion = " + config::to_toml(resource.version.id) +
           "\ndisplay = " + config::to_toml(resource.version.display) + "\n";
    const std::string& integrity = resource.version.integrity;
    if (!integrity.empty()) out += "integrity = " + config::to_toml(integrity) + "\n";
  }
  return out;
}

std::string difference(const Json& locked, const Json& now) {
  std::set<std::string> members;
  for (const auto& [member, unused] : locked.items()) members.insert(member);
  for (const auto& [member, unused] : now.items()) members.insert(member);
  std::vector<std::string> out;
  for (const std::string& member : members) {
    const std::string before = shown(locked, member);
    const std::string after = shown(now, member);
    if (before != after) out.push_back(member + " " + before + " is now " + after);
  }
  return join(out, ", ");
}

}  // namespace quarry::resources
