#include "engine/methods/sync_methods.h"

#include "base/time_text.h"
#include "base/utf8.h"
#include "engine/joined_text.h"
#include "engine/locking.h"
#include "engine/outcome_rows.h"
#include "engine/preparations.h"
#include "engine/requests.h"
#include "engine/resource_choice.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr auto kLockResult = joined(R"json({
  "type": "object", "required": ["file", "written", "resources", "unlocked"],
  "properties": {
    "file": {"type": "string"}, "written": {"type": "boolean"},
    "unlocked": {"type": "array", "items": {"type": "string"}},
    "removed": {"type": "array", "items": {"type": "string"}},
    "resources": {"type": "array", "items": {
      "type": "object", "required": ["name"],
      "properties": {
        "name": {"type": "string"}, "version": {"type": "string"}, "display": {"type": "string"},
        "changed": {"type": "boolean"}, "was": {"type": "string"},
        "error": )json",
                                    kRowErrorSchema, R"json(
      },
      "anyOf": [{"required": ["version", "display", "changed"]}, {"required": ["error"]}]}}
  }
})json");

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

constexpr std::string_view kFileResult = R"json({
  "type": "object", "required": ["name", "path", "version", "startLine", "total", "lines"],
  "properties": {
    "name": {"type": "string"}, "path": {"type": "string"}, "version": {"type": "string"},
    "startLine": {"type": "integer", "minimum": 1},
    "total": {"type": "integer", "minimum": 0},
    "lines": {"type": "array", "items": {"type": "string"}}
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

}  // namespace

void SyncMethods::add_to(MethodTable& table) {
  table.add({.name = "resources.sync",
             .summary = "Checks the source of this resource, or of all, for updates. A name may "
                        "be a reference. One that fails has its error in its row.",
             .params = kOptionalNameParams,
             .result = kOutcomeRowsSchema,
             .run = Started{std::bind_front(&SyncMethods::sync, this)}});
  table.add({.name = "resources.kept",
             .summary = "What is kept of each named resource on the disk, without contacting its "
                        "source: the last version that was read, its files and bytes of text, and "
                        "when it was fetched and last known to be current. One that was not read "
                        "has no row.",
             .result = kKeptResult,
             .run = OnWorker{std::bind_front(&SyncMethods::kept, this)}});
  table.add({.name = "resources.show",
             .summary = "What is read of a resource: its version, its files, and the rules that "
                        "leave out entries of a folder that is read in place.",
             .params = kNameParams,
             .result = kShownResult,
             .run = Started{std::bind_front(&SyncMethods::show, this)}});
  table.add({.name = "resources.file",
             .summary = "Lines of a file of the snapshot, at most 2,000 and 1 MiB. The source is "
                        "not asked for updates. A name may be a reference.",
             .params = kFileParams,
             .result = kFileResult,
             .run = Started{std::bind_front(&SyncMethods::file, this)}});
  table.add({.name = "resources.lock",
             .summary = "Writes the versions of all resources to the lock file; nothing is "
                        "written when one fails, whose row is then as in resources.sync. Those "
                        "that are read in place stay unlocked.",
             .result = kLockResult.view(),
             .run = Started{std::bind_front(&SyncMethods::lock, this)}});
  table.add({.name = "cache.clear",
             .summary = "Removes the snapshots of this resource, or of all.",
             .params = kOptionalNameParams,
             .result = kClearResult,
             .run = OnWorker{std::bind_front(&SyncMethods::clear_cache, this)}});
}

Result<std::vector<ask::WantedResource>> SyncMethods::resources_to_sync(const State& state,
                                                                        const std::string& name) {
  if (state.lock) return locked_update_error();
  std::vector<std::string> names;
  if (!name.empty()) names.push_back(name);
  ResourceChoice choice(state);
  auto wanted = choice.choose(names, resources::Freshness::kSync);
  if (wanted || wanted.error().code != Code::kNotFound) return wanted;
  return no_such_name(choice, name);
}

void SyncMethods::sync(const Json& params, const Task& task) {
  const auto now = state_.now();
  auto wanted = resources_to_sync(*now, text_of(params, "name"));
  if (!wanted) return task.reply(std::move(wanted).error());
  prepare_all(library_, clock_, *wanted, task.trace, task.stop, task.progress,
              [task, wanted = *wanted](std::vector<Result<resources::Prepared>> outcomes) {
                task.reply(to_text(outcome_rows(wanted, std::move(outcomes))));
              });
}

Answer SyncMethods::kept(const Json&) {
  const auto now = state_.now();
  Json rows = Json::array();
  for (const Json& resource : now->resources) {
    const std::string name = resource["name"];
    const std::vector<std::string> names = {name};
    const auto wanted = ResourceChoice(*now).choose(names, resources::Freshness::kOffline);
    if (!wanted) continue;
    const auto& one = wanted->front();
    const auto kept = library_.kept(one.resource, one.prepare_options);
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

void SyncMethods::show(const Json& params, const Task& task) {
  const auto now = state_.now();
  const std::vector<std::string> names = {text_of(params, "name")};
  auto wanted = named(ResourceChoice(*now).choose(names, resources::Freshness::kPolicy));
  if (!wanted) return task.reply(std::move(wanted).error());
  prepare_all(library_, clock_, *wanted, task.trace, task.stop, task.progress,
              [this, task](std::vector<Result<resources::Prepared>> outcomes) {
                workers_.submit([&library = library_, task, outcome = std::move(outcomes.front())] {
                  if (!outcome) return task.reply(outcome.error());
                  auto rows = library.left_out(*outcome, task.stop);
                  if (!rows) return task.reply(std::move(rows).error());
                  Json value = shown(*outcome);
                  value["leftOut"] = left_out_rows(*rows);
                  task.reply(to_text(value));
                });
              });
}

Answer SyncMethods::clear_cache(const Json& params) {
  const std::string name = text_of(params, "name");
  std::optional<Json> resource;
  if (!name.empty()) {
    const auto now = state_.now();
    ResourceChoice choice(*now);
    auto found = choice.find(name);
    if (!found && found.error().code == Code::kNotFound) {
      return no_such_name(choice, name);
    }
    if (!found) return std::move(found).error();
    resource = std::move(*found);
  }
  const auto cleared = library_.clear(resource);
  if (!cleared) return Error(cleared.error()).tagged("ResourceError");
  return to_text({{"cleared", *cleared}});
}

}  // namespace quarry::engine
