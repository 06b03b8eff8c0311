#include "base/text.h"
#include "cli/answer_printer.h"
#include "cli/connection.h"
#include "cli/resource_reference.h"
#include "cli/standard_input.h"
#include "cli/verbs.h"

#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

/// Bytes that a question takes from standard input.
constexpr std::size_t kMaxInput = std::size_t{1} << 20;

struct AskOptions {
  std::vector<std::string> resources;
  std::vector<std::string> question;  ///< words; a last "-" is standard input
  std::optional<bool> sync;           ///< check the sources for updates now, or do not
  bool locked = false;                ///< use the versions of quarry.lock
  bool quiet = false;
  bool plain = false;          ///< print markdown as it is
  std::string thread;          ///< may be empty
  bool continue_last = false;  ///< continue the most recent thread
};

/// The question with what standard input adds to it.
Result<std::string> question_of(std::vector<std::string> words, Signals& signals) {
  const bool has_input = words.back() == "-";
  if (has_input) words.pop_back();
  std::string question = join(words, " ");
  if (!has_input) return question;
  const auto input = read_standard_input(signals, kMaxInput);
  if (!input) return input.error();
  if (input->size() > kMaxInput) {
    return usage_error("standard input has more than 1 MiB",
                       "Name the file or its folder with -r.");
  }
  return question.empty() ? *input : question + "\n\n" + *input;
}

Result<Json> question_params(const AskOptions& options, Signals& signals) {
  auto question = question_of(options.question, signals);
  if (!question) return std::move(question).error();
  Json params = {{"question", std::move(*question)}};
  if (options.sync) params["sync"] = *options.sync;
  return params;
}

/// Conversation of a question; a new one unless the options name one.
Result<std::string> thread_of(const AskOptions& options, Connection& connection) {
  if (options.continue_last) return last_thread(connection);
  return options.thread.empty() ? fresh_thread() : options.thread;
}

Result<ExitCode> run_ask(const AskOptions& options, Context& context) {
  auto params = question_params(options, context.signals);
  if (!params) return params.error();
  auto connection = connect(context, {.locked = options.locked, .quiet = options.quiet});
  if (!connection) return std::move(connection).error();
  const auto resources = resource_references(**connection, options.resources);
  if (!resources) return resources.error();
  if (!resources->empty()) (*params)["resources"] = *resources;
  auto thread = thread_of(options, **connection);
  if (!thread) return std::move(thread).error();
  (*params)["thread"] = std::move(*thread);
  AnswerPrinter printer(context.terminal, {context.common.json, options.quiet, options.plain});
  const Status asked =
      (*connection)->ask(to_text(*params), [&](std::string_view type, std::string_view json) {
        printer.show(type, json);
        return printer.readable();
      });
  if (!asked) return asked.error();
  if (printer.failure()) return *printer.failure();
  if (!printer.readable()) return ExitCode::kFailure;
  if (printer.cancelled()) return ExitCode::kInterrupted;
  (*connection)->finish_indexes(context.terminal);
  return printer.incomplete() ? ExitCode::kIncomplete : ExitCode::kOk;
}

}  // namespace

Verb ask_verb(CommonOptions& common) {
  const auto options = std::make_shared<AskOptions>();
  return {
      "ask", "Ask a question and print the answer as it arrives",
      with_server(
          common,
          {resource_option(options->resources, "Ask over this resource"),
           {"question",
            "",
            "The question, in quotation marks or not; a last - adds standard input",
            &options->question,
            {.required = true}},
           {"--sync,!--no-sync", "",
            "Check the sources for updates before the answer, or contact none of them",
            &options->sync},
           {"--locked", "", kLockedHelp, &options->locked, {.excludes = {"--sync", "--server"}}},
           {"-q,--quiet", "", "Print only the answer", &options->quiet},
           {"--plain", "", "Print the answer as the model wrote it, also on a terminal",
            &options->plain},
           {"--thread", "ID", "Continue this conversation, or start one of this name",
            &options->thread},
           {"--continue",
            "",
            "Continue the most recent conversation",
            &options->continue_last,
            {.excludes = {"--thread"}}}}),
      [options](Context& context) { return run_ask(*options, context); }};
}

}  // namespace quarry::cli
