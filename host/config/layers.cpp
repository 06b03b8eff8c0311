#include "config/layers.h"

#include "base/file.h"
#include "base/resource_schema.h"
#include "base/schema.h"
#include "base/text.h"
#include "config/config_schema.h"
#include "config/model_table.h"

#include <algorithm>

namespace quarry::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileBytes = 4u << 20;

/// quarry.toml in the working directory or the nearest directory above it.
fs::path find_project_file(const fs::path& working_directory) {
  std::error_code ignored;
  for (fs::path directory = working_directory;; directory = directory.parent_path()) {
    if (fs::exists(directory / "quarry.toml", ignored)) return directory / "quarry.toml";
    if (directory == directory.parent_path()) return {};
  }
}

std::string resource_key(const Json& resource) {
  return to_lower(resource.value("name", std::string()));
}

/// Moves the places of the subtree `from` of `source` to the subtree `to` of `target`.
void move_places(const Document& source, const std::string& from, Document& target,
                 const std::string& to) {
  for (auto it = source.places.lower_bound(from); it != source.places.end(); ++it) {
    const std::string_view pointer = it->first;
    if (!pointer.starts_with(from)) break;
    const std::string_view rest = pointer.substr(from.size());
    if (rest.empty() || rest.front() == '/') {
      target.places[to + std::string(rest)] = it->second;
    }
  }
}

/// A resource of a higher layer replaces the one of the same name; new ones come after.
void merge_resources(const Document& upper, Document& lower, std::vector<FieldError>& mistakes) {
  Json& into = lower.root["resource"];
  if (!into.is_array()) into = Json::array();
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < upper.root["resource"].size(); ++i) {
    const Json& resource = upper.root["resource"][i];
    const std::string from = "/resource/" + std::to_string(i);
    const std::string key = resource_key(resource);
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      mistakes.push_back({upper.places.at(from).text(), "the name \"" + key + "\" stands twice"});
      continue;
    }
    seen.push_back(key);
    const auto same = std::find_if(into.begin(), into.end(),
                                   [&](const Json& other) { return resource_key(other) == key; });
    const auto index = static_cast<std::size_t>(same - into.begin());
    if (same == into.end()) {
      into.push_back(resource);
    } else {
      *same = resource;
    }
    move_places(upper, from, lower, "/resource/" + std::to_string(index));
  }
}

void merge_tables(const Json& upper, Json& lower) {
  for (const auto& [name, value] : upper.items()) {
    if (value.is_object() && lower.contains(name) && lower[name].is_object()) {
      merge_tables(value, lower[name]);
    } else {
      lower[name] = value;
    }
  }
}

void merge(Document upper, Document& lower, std::vector<FieldError>& mistakes) {
  if (upper.root.contains("resource")) {
    merge_resources(upper, lower, mistakes);
    upper.root.erase("resource");
  }
  forget_other_provider(upper.root, lower.root);
  merge_tables(upper.root, lower.root);
  for (const auto& [pointer, place] : upper.places) {
    const bool of_resource = pointer == "/resource" || pointer.starts_with("/resource/");
    if (!of_resource) lower.places[pointer] = place;
  }
}

Schema config_schema() {
  Json schema = *parse_json(kConfigSchema);
  schema["properties"]["resource"]["items"] = *parse_json(kResourceSchema);
  return *Schema::compile(schema);
}

/// Checks one layer alone, so that every mistake is told at its own place.
bool check(const Document& document, std::vector<FieldError>& mistakes) {
  static const Schema schema = config_schema();
  auto found = schema.check(document.root, Schema::Unknown::kRefuse);
  std::ranges::move(check_model_instances(document.root), std::back_inserter(found));
  for (const FieldError& mistake : found) {
    std::string pointer = mistake.field;
    while (!pointer.empty() && !document.places.contains(pointer)) {
      pointer.erase(pointer.rfind('/'));  // a missing member is told at its table
    }
    const auto place = document.places.find(pointer);
    const std::string name = mistake.field.substr(std::min<std::size_t>(1, mistake.field.size()));
    mistakes.push_back({place == document.places.end() ? "" : place->second.text(),
                        "\"" + name + "\" " + mistake.message});
  }
  return found.empty();
}

