#include "backup/backup.h"
#include "backup/restore.h"
#include "base/size_text.h"
#include "base/text.h"
#include "base/working_directory.h"
#include "cli/connection.h"
#include "cli/verbs.h"
#include "services/paths.h"

#include <chrono>
#include <memory>
#include <numeric>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;
using backup::Part;

struct BackupOptions {
  std::string directory;
  std::vector<std::string> only;  ///< names of parts; empty = all
};

/// The directory of a backup, and what to do with it.
struct Task {
  fs::path directory;
  fs::path state;
  FileLock lock;
  backup::Work work;
};

std::vector<Option> options_of(CommonOptions& common, BackupOptions& options,
                               const char* directory_help) {
  std::vector<std::string> parts;
  for (const Part part : backup::kParts) parts.emplace_back(name_of(part));
  return with_json(common,
                   {{"directory", "", directory_help, &options.directory, {.required = true}},
                    {"--only",
                     "PART",
                     "Only this part; may be repeated",
                     &options.only,
                     {.one_each = true, .one_of = std::move(parts)}}});
}

Result<Task> begin(const BackupOptions& options, Context& context) {
  auto roots = services::Paths::roots();
  if (!roots) return std::move(roots).error();
  auto state = services::Paths(*roots).state();
  if (!state) return std::move(state).error();
  auto lock = backup::lock_state(*state);
  if (!lock) return std::move(lock).error();
  auto directory = absolute_path(options.directory);
  if (!directory) return std::move(directory).error();
  Task out{std::move(*directory),
           std::move(*state),
           std::move(*lock),
           {{}, QUARRY_VERSION, std::chrono::system_clock::now(), [&signals = context.signals] {
              return signals.wait(-1, std::chrono::milliseconds(0)).has_value();
            }}};
  if (!out.directory.has_filename()) out.directory = out.directory.parent_path();
  for (const std::string& name : options.only) out.work.parts.insert(*backup::part_named(name));
  if (options.only.empty()) {
    out.work.parts.insert(std::begin(backup::kParts), std::end(backup::kParts));
  }
  return out;
}

/// Where the parts are. The engine, which keeps the store, is started for the store alone.
Result<backup::Places> find_places(const Task& task, bool with_store, Context& context,
                                   engine::EnginePointer& engine) {
  backup::Places out{task.state, named_files(config_sources(context.common)), nullptr};
  if (!with_store) return out;
  auto started = start_engine(context.terminal, context.common, {.store = true, .quiet = true});
  if (!started) {
    Error error = std::move(started).error();
    error.hint +=
        (error.hint.empty() ? "" : " ") + std::string(
                                              "The other parts need no store: --only configuration "
                                              "--only history.");
    return error;
  }
  engine = std::move(*started);
  out.store = engine->store();
  return out;
}

Json names_of(const std::vector<Part>& parts) {
  Json out = Json::array();
  for (const Part part : parts) out.push_back(name_of(part));
  return out;
}

std::vector<Part> parts_of(const backup::Manifest& manifest) {
  std::vector<Part> out;
  for (const Part part : backup::kParts) {
    if (manifest.has(part)) out.push_back(part);
  }
  return out;
}

std::string listed(const std::vector<Part>& parts) {
  std::string out;
  for (const Part part : parts) out += (out.empty() ? "" : ", ") + std::string(name_of(part));
  return out;
}

Result<ExitCode> run_backup(const BackupOptions& options, Context& context) {
  auto task = begin(options, context);
  if (!task) return std::move(task).error();
  engine::EnginePointer engine;
  const auto places = find_places(*task, task->work.parts.contains(Part::kStore), context, engine);
  if (!places) return places.error();
  const auto made = backup::back_up(*places, task->directory, task->work);
  if (!made) return made.error();
  const auto& files = made->manifest.files;
  const std::uint64_t bytes =
      std::accumulate(files.begin(), files.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const auto& file) { return sum + file.bytes; });
  if (made->removed_a_rest) context.terminal.note("removed the rest of a backup that was killed");
  const auto parts = parts_of(made->manifest);
  if (context.common.json) {
    context.terminal.out_json(to_text({{"directory", task->directory.string()},
                                       {"parts", names_of(parts)},
                                       {"files", files.size()},
                                       {"bytes", bytes}}));
    return ExitCode::kOk;
  }
  context.terminal.out_line("backed up " + listed(parts) + " to " + task->directory.string() +
                            " (" + size_text(bytes) + ")");
  return ExitCode::kOk;
}

Result<ExitCode> run_restore(const BackupOptions& options, Context& context) {
  auto task = begin(options, context);
  if (!task) return std::move(task).error();
  const auto manifest = backup::read_manifest(task->directory);
  if (!manifest) return manifest.error();
  const bool with_store = task->work.parts.contains(Part::kStore) && manifest->has(Part::kStore);
  engine::EnginePointer engine;
  const auto places = find_places(*task, with_store, context, engine);
  if (!places) return places.error();
  const auto done = backup::restore(*places, task->directory, options.only.empty(), task->work);
  if (!done) return done.error();
  if (context.common.json) {
    Json out{{"parts", names_of(done->parts)}, {"replacedFiles", Json::array()}};
    for (const fs::path& file : done->files) out["replacedFiles"].push_back(file.string());
    if (done->replaced) out["replaced"] = done->replaced->string();
    context.terminal.out_json(to_text(out));
    return ExitCode::kOk;
  }
  context.terminal.out_line("restored " + listed(done->parts) + " of " + manifest->created);
  for (const fs::path& file : done->files) context.terminal.out_line("replaced " + file.string());
  if (done->replaced) {
    context.terminal.note("What was there before: quarry restore " +
                          shell_word(done->replaced->string()));
  }
  return ExitCode::kOk;
}

}  // namespace

Verb backup_verb(CommonOptions& common) {
  const auto options = std::make_shared<BackupOptions>();
  return {"backup", "Back up configuration, history and store, also while a server runs",
          options_of(common, *options, "A directory that does not exist yet"),
          [options](Context& context) { return run_backup(*options, context); }};
}

Verb restore_verb(CommonOptions& common) {
  const auto options = std::make_shared<BackupOptions>();
  return {"restore", "Replace configuration, history and store by those of a backup",
          options_of(common, *options, "The directory of the backup"),
          [options](Context& context) { return run_restore(*options, context); }};
}

}  // namespace quarry::cli
