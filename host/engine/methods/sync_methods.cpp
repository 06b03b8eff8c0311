#include "base/time_text.h"
#include "base/utf8.h"
#include "engine/locking.h"
#include "engine/methods/methods.h"
#include "engine/outcome_rows.h"
#include "engine/preparations.h"
#include "engine/requests.h"
#include "engine/resource_choice.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::string_view kKeptResult = R"json({
  "type": "object", "required": ["resources"],
  "properties": {"resources": {"type": "array", "items": {
    "type": "object",
    "required": ["name", "version", "display", "files", "bytes", "fetchedAt", "currentAt"],
    "properties": {
      "name": {"type": "string"}, "version": {"type": "string"}, "display": {"type": "string"},
      "files": {"type": "integer", "minimum": 0}, "bytes": {"type": "integer", "minimum": 0},
      "fetchedAt": {"type": "string"}, "currentAt": {"type": "string"}}}}}
})json";

constexpr std::string_view kShownResult = R"json({
  "type": "object",
  "required": ["name", "type", "version", "display", "files", "notes", "leftOut"],
  "properties": {
    "name": {"type": "string"}, "type": {"type": "string"}, "version": {"type": "string"},
    "display": {"type": "string"}, "folder": {"type": "string"},
    "files": {"type": "integer", "minimum": 0},
    "notes": {"type": "array", "items": {"type": "string"}},
    "leftOut": {"type": "array", "items": {
      "type": "object", "required": ["rule", "entries", "examples"],
      "properties": {
        "rule": {"type": "string"}, "entries": {"type": "integer", "minimum": 1},
        "examples": {"type": "array", "items": {"type": "string"}}}}}
  }
})json";

/// The value of resources.show, but "leftOut".
Json shown(const resources::Prepared& prepared) {
  const auto resource = parse_json(prepared.resource);
  Json out{{"name", prepared.name},
           {"type", resource ? resource->value("type", "") : ""},
           {"version", prepared.version},
           {"display", to_utf8(prepared.display)},
           {"files", prepared.snapshot->files().size()},
           {"notes", Json::array()}};
  for (const std::string& note : prepared.notes) out["notes"].push_back(to_utf8(note));
  if (!prepared.folder.empty()) out["folder"] = to_utf8(prepared.folder.string());
  return out;
}

Json left_out_rows(const std::vector<corpus::IgnoredBy>& found) {
  Json rows = Json::array();
  for (const corpus::IgnoredBy& by : found) {
    Json examples = Json::array();
    for (const std::string& path : by.examples) examples.push_back(to_utf8(path));
    rows.push_back(
        {{"rule", to_utf8(by.rule)}, {"entries", by.entries}, {"examples", std::move(examples)}});
  }
  return rows;
}

constexpr std::string_view kClearResult = R"json({
  "type": "object", "required": ["cleared"],
  "properties": {"cleared": {"type": "integer", "minimum": 0}}
})json";

/// The error for a name that is the subject of the request.
Error no_such_name(const ResourceChoice& choice, const std::string& name) {
  Error error = choice.unknown_name(name);
  error.tag = "ConfigError";
  return error;
}

/// Tags kNotFound as ConfigError, because the name is the subject of the request.
template <class Value>
Result<Value> named(Result<Value> found) {
  if (!found && found.error().code == Code::kNotFound) found.error().tag = "ConfigError";
  return found;
}

void sync_resources(const MethodServices& engine, const Json& params, const Task& task) {
  const auto now = engine.state.now();
  auto wanted = resources_to_sync(*now, text_of(params, "name"));
  if (!wanted) return task.reply(std::move(wanted).error());
  prepare_all(engine.library, engine.host.clock, *wanted, task.trace, task.stop, task.progress,
              [task, wanted = *wanted](std::vector<Result<resources::Prepared>> outcomes) {
                task.reply(to_text(outcome_rows(wanted, std::move(outcomes))));
              });
}

