#include "base/file.h"
#include "engine/joined_text.h"
#include "engine/locking.h"
#include "engine/methods/methods.h"
#include "engine/outcome_rows.h"
#include "engine/preparations.h"
#include "resources/lock_file.h"

#include <algorithm>

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

using resources::LockedResource;
using resources::Prepared;
using LockFile = std::vector<LockedResource>;

const LockedResource* find(const LockFile& lock, const std::string& name) {
  const auto found = std::ranges::find(lock, name, &LockedResource::name);
  return found == lock.end() ? nullptr : &*found;
}

/// Row of `quarry lock` for one resource: its version, and the previous one if it changed.
Json row_of(const LockedResource& locked, const LockFile& before) {
  Json out = {
      {"name", locked.name}, {"version", locked.version.id}, {"display", locked.version.display}};
  const LockedResource* was = find(before, locked.name);
  if (was != nullptr && resources::lock_file_text({*was}) != resources::lock_file_text({locked})) {
    out["was"] = was->version.display;
  }
  out["changed"] = was == nullptr || out.contains("was");
  return out;
}

/// Writes the file unless its content is the same. Replaces a damaged file, too.
Status write_lock_file(const std::filesystem::path& file, const LockFile& lock) {
  const std::string text = resources::lock_file_text(lock);
  const auto now = read_file(file);
  if (now && *now == text) return {};
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);  // the write reports failures
  Status written = write_file_atomically(file, text);
  return written ? Status() : Status(std::move(written).error().tagged("ConfigError"));
}

/// One run of `quarry lock`.
struct Locking {
  std::shared_ptr<const State> state;
  std::vector<ask::WantedResource> wanted;
  std::vector<std::string> unlocked;  ///< names of resources read in place

  Result<std::string> finish(std::vector<Result<Prepared>> outcomes) const {
    Json answer = {{"file", lock_file_of(state->config).string()}, {"unlocked", unlocked}};
    LockFile lock;
    Json failed = Json::array();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const Json& resource = wanted[i].resource;
      const auto outcome = current(std::move(outcomes[i]));
      if (outcome) {
        lock.push_back({resource["name"], lock_source(*state, resource), version_of(*outcome)});
      } else {
        failed.push_back(outcome_row(resource["name"], outcome));
      }
    }
    if (!failed.empty()) {
      answer["resources"] = std::move(failed);
      answer["written"] = false;
      return to_text(answer);
    }
    return write(lock, std::move(answer));
  }

 private:
  static plugins::ResourceVersion version_of(const Prepared& prepared) {
    plugins::ResourceVersion version;
    version.id = prepared.version;
    version.immutable = true;
    version.display = prepared.display;
    version.integrity = prepared.integrity;
    return version;
  }

  Result<std::string> write(const LockFile& lock, Json answer) const {
    const auto file = lock_file_of(state->config);
    const LockFile before = resources::read_lock_file(file).value_or(LockFile());
    if (Status written = write_lock_file(file, lock); !written) return std::move(written).error();
    answer["written"] = true;
    answer["resources"] = Json::array();
    for (const auto& locked : lock) answer["resources"].push_back(row_of(locked, before));
    answer["removed"] = Json::array();
    for (const auto& was : before) {
      if (find(lock, was.name) == nullptr) answer["removed"].push_back(was.name);
    }
    return to_text(answer);
  }
};

void lock_resources(const MethodServices& engine, const Json&, const Task& task) {
  Locking locking{engine.state.now(), {}, {}};
  auto wanted = resources_to_sync(*locking.state, {});
  if (!wanted) return task.reply(std::move(wanted).error());
  if (wanted->empty()) {
    return task.reply(Error{Code::kNotFound,
                            "no resource is configured, so there is nothing to lock",
                            "Add one: quarry add <folder or reference>"}
                          .tagged("ConfigError"));
  }
  for (auto& resource : *wanted) {
    if (is_read_in_place(*locking.state, resource.resource)) {
      locking.unlocked.push_back(resource.resource["name"]);
    } else {
      locking.wanted.push_back(std::move(resource));
    }
  }
  prepare_all(engine.library, engine.host.clock, locking.wanted, task.trace, task.stop,
              task.progress, [task, locking](std::vector<Result<Prepared>> outcomes) {
                task.reply(locking.finish(std::move(outcomes)));
              });
}

}  // namespace

void add_lock_methods(MethodTable& table) {
  table.add({.name = "resources.lock",
             .summary = "Writes the versions of all resources to the lock file; nothing is "
                        "written when one fails, whose row is then as in resources.sync. Those "
                        "that are read in place stay unlocked.",
             .result = kLockResult.view(),
             .run = Started{lock_resources}});
}

}  // namespace quarry::engine
