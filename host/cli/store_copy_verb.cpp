#include "backup/store_files.h"
#include "cli/connection.h"
#include "cli/verbs.h"
#include "services/paths.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

Result<StartedStore> open_store(Terminal& terminal, const CommonOptions& common) {
  auto started = start_store(terminal, common);
  if (!started) return std::move(started).error();
  if (const auto opened = started->store.open({}); !opened) {
    return Error(opened.error()).in("the store");
  }
  return started;
}

Status copy_store(plugins::Store& from, plugins::Store& to, const backup::Cancelled& cancelled) {
  auto roots = services::Paths::roots();
  if (!roots) return std::move(roots).error();
  services::Paths paths(std::move(*roots));
  const auto files = paths.temp("store");
  if (!files) return files.error();
  const fs::path dump = files->path() / "dump.json";
  const fs::path audit = files->path() / "audit.jsonl";
  if (Status written = backup::write_store(from, dump, audit, cancelled); !written) {
    return std::move(written).error().in("the store of this configuration");
  }
  return backup::load_store(to, dump, audit, cancelled);
}

std::string counted(std::size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

Result<ExitCode> run_copy(const CommonOptions& other, Context& context) {
  const std::string file = other.config_file->string();
  const auto in_other = [&](const Error& error) {
    return error.message.starts_with(file) ? error : Error(error).in(file);
  };
  const auto from = open_store(context.terminal, context.common);
  if (!from) return from.error();
  const auto to = open_store(context.terminal, other);
  if (!to) return in_other(to.error());
  const auto there = to->store.projects({});
  if (!there) return in_other(there.error());
  if (!there->empty()) {
    return in_other(
        {Code::kInvalidArgument,
         "the store has projects already, as \"" + there->front().name + "\"",
         "To replace them, make a backup of this store (quarry backup DIR --only store) "
         "and restore it there."});
  }
  const Status copied = copy_store(from->store, to->store, [&signals = context.signals] {
    return signals.wait(-1, std::chrono::milliseconds(0)).has_value();
  });
  if (!copied) return in_other(copied.error());
  const auto projects = to->store.projects({});
  const auto tokens = to->store.tokens({}, "");
  if (!projects) return in_other(projects.error());
  if (!tokens) return in_other(tokens.error());
  if (context.common.json) {
    context.terminal.out_json(
        to_text({{"projects", projects->size()}, {"tokens", tokens->size()}}));
    return ExitCode::kOk;
  }
  context.terminal.out_line("copied " + counted(projects->size(), "project") + " and " +
                            counted(tokens->size(), "token") + " to the store of " + file);
  return ExitCode::kOk;
}

}  // namespace

Verb store_copy_verb(CommonOptions& common) {
  const auto other = std::make_shared<CommonOptions>();
  return {"store copy", "Copy projects, tokens and audit to the store of another configuration",
          with_json(common, {{"file",
                              "",
                              "A configuration file with the other [store]",
                              &other->config_file,
                              {.required = true}}}),
          [other](Context& context) { return run_copy(*other, context); }};
}

}  // namespace quarry::cli
