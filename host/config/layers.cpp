#include "config/layers.h"

#include "base/file.h"
#include "base/printable.h"
#include "base/schema.h"
#include "base/text.h"
#include "config/environment.h"
#include "config/model_table.h"
#include "config/nesting.h"
#include "config/ownership.h"
#include "config/project.h"
#include "config/secrets.h"
#include "config/trust_rules.h"

#include <algorithm>

namespace quarry::config {
namespace {

namespace fs = std::filesystem;

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

/// A resource of a higher layer replaces the one with the same name; new ones are appended.
void merge_resources(const Document& upper, Document& lower, std::vector<FieldError>& mistakes) {
  Json& into = lower.root["resource"];
  if (!into.is_array()) into = Json::array();
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < upper.root["resource"].size(); ++i) {
    const Json& resource = upper.root["resource"][i];
    const std::string from = "/resource/" + std::to_string(i);
    const std::string key = resource_key(resource);
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      mistakes.push_back({upper.places.at(from).text(), "the name \"" + key + "\" is used twice"});
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

/// True for a table that is merged member by member. A reference to a secret is one value.
bool has_members(const Json& value) {
  return value.is_object() && !is_secret_reference(value);
}

void merge_tables(const Json& upper, Json& lower) {
  for (const auto& [name, value] : upper.items()) {
    if (has_members(value) && lower.contains(name) && has_members(lower[name])) {
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
  drop_other_provider(upper.root, lower.root);
  merge_tables(upper.root, lower.root);
  for (const auto& [pointer, place] : upper.places) {
    const bool of_resource = pointer == "/resource" || pointer.starts_with("/resource/");
    if (!of_resource) lower.places[pointer] = place;
  }
}

/// Merges a layer over the lower ones unless it violates the schema.
void merge_layer(Document document, Layers& out) {
  auto mistakes = mistakes_in(document);
  if (mistakes.empty()) {
    merge(std::move(document), out.merged, out.mistakes);
  } else {
    std::ranges::move(mistakes, std::back_inserter(out.mistakes));
  }
}

Status lay_file(const fs::path& file, std::string_view text, Layers& out) {
  auto document = parse_document(text, file);
  if (!document) return std::move(document).error();
  out.files.push_back(file);
  merge_layer(std::move(*document), out);
  return {};
}

/// Merges a file given with --config.
Status merge_named_file(const fs::path& file, Layers& out) {
  const auto text = read_file(file, kMaxFileBytes);
  if (!text) return Error(text.error()).tagged("ConfigError");
  out.writable_file = file;
  return lay_file(file, *text, out);
}

/// Merges the system's or the user's file, if it exists.
Status merge_own_file(const fs::path& file, Layers& out) {
  if (file.empty()) return {};
  const auto text = read_own_file(file, kMaxFileBytes);
  if (!text) return Error(text.error()).tagged("ConfigError");
  return *text ? lay_file(file, **text, out) : Status();
}

Status merge_project_file(const Sources& sources, Layers& out) {
  auto search = find_project_file(sources);
  if (!search) return std::move(search).error();
  std::ranges::transform(search->skipped, std::back_inserter(out.warnings), warning_of);
  out.writable_file = search->file ? search->file->path : user_file(sources);
  if (!search->file) return {};
  auto project =
      judge(std::move(*search->file), out.merged.root, TrustList(sources.trust_directory));
  if (!project) return std::move(project).error();
  out.files.push_back(project->file.path);
  if (project->mistakes.empty() && !project->accepted()) return project->refusal();
  merge_layer(std::move(project->document), out);
  return {};
}

/// Parses "true", numbers and arrays as TOML; any other text is a string.
Json value_of(const std::string& text) {
  const auto parsed = parse_document("value = " + text, {});
  if (!parsed) return text;
  const Json& value = parsed->root["value"];
  return value.is_object() ? Json(text) : value;
}

/// A document with one value from outside a file: model, provider = "openai", from `origin`.
Document single_value(const std::vector<std::string_view>& names, const std::string& value,
                      const std::string& origin) {
  Document document;
  document.root = Json::object();
  Json* at = &document.root;
  std::string pointer;
  for (const std::string_view part : names) {
    pointer = child_pointer(pointer, part);
    at = &(*at)[std::string(part)];
    document.places[pointer] = {origin, 0, 0};
  }
  *at = value_of(value);
  return document;
}

/// Values from outside a file, merged as one layer.
class ValueLayer {
 public:
  explicit ValueLayer(Layers& out) : out_(out) { all_.root = Json::object(); }
  void add(std::string_view dotted, const std::string& value, const std::string& origin) {
    const auto parts = split(dotted, '.');
    if (parts.size() > kMaxNesting) {
      out_.mistakes.push_back({printable_exact(origin, 60),
                               "the name has more than " + std::to_string(kMaxNesting) + " parts"});
      return;
    }
    Document document = single_value(parts, value, origin);
    auto mistakes = mistakes_in(document);
    if (!mistakes.empty()) {
      std::ranges::move(mistakes, std::back_inserter(out_.mistakes));
      return;
    }
    merge_tables(document.root, all_.root);
    all_.places.merge(std::move(document.places));
  }
  void apply() { merge(std::move(all_), out_.merged, out_.mistakes); }

 private:
  Layers& out_;
  Document all_;
};

void merge_environment(const Sources& sources, Layers& out) {
  const auto secrets = referenced_variables(out.merged.root);
  ValueLayer values(out);
  for (const auto& [variable, value] : sources.environment) {
    if (secrets.contains(variable)) continue;
    const auto key = key_of_variable(variable);
    const std::string origin = "environment " + variable;
    if (!key) {
      out.mistakes.push_back({origin, key.error().message + ". " + key.error().hint});
    } else if (!key->empty()) {
      values.add(*key, value, origin);
    }
  }
  values.apply();
}

}  // namespace

std::vector<FieldError> mistakes_in(const Document& document) {
  static const Schema schema = *Schema::compile(whole_schema());
  auto found = schema.check(document.root, Schema::Unknown::kRefuse);
  std::ranges::move(check_model_instances(document.root), std::back_inserter(found));
  for (FieldError& mistake : found) {
    std::string pointer = mistake.field;
    while (!pointer.empty() && !document.places.contains(pointer)) {
      pointer.erase(pointer.rfind('/'));  // a missing member is reported at its table
    }
    const auto place = document.places.find(pointer);
    const std::string name = mistake.field.substr(std::min<std::size_t>(1, mistake.field.size()));
    mistake = {place == document.places.end() ? "" : place->second.text(),
               "\"" + name + "\" " + mistake.message};
  }
  return found;
}

fs::path user_file(const Sources& sources) {
  return sources.user_directory.empty() ? fs::path() : sources.user_directory / "quarry.toml";
}

Result<Layers> read_lower_layers(const Sources& sources) {
  Layers layers;
  layers.merged.root = Json::object();
  for (const fs::path& file : {sources.system_file, user_file(sources)}) {
    if (Status merged = merge_own_file(file, layers); !merged) return std::move(merged).error();
  }
  return layers;
}

Result<Layers> read_layers(const Sources& sources) {
  auto layers = sources.file ? Result<Layers>(Layers{}) : read_lower_layers(sources);
  if (!layers) return layers;
  if (sources.file) layers->merged.root = Json::object();
  Status merged = sources.file ? merge_named_file(*sources.file, *layers)
                               : merge_project_file(sources, *layers);
  if (!merged) return std::move(merged).error();
  merge_environment(sources, *layers);
  ValueLayer flags(*layers);
  for (const auto& [dotted, value] : sources.flags) flags.add(dotted, value, "flag " + dotted);
  flags.apply();
  return layers;
}

}  // namespace quarry::config
