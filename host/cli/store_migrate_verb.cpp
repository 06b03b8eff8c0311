#include "cli/connection.h"
#include "cli/verbs.h"
#include "plugins/store.h"

#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

/// What a migration does, or did.
std::string sentence(const plugins::StoreSchema& schema, bool done) {
  const std::string from = std::to_string(schema.number);
  const std::string to = std::to_string(schema.newest);
  if (schema.number == schema.newest) return "the store has schema " + to + ", the newest";
  if (schema.number == 0) {
    return done ? "created the store with schema " + to
                : "there is no store yet; it would be created with schema " + to;
  }
  return (done ? "migrated the store from schema " : "would migrate the store from schema ") +
         from + " to " + to;
}

Result<ExitCode> run_migrate(bool dry_run, Context& context) {
  const auto started = start_store(context.terminal, context.common);
  if (!started) return started.error();
  plugins::Store& store = started->store;
  const auto schema = store.schema({});
  if (!schema) return Error(schema.error()).in("the store");
  // A newer one is refused by its own error, which names both numbers.
  if (!dry_run || schema->number > schema->newest) {
    if (const auto opened = store.open({}); !opened) return Error(opened.error()).in("the store");
  }
  if (context.common.json) {
    context.terminal.out_json(to_text({{"schema", schema->number},
                                       {"newest", schema->newest},
                                       {"migrated", !dry_run && schema->number < schema->newest}}));
  } else {
    context.terminal.out_line(sentence(*schema, !dry_run));
  }
  return ExitCode::kOk;
}

}  // namespace

Verb store_verb(CommonOptions&) {
  return {"store", "Manage the store of projects and tokens", {}};
}

Verb store_migrate_verb(CommonOptions& common) {
  const auto dry_run = std::make_shared<bool>(false);
  return {"store migrate", "Update the schema of the store, as the first use of it does",
          with_json(common, {{"--dry-run", "", "Say what would be done, and change nothing",
                              dry_run.get()}}),
          [dry_run](Context& context) { return run_migrate(*dry_run, context); }};
}

}  // namespace quarry::cli
