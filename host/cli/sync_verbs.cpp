#include "cli/connection.h"
#include "cli/verbs.h"

#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

/// Calls a method that prepares resources, showing their progress, prints the result, as JSON or by
/// `show`, and completes the indexes and vectors.
Result<ExitCode> prepare(Context& context, const std::string& method, const Json& params,
                         ExitCode (*show)(Context&, const Json&)) {
  auto connection = connect(context);
  if (!connection) return std::move(connection).error();
  const auto answer = call_with_progress(context, **connection, method, params);
  if (!answer) return answer.error();
  if (context.common.json) context.terminal.out_json(*answer);
  const auto result = parse_json(*answer);
  if (!result) return result.error();
  const ExitCode code = show(context, *result);
  if ((*connection)->finish_indexes(context.terminal)) {
    (*connection)->finish_vectors(context.terminal);
  }
  return code;
}

/// Prints each failure; returns the exit code of the first, or success.
ExitCode show_failures(Terminal& terminal, const Json& rows) {
  ExitCode code = ExitCode::kOk;
  for (const Json& row : rows) {
    if (!row.contains("error")) continue;
    const Error error = error_from_json(to_text(row["error"]));
    terminal.error(error);
    if (code == ExitCode::kOk) code = exit_code_of(error);
  }
  return code;
}

std::string change_of(const Json& row) {
  if (row.contains("was")) return row["was"].get<std::string>() + " -> " + row.value("display", "");
  return row.value("display", "") + (row.value("changed", false) ? ", new" : ", unchanged");
}

void print_rows(Terminal& terminal, const Json& rows) {
  for (const Json& row : rows) {
    if (row.contains("error")) continue;
    terminal.out_line(row.value("name", "") + ": " + change_of(row));
  }
}

ExitCode show_synced(Context& context, const Json& synced) {
  const Json& rows = synced["resources"];
  if (!context.common.json) print_rows(context.terminal, rows);
  if (rows.empty())
    context.terminal.note("No resource is configured. Add one: quarry add <folder>");
  return show_failures(context.terminal, rows);
}

ExitCode show_locked(Context& context, const Json& locked) {
  const Json& rows = locked["resources"];
  if (!locked.value("written", false)) return show_failures(context.terminal, rows);
  if (context.common.json) return ExitCode::kOk;
  print_rows(context.terminal, rows);
  for (const Json& name : locked["removed"]) {
    context.terminal.out_line(name.get<std::string>() + ": no longer configured");
  }
  for (const Json& name : locked["unlocked"]) {
    context.terminal.out_line(name.get<std::string>() + ": read in place, not locked");
  }
  return ExitCode::kOk;
}

Result<ExitCode> run_sync(const std::string& name, Context& context) {
  Json params = Json::object();
  if (!name.empty()) params["name"] = name;
  return prepare(context, "resources.sync", params, show_synced);
}

Result<ExitCode> run_lock(Context& context) {
  return prepare(context, "resources.lock", Json::object(), show_locked);
}

}  // namespace

Verb sync_verb(CommonOptions& common) {
  const auto name = std::make_shared<std::string>();
  return {"sync", "Check the sources of resources for updates",
          with_server(common, {{"name", "", "Only this resource", name.get()}}),
          [name](Context& context) { return run_sync(*name, context); }};
}

Verb lock_verb(CommonOptions& common) {
  return {"lock", "Write the current versions of resources to quarry.lock", with_json(common),
          run_lock};
}

}  // namespace quarry::cli
