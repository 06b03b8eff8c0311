#include "cli/answer_printer.h"
#include "cli/connection.h"
#include "cli/verbs.h"

#include <filesystem>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

/// A folder is asked about in place; the engine wants it absolute. Anything else is a name.
std::string resource_reference(const std::string& text) {
  std::error_code ignored;
  const bool path_like = text.find('/') != std::string::npos || text == "." || text == "..";
  if (!path_like || text.starts_with('@') || text.find("://") != std::string::npos) return text;
  if (!std::filesystem::is_directory(text, ignored)) return text;
  return std::filesystem::canonical(text, ignored).string();
}

std::string question_params(const Arguments& arguments) {
  Json params = {{"question", arguments.question}};
  for (const std::string& resource : arguments.resources) {
    params["resources"].push_back(resource_reference(resource));
  }
  return to_text(params);
}

}  // namespace

Result<ExitCode> run_ask(Context& context) {
  auto connection = connect(context.arguments);
  if (!connection) return std::move(connection).error();
  if (!context.arguments.quiet) {
    for (const std::string& problem : (*connection)->problems()) context.terminal.note(problem);
  }
  AnswerPrinter printer(context.terminal, {context.arguments.json, context.arguments.quiet});
  const Status asked =
      (*connection)
          ->ask(question_params(context.arguments), context.signals,
                [&](std::string_view type, std::string_view json) { printer.show(type, json); });
  if (!asked) return asked.error();
  if (printer.failure()) return *printer.failure();
  if (!printer.readable()) return ExitCode::kFailure;
  return printer.cancelled() ? ExitCode::kInterrupted : ExitCode::kOk;
}

}  // namespace quarry::cli
