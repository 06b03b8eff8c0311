#include "cli/answer_printer.h"
#include "cli/connection.h"
#include "cli/verbs.h"

#include <filesystem>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

/// What reads as a path is a folder, asked about in place, and the engine wants it absolute;
/// anything else is a name or a reference.
Result<std::string> resource_reference(const std::string& text) {
  const bool path = text.starts_with('/') || text.starts_with('.') || text.starts_with('~');
  std::error_code failed;
  const bool folder = std::filesystem::is_directory(text, failed);
  if (!folder && path && !text.starts_with('~')) {
    return Error{Code::kNotFound, "there is no folder \"" + text + "\"", "Check the spelling."};
  }
  const bool holds_slash = text.find('/') != std::string::npos && !text.starts_with('@');
  if (!folder || !(path || holds_slash)) return text;
  return std::filesystem::canonical(text, failed).string();
}

Result<std::string> question_params(const Arguments& arguments) {
  Json params = {{"question", arguments.question}};
  for (const std::string& resource : arguments.resources) {
    auto reference = resource_reference(resource);
    if (!reference) return std::move(reference).error();
    params["resources"].push_back(std::move(*reference));
  }
  return to_text(params);
}

}  // namespace

Result<ExitCode> run_ask(Context& context) {
  const auto params = question_params(context.arguments);
  if (!params) return params.error();
  auto connection = connect(context.arguments);
  if (!connection) return std::move(connection).error();
  if (!context.arguments.quiet) {
    for (const std::string& problem : (*connection)->problems()) context.terminal.note(problem);
  }
  AnswerPrinter printer(context.terminal, {context.arguments.json, context.arguments.quiet});
  const Status asked =
      (*connection)
          ->ask(*params, context.signals,
                [&](std::string_view type, std::string_view json) { printer.show(type, json); });
  if (!asked) return asked.error();
  if (printer.failure()) return *printer.failure();
  if (!printer.readable()) return ExitCode::kFailure;
  return printer.cancelled() ? ExitCode::kInterrupted : ExitCode::kOk;
}

}  // namespace quarry::cli
