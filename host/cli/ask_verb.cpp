#include "cli/answer_printer.h"
#include "cli/connection.h"
#include "cli/verbs.h"

#include <cstdio>
#include <filesystem>
#include <random>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

/// Converts a path to the absolute path that the engine requires; any other text is a name or a
/// reference.
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

Result<Json> question_params(const Arguments& arguments) {
  Json params = {{"question", arguments.question}};
  for (const std::string& resource : arguments.resources) {
    auto reference = resource_reference(resource);
    if (!reference) return std::move(reference).error();
    params["resources"].push_back(std::move(*reference));
  }
  if (arguments.sync) params["sync"] = *arguments.sync;
  return params;
}

/// A thread id that is unique for this user and short enough to type.
std::string fresh_thread() {
  std::random_device random;
  char text[16];
  std::snprintf(text, sizeof text, "%08x%04x", random() & 0xffffffffu, random() & 0xffffu);
  return text;
}

/// Conversation of a question; a new one unless the arguments name one.
Result<std::string> thread_of(const Arguments& arguments, Connection& connection) {
  if (!arguments.continue_last) {
    return arguments.thread.empty() ? fresh_thread() : arguments.thread;
  }
  const auto listed = connection.call("threads.list", "{}");
  if (!listed) return listed.error();
  const Json threads = (*parse_json(*listed))["threads"];
  if (!threads.empty()) return threads[0]["id"].get<std::string>();
  return Error{Code::kNotFound, "there is no conversation to continue",
               "Ask without --continue first: every question starts one."};
}

}  // namespace

Result<ExitCode> run_ask(Context& context) {
  auto params = question_params(context.arguments);
  if (!params) return params.error();
  auto connection = connect(context);
  if (!connection) return std::move(connection).error();
  auto thread = thread_of(context.arguments, **connection);
  if (!thread) return std::move(thread).error();
  (*params)["thread"] = std::move(*thread);
  AnswerPrinter printer(context.terminal, {context.arguments.json, context.arguments.quiet});
  const Status asked =
      (*connection)
          ->ask(to_text(*params), context.signals,
                [&](std::string_view type, std::string_view json) { printer.show(type, json); });
  if (!asked) return asked.error();
  if (printer.failure()) return *printer.failure();
  if (!printer.readable()) return ExitCode::kFailure;
  return printer.cancelled() ? ExitCode::kInterrupted : ExitCode::kOk;
}

}  // namespace quarry::cli
