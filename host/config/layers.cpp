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
#include <map>
#include <set>

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
void merge_resources(const Document& upper, Document& lower, std::vector<Mistake>& mistakes) {
  Json& into = lower.root["resource"];
  if (!into.is_array()) into = Json::array();
  std::map<std::string, std::size_t> indexes;  // by key
  for (std::size_t i = 0; i < into.size(); ++i) indexes.emplace(resource_key(into[i]), i);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < upper.root["resource"].size(); ++i) {
    const Json& resource = upper.root["resource"][i];
    if (!resource.is_object()) continue;  // it has violations
    const std::string from = "/resource/" + std::to_string(i);
    const std::string key = resource_key(resource);
    if (!seen.insert(key).second) {
      mistakes.push_back({upper.places.at(from),
                          dotted_key(upper.root, from + "/name"),
                          "the name \"" + key + "\" is used twice",
                          {}});
      continue;
    }
    const auto [same, is_new] = indexes.emplace(key, into.size());
    if (is_new) {
      into.push_back(resource);
    } else {
      into[same->second] = resource;
    }
    move_places(upper, from, lower, "/resource/" + std::to_string(same->second));
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

void merge(Document upper, Document& lower, std::vector<Mistake>& mistakes) {
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

/// Records the violations in a document, and removes the values that have them.
void take_violations(Document& document, const std::vector<FieldError>& violations,
                     std::vector<Mistake>& mistakes) {
  std::ranges::move(at_places(document, violations), std::back_inserter(mistakes));
  remove_violations(document.root, violations);
}

/// Records the violations in a layer, and merges its other values over the lower layers.
void merge_layer(Document document, Layers& out) {
  take_violations(document, violations_in(document), out.mistakes);
  merge(std::move(document), out.merged, out.mistakes);
}

/// Records a file that is not read. `place` names the cause's position.
void leave_out(Error error, const Place& place, Layers& out) {
  const std::string message = error.details.empty() ? error.message : error.details.front().message;
  out.unread.push_back({error, {{place, "", message, error.hint}}});
}

void lay_file(const fs::path& file, std::string_view text, Layers& out) {
  out.files.push_back(file);
  Place place{file, 0, 0};
  auto document = parse_document(text, file, &place);
  if (!document) return leave_out(std::move(document).error(), place, out);
  merge_layer(std::move(*document), out);
}

/// Merges a file given with --config.
void merge_named_file(const fs::path& file, Layers& out) {
  out.writable_file = file;
  const auto text = read_file(file, kMaxFileBytes);
  if (!text) return leave_out(Error(text.error()).tagged("ConfigError"), {file, 0, 0}, out);
  lay_file(file, *text, out);
}

/// Merges the system's or the user's file, if it exists.
void merge_own_file(const fs::path& file, Layers& out) {
  if (file.empty()) return;
  const auto text = read_own_file(file, kMaxFileBytes);
  if (!text) return leave_out(Error(text.error()).tagged("ConfigError"), {file, 0, 0}, out);
  if (*text) lay_file(file, **text, out);
}

/// Records a project file that is not trusted. None of its values is used.
void refuse(const Project& project, Layers& out) {
  UnreadFile unread{project.refusal(), {}, !project.violations.empty()};
  for (const TrustedKey& key : project.keys) {
    const std::string why = key.why.empty() ? "may only be set by a trusted file" : key.why;
    unread.mistakes.push_back({key.place, key.name, key.name + " " + why, unread.error.hint});
  }
  out.unread.push_back(std::move(unread));
  std::ranges::move(at_places(project.document, project.violations),
                    std::back_inserter(out.mistakes));
}

/// Judges the file again if an edit replaces it meanwhile, after which its old bytes have no trust.
Result<Project> judge_present(ProjectFile file, const Below& below, const TrustList& list,
                              Place& place) {
  constexpr int kMostEdits = 8;
  for (int edits = 0;; ++edits) {
    auto project = judge(std::move(file), below, list, &place);
    if (!project || project->accepted() || edits == kMostEdits) return project;
    const fs::path& path = project->file.path;
    auto now = read_project_file(path.parent_path(), path.filename().string(), kMaxFileBytes);
    const bool replaced =
        now && *now && (*now)->not_read.empty() && (*now)->bytes != project->file.bytes;
    if (!replaced) return project;
    file = std::move(**now);
  }
}

void merge_project_file(const Sources& sources, Layers& out) {
  auto search = find_project_file(sources);
  if (!search) return leave_out(std::move(search).error(), {}, out);
  std::ranges::transform(search->skipped, std::back_inserter(out.warnings), warning_of);
  if (sources.working_directory.empty()) {
    out.warnings.emplace_back(
        "the working directory does not exist any more: no configuration of a project is read");
  }
  out.writable_file = search->file ? search->file->path : user_file(sources);
  if (!search->file) return;
  const fs::path path = search->file->path;
  out.files.push_back(path);
  Place place{path, 0, 0};
  auto project = judge_present(std::move(*search->file), below_project(sources, out.merged.root),
                               TrustList(sources.trust_directory), place);
  if (!project) return leave_out(std::move(project).error(), place, out);
  if (!project->accepted()) return refuse(*project, out);
  merge_layer(std::move(project->document), out);
}

Result<Layers> unless_unread(Layers layers) {
  for (UnreadFile& file : layers.unread) {
    if (!file.has_violations) return std::move(file.error);
  }
  return layers;
}

Layers collect_lower_layers(const Sources& sources) {
  Layers layers;
  layers.merged.root = Json::object();
  for (const fs::path& file : {sources.system_file, user_file(sources)}) {
    merge_own_file(file, layers);
  }
  return layers;
}

void place_all(const Json& value, const std::string& at, const Place& place, Document& out) {
  out.places[at] = place;
  if (!value.is_structured()) return;
  for (const auto& [key, member] : value.items()) {
    place_all(member, child_pointer(at, key), place, out);
  }
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
  *at = parse_value(value);
  place_all(*at, pointer, {origin, 0, 0}, document);
  return document;
}

/// Values from outside a file, merged as one layer.
class ValueLayer {
 public:
  explicit ValueLayer(Layers& out) : out_(out) { all_.root = Json::object(); }
  void add(std::string_view dotted, const std::string& value, const std::string& origin) {
    const auto parts = split(dotted, '.');
    if (parts.size() > kMaxNesting) {
      out_.mistakes.push_back({{printable_exact(origin, 60), 0, 0},
                               "",
                               "the name has more than " + std::to_string(kMaxNesting) + " parts",
                               {}});
      return;
    }
    Document document = single_value(parts, value, origin);
    const auto violations = violations_in(document);
    if (!violations.empty()) {
      std::ranges::move(at_places(document, violations), std::back_inserter(out_.mistakes));
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
      out.mistakes.push_back(
          {{origin, 0, 0}, "", key.error().message + ". " + key.error().hint, {}});
    } else if (!key->empty()) {
      values.add(*key, value, origin);
    }
  }
  values.apply();
}

/// Records mistakes in named models whose table is spread over layers: one that has a name in a
/// layer, and its provider in another, was an instance in neither.
void take_spread_instances(Layers& out) {
  auto violations = check_model_instances(out.merged.root);
  // The name of the table itself was checked in the layer of its provider.
  std::erase_if(violations,
                [](const FieldError& one) { return std::ranges::count(one.field, '/') == 2; });
  take_violations(out.merged, violations, out.mistakes);
}

/// Their names have no extension; a path may be empty.
std::vector<NamedFile> configuration_files(const Sources& sources) {
  if (sources.file) return {{"given", *sources.file}};
  return {{"system", sources.system_file},
          {"user", user_file(sources)},
          {"project", sources.working_directory.empty()
                          ? fs::path()
                          : sources.working_directory / kProjectFileName}};
}

}  // namespace

fs::path user_file(const Sources& sources) {
  return sources.user_directory.empty() ? fs::path() : sources.user_directory / "quarry.toml";
}

std::vector<fs::path> files_of(const Sources& sources) {
  std::vector<fs::path> out;
  for (auto& [name, file] : configuration_files(sources)) out.push_back(std::move(file));
  if (!sources.file) out.push_back(sources.trust_directory);
  return out;
}

std::vector<NamedFile> named_files(const Sources& sources) {
  std::vector<NamedFile> out;
  for (const auto& [name, file] : configuration_files(sources)) {
    if (file.empty()) continue;
    out.push_back({name + ".toml", file});
    out.push_back({name + ".lock", file.parent_path() / "quarry.lock"});
  }
  return out;
}

Result<Layers> read_lower_layers(const Sources& sources) {
  return unless_unread(collect_lower_layers(sources));
}

Layers collect_layers(const Sources& sources) {
  Layers layers;
  layers.merged.root = Json::object();
  if (sources.file) {
    merge_named_file(*sources.file, layers);
  } else {
    layers = collect_lower_layers(sources);
    merge_project_file(sources, layers);
  }
  merge_environment(sources, layers);
  ValueLayer flags(layers);
  for (const auto& [dotted, value] : sources.flags) flags.add(dotted, value, "flag " + dotted);
  flags.apply();
  take_spread_instances(layers);
  return layers;
}

Result<Layers> read_layers(const Sources& sources) {
  return unless_unread(collect_layers(sources));
}

}  // namespace quarry::config