Answer list_kept(const MethodServices& engine, const Json&) {
  const auto now = engine.state.now();
  Json rows = Json::array();
  for (const Json& resource : now->resources) {
    const std::string name = resource["name"];
    const std::vector<std::string> names = {name};
    const auto wanted = ResourceChoice(*now).choose(names, resources::Freshness::kOffline);
    if (!wanted) continue;
    const auto& one = wanted->front();
    const auto kept = engine.library.kept(one.resource, one.prepare_options);
    if (!kept) continue;
    rows.push_back({{"name", name},
                    {"version", kept->version},
                    {"display", to_utf8(kept->display)},
                    {"files", kept->files},
                    {"bytes", kept->bytes},
                    {"fetchedAt", rfc3339(kept->fetched_at)},
                    {"currentAt", rfc3339(kept->current_at)}});
  }
  return to_text({{"resources", std::move(rows)}});
}

void show_resource(const MethodServices& engine, const Json& params, const Task& task) {
  const auto now = engine.state.now();
  const std::vector<std::string> names = {text_of(params, "name")};
  auto wanted = named(ResourceChoice(*now).choose(names, resources::Freshness::kPolicy));
  if (!wanted) return task.reply(std::move(wanted).error());
  prepare_all(engine.library, engine.host.clock, *wanted, task.trace, task.stop, task.progress,
              [&engine, task](std::vector<Result<resources::Prepared>> outcomes) {
                engine.host.workers.submit(
                    [&library = engine.library, task, outcome = std::move(outcomes.front())] {
                      if (!outcome) return task.reply(outcome.error());
                      auto rows = library.left_out(*outcome, task.stop);
                      if (!rows) return task.reply(std::move(rows).error());
                      Json value = shown(*outcome);
                      value["leftOut"] = left_out_rows(*rows);
                      task.reply(to_text(value));
                    });
              });
}

Answer clear_cache(const MethodServices& engine, const Json& params) {
  const std::string name = text_of(params, "name");
  std::optional<Json> resource;
  if (!name.empty()) {
    const auto now = engine.state.now();
    ResourceChoice choice(*now);
    auto found = choice.find(name);
    if (!found && found.error().code == Code::kNotFound) {
      return no_such_name(choice, name);
    }
    if (!found) return std::move(found).error();
    resource = std::move(*found);
  }
  const auto cleared = engine.library.clear(resource);
  if (!cleared) return Error(cleared.error()).tagged("ResourceError");
  return to_text({{"cleared", *cleared}});
}

}  // namespace

Result<std::vector<ask::WantedResource>> resources_to_sync(const State& state,
                                                           const std::string& name) {
  if (state.lock) return locked_update_error();
  std::vector<std::string> names;
  if (!name.empty()) names.push_back(name);
  ResourceChoice choice(state);
  auto wanted = choice.choose(names, resources::Freshness::kSync);
  if (wanted || wanted.error().code != Code::kNotFound) return wanted;
  return no_such_name(choice, name);
}

void add_sync_methods(MethodTable& table) {
  table.add({.name = "resources.sync",
             .summary = "Checks the source of this resource, or of all, for updates. A name may "
                        "be a reference. One that fails has its error in its row.",
             .params = kOptionalNameParams,
             .result = kOutcomeRowsSchema,
             .run = Started{sync_resources}});
  table.add({.name = "resources.kept",
             .summary = "What is kept of each named resource on the disk, without contacting its "
                        "source: the last version that was read, its files and bytes of text, and "
                        "when it was fetched and last known to be current. One that was not read "
                        "has no row.",
             .result = kKeptResult,
             .run = OnWorker{list_kept}});
  table.add({.name = "resources.show",
             .summary = "What is read of a resource: its version, its files, and the rules that "
                        "leave out entries of a folder that is read in place.",
             .params = kNameParams,
             .result = kShownResult,
             .run = Started{show_resource}});
  table.add({.name = "cache.clear",
             .summary = "Removes the snapshots of this resource, or of all.",
             .params = kOptionalNameParams,
             .result = kClearResult,
             .run = OnWorker{clear_cache}});
}

}  // namespace quarry::engine