Status read_file_layer(const fs::path& file, Layers& out) {
  const auto text = read_file(file, kMaxFileBytes);
  if (!text) return Error(text.error()).tagged("ConfigError");
  auto document = parse_document(*text, file);
  if (!document) return std::move(document).error();
  out.files.push_back(file);
  if (check(*document, out.mistakes)) merge(std::move(*document), out.merged, out.mistakes);
  return {};
}

/// "true", numbers and arrays as TOML reads them; anything else is the string itself.
Json value_of(const std::string& text) {
  const auto parsed = parse_document("value = " + text, {});
  if (!parsed) return text;
  const Json& value = parsed->root["value"];
  return value.is_object() ? Json(text) : value;
}

/// A value from outside a file: "model.provider" = "openai", from `origin`.
Document single_value(std::string_view dotted, const std::string& value,
                      const std::string& origin) {
  Document document;
  document.root = Json::object();
  Json* at = &document.root;
  std::string pointer;
  for (const std::string_view part : split(dotted, '.')) {
    pointer = child_pointer(pointer, part);
    at = &(*at)[std::string(part)];
    document.places[pointer] = {origin, 0, 0};
  }
  *at = value_of(value);
  return document;
}

/// QUARRY_MODEL_PROVIDER is model.provider: the first '_' after QUARRY_ separates table and key.
/// Variables that name no table of the schema belong to somebody else.
/// QUARRY_CACHE_DIR and its like say where directories are (services/paths.h), not what is in them.
std::string dotted_name(std::string_view variable) {
  if (variable.ends_with("_DIR")) return {};
  static constexpr std::string_view kTables[] = {"model", "pricing", "cache", "server", "log"};
  const std::string name = to_lower(variable.substr(std::string_view("QUARRY_").size()));
  const std::size_t split_at = name.find('_');
  if (split_at == std::string::npos) return {};
  const bool known = std::find(std::begin(kTables), std::end(kTables),
                               std::string_view(name).substr(0, split_at)) != std::end(kTables);
  return known ? name.substr(0, split_at) + "." + name.substr(split_at + 1) : std::string();
}

/// Values from outside a file, one layer together.
class ValueLayer {
 public:
  explicit ValueLayer(Layers& out) : out_(out) { all_.root = Json::object(); }
  void add(std::string_view dotted, const std::string& value, const std::string& origin) {
    Document document = single_value(dotted, value, origin);
    if (!check(document, out_.mistakes)) return;
    merge_tables(document.root, all_.root);
    all_.places.merge(std::move(document.places));
  }
  void lay() { merge(std::move(all_), out_.merged, out_.mistakes); }

 private:
  Layers& out_;
  Document all_;
};

}  // namespace

Result<Layers> read_layers(const Sources& sources) {
  Layers layers;
  layers.merged.root = Json::object();
  const fs::path user_file =
      sources.user_directory.empty() ? fs::path() : sources.user_directory / "quarry.toml";
  fs::path project_file = find_project_file(sources.working_directory);
  std::vector<fs::path> files;
  if (sources.file) {
    files = {*sources.file};
    layers.writable_file = *sources.file;
  } else {
    std::error_code ignored;
    for (const fs::path& file : {sources.system_file, user_file, project_file}) {
      if (!file.empty() && fs::exists(file, ignored)) files.push_back(file);
    }
    layers.writable_file = project_file.empty() ? user_file : project_file;
  }
  for (const fs::path& file : files) {
    if (Status status = read_file_layer(file, layers); !status) return std::move(status).error();
  }
  ValueLayer environment(layers);
  for (const auto& [variable, value] : sources.environment) {
    if (!variable.starts_with("QUARRY_")) continue;
    const std::string dotted = dotted_name(variable);
    if (!dotted.empty()) environment.add(dotted, value, "environment " + variable);
  }
  environment.lay();
  ValueLayer flags(layers);
  for (const auto& [dotted, value] : sources.flags) flags.add(dotted, value, "flag " + dotted);
  flags.lay();
  return layers;
}

}  // namespace quarry::config
