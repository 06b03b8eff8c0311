#include "base/text.h"
#include "base/working_directory.h"
#include "cli/answer_printer.h"
#include "cli/chat_commands.h"
#include "cli/connection.h"
#include "cli/editor_program.h"
#include "cli/line_editor.h"
#include "cli/resource_reference.h"
#include "cli/text_table.h"
#include "cli/verbs.h"
#include "services/paths.h"

#include <quarry/base64.hpp>
#include <quarry/events.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <sstream>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

struct ChatOptions {
  std::vector<std::string> resources;
  std::string thread;
  bool continue_last = false;
  bool plain = false;
};

/// One question of this conversation that was answered.
struct Turn {
  std::string question;
  Json done;
};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// The conversation as a document.
std::string markdown_of(const std::vector<Turn>& turns) {
  std::string out;
  for (const Turn& turn : turns) {
    if (!out.empty()) out += '\n';
    out += "## " + turn.question + "\n\n" + turn.done.value("text", "") + "\n";
    const Json citations = turn.done.value("citations", Json::array());
    for (std::size_t i = 0; i < citations.size(); ++i) {
      const Json& citation = citations[i];
      const std::string place = citation.value("resource", "") + "/" + citation.value("path", "") +
                                "#L" + std::to_string(citation.value("startLine", 0));
      const std::string url = citation.value("url", "");
      out += (i == 0 ? "\n" : "") + std::to_string(i + 1) + ". " +
             (url.empty() ? place : "[" + place + "](" + url + ")") +
             (citation.value("verified", false) ? "\n" : " (not verified)\n");
    }
  }
  return out;
}

/// A conversation on a terminal.
class Chat {
 public:
  Chat(const ChatOptions& options, Context& context, Connection& connection, fs::path history)
      : options_(options),
        context_(context),
        connection_(connection),
        chosen_(options.resources),
        thread_(options.thread.empty() ? fresh_thread() : options.thread),
        editor_(context.signals, std::move(history),
                [this](std::string_view line, std::string_view word) {
                  return chat_completions(line, word, names_);
                }) {}

  Result<ExitCode> run();

 private:
  Status obey(const ChatLine& line);
  Status ask(const std::string& question);
  Status load_names();
  Status show_resources();
  Status use(const std::string& names);
  Status add(const std::string& reference);
  Status model(const std::string& wanted);
  Status show_threads();
  Status go_on(const std::string& thread);
  Status ask_from_editor();
  Status copy();
  void show_cost();
  Status save(const std::string& file);
  void show_help();

  const ChatOptions& options_;
  Context& context_;
  Connection& connection_;
  std::vector<std::string> names_;   // of the configured resources
  std::vector<std::string> chosen_;  // empty = all
  std::string thread_;
  std::string asked_;  // the last question
  std::vector<Turn> turns_;
  LineEditor editor_;
  bool ended_ = false;
};

Result<ExitCode> Chat::run() {
  if (Status loaded = load_names(); !loaded) return loaded.error();
  context_.terminal.note("A question, or a command: /help lists them. Ctrl-C stops an answer.",
                         Terminal::Style::kDim);
  while (!ended_) {
    const auto line = editor_.read("> ");
    if (!line) break;
    if (line->interrupted) continue;
    const ChatLine parsed = parse_chat_line(line->text);
    if (parsed.command == ChatCommand::kQuestion && parsed.argument.empty()) continue;
    if (Status obeyed = obey(parsed); !obeyed && obeyed.error().code != Code::kCancelled) {
      context_.terminal.error(obeyed.error());
    }
  }
  return ExitCode::kOk;
}

Status Chat::obey(const ChatLine& line) {
  switch (line.command) {
    case ChatCommand::kQuestion:
      return ask(line.argument);
    case ChatCommand::kResources:
      return show_resources();
    case ChatCommand::kUse:
      return use(line.argument);
    case ChatCommand::kAdd:
      return add(line.argument);
    case ChatCommand::kModel:
      return model(line.argument);
    case ChatCommand::kThreads:
      return show_threads();
    case ChatCommand::kContinue:
      return go_on(line.argument);
    case ChatCommand::kRetry:
      if (!asked_.empty()) return ask(std::string(asked_));
      return Error{Code::kInvalidArgument, "nothing has been asked yet"};
    case ChatCommand::kEditor:
      return ask_from_editor();
    case ChatCommand::kCopy:
      return copy();
    case ChatCommand::kCost:
      show_cost();
      return {};
    case ChatCommand::kSave:
      return save(line.argument);
    case ChatCommand::kNew:
      thread_ = fresh_thread();
      turns_.clear();
      context_.terminal.note("· conversation " + thread_, Terminal::Style::kDim);
      return {};
    case ChatCommand::kHelp:
      show_help();
      return {};
    case ChatCommand::kQuit:
      ended_ = true;
      return {};
    case ChatCommand::kUnknown:
      break;
  }
  return Error{Code::kInvalidArgument, "there is no command \"" + line.argument + "\"",
               "/help lists them."};
}

Status Chat::ask(const std::string& question) {
  asked_ = question;
  std::vector<std::string> asked = chosen_;
  for (std::string& name : mentioned_resources(question, names_)) {
    if (std::ranges::find(asked, name) == asked.end()) asked.push_back(std::move(name));
  }
  const auto references = resource_references(connection_, asked);
  if (!references) return references.error();
  Json params = {{"question", question}, {"thread", thread_}};
  if (!references->empty()) params["resources"] = *references;
  AnswerPrinter printer(context_.terminal, {.plain = options_.plain});
  Status status = connection_.ask(to_text(params), [&](std::string_view type, auto json) {
    printer.show(type, json);
    if (type == name_of(EventType::kDone)) {
      if (auto done = parse_json(json)) turns_.push_back({question, std::move(*done)});
    }
    return printer.readable();
  });
  if (!status) return status;
  if (printer.failure()) return *printer.failure();
  if (!printer.readable()) ended_ = true;
  return {};
}

Status Chat::show_threads() {
  constexpr std::size_t kMost = 20;
  const auto listed = connection_.call("threads.list", "{}");
  if (!listed) return listed.error();
  const Json threads = (*parse_json(*listed))["threads"];
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(threads.size(), kMost); ++i) {
    const std::string id = threads[i].value("id", "");
    rows.push_back({(id == thread_ ? "* " : "  ") + id, threads[i].value("title", "")});
  }
  context_.terminal.out(text_table(rows, {false, false}));
  if (rows.empty()) context_.terminal.note("There is none yet: each chat begins one.");
  return {};
}

Status Chat::go_on(const std::string& thread) {
  auto id = thread.empty() ? last_thread(connection_) : Result<std::string>(thread);
  if (!id) return std::move(id).error();
  const auto stored = connection_.call("threads.show", to_text({{"id", *id}}));
  if (!stored) return stored.error();
  thread_ = std::move(*id);
  turns_.clear();
  const Json turns = parse_json(*stored).value_or(Json())["turns"];
  const std::string last = turns.empty() ? "" : turns.back().value("question", "");
  context_.terminal.note("· conversation " + thread_ + ", after: " + last, Terminal::Style::kDim);
  return {};
}

Status Chat::ask_from_editor() {
  auto written = text_from_editor(asked_);
  // The terminal tells both programs of an interrupt, which was meant for the editor.
  while (const auto signal = context_.signals.wait(-1, std::chrono::milliseconds(0))) {
    ended_ = ended_ || *signal != SIGINT;
  }
  if (ended_) return {};
  if (!written) return std::move(written).error();
  const std::string question(trim(*written));
  if (question.empty()) return {};
  context_.terminal.note("> " + question, Terminal::Style::kDim);
  return ask(question);
}

/// By the sequence with which programs set the clipboard (OSC 52): it works over SSH too.
Status Chat::copy() {
  if (turns_.empty()) return Error{Code::kInvalidArgument, "nothing has been answered yet"};
  const std::string text = turns_.back().done.value("text", "");
  static_cast<void>(context_.terminal.out_drawn("\x1b]52;c;" + to_base64(text) + "\x1b\\"));
  context_.terminal.note("· the answer was given to the terminal to copy", Terminal::Style::kDim);
  return {};
}

Status Chat::load_names() {
  auto names = resource_names(connection_);
  if (!names) return std::move(names).error();
  names_ = std::move(*names);
  return {};
}

Status Chat::show_resources() {
  if (Status loaded = load_names(); !loaded) return loaded;
  for (const std::string& name : names_) {
    const bool asked = chosen_.empty() || std::ranges::find(chosen_, name) != chosen_.end();
    context_.terminal.out_line((asked ? "* " : "  ") + name);
  }
  if (names_.empty()) context_.terminal.note("There is none yet: /add adds one.");
  return {};
}

Status Chat::use(const std::string& names) {
  std::vector<std::string> wanted = words_of(names);
  for (const std::string& name : wanted) {
    if (std::ranges::find(names_, name) != names_.end()) continue;
    return Error{Code::kNotFound, "there is no resource \"" + name + "\"",
                 "/resources lists them; /add adds one."};
  }
  chosen_ = std::move(wanted);
  return show_resources();
}

Status Chat::add(const std::string& reference) {
  if (reference.empty()) {
    return Error{Code::kInvalidArgument, "/add needs a folder, a URL or another reference"};
  }
  const auto resource = recognised_source(connection_, reference);
  if (!resource) return resource.error();
  const auto added = connection_.call("resources.add", to_text(*resource));
  if (!added) return added.error();
  const auto stored = parse_json(*added);
  if (!stored) return stored.error();
  context_.terminal.note("· added " + stored->value("name", ""), Terminal::Style::kDim);
  return load_names();
}

Status Chat::model(const std::string& wanted) {
  if (!wanted.empty()) {
    const std::size_t slash = std::min(wanted.find('/'), wanted.size());
    const Json choice = {{"provider", wanted.substr(0, slash)},
                         {"model", slash == wanted.size() ? "" : wanted.substr(slash + 1)}};
    const auto selected = connection_.call("models.select", to_text(choice));
    if (!selected) return selected.error();
  }
  const auto listed = connection_.call("models.list", "{}");
  if (!listed) return listed.error();
  const auto list = parse_json(*listed);
  if (!list) return list.error();
  const Json chosen = list->value("chosen", Json());
  for (const Json& one : (*list)["providers"]) {
    const std::string model = one.value("model", "");
    const std::string name = one.value("id", "") + (model.empty() ? "" : "/" + model);
    const bool is_chosen =
        chosen.is_object() && chosen.value("provider", "") == one.value("id", "");
    context_.terminal.out_line(
        (is_chosen ? "* " : "  ") + name +
        (one.value("reachable", false) ? "" : ": " + one.value("reason", "")));
  }
  return {};
}

void Chat::show_cost() {
  double dollars = 0;
  std::int64_t tokens = 0;
  bool priced = true;
  for (const Turn& turn : turns_) {
    tokens += turn.done.value(Json::json_pointer("/usage/totalTokens"), std::int64_t{0});
    const Json::json_pointer total("/metrics/pricing/costUsd/total");
    if (turn.done.contains(total)) {
      dollars += turn.done[total].get<double>();
    } else {
      priced = priced && !turn.done.contains("usage");
    }
  }
  const std::string questions = turns_.size() == 1 ? " question, " : " questions, ";
  context_.terminal.out_line(std::to_string(turns_.size()) + questions + grouped(tokens) +
                             " tokens, $" + fixed(dollars, 4) +
                             (priced ? "" : " and calls without a known price"));
}

Status Chat::save(const std::string& file) {
  if (turns_.empty()) return Error{Code::kInvalidArgument, "nothing has been answered yet"};
  const std::string name = file.empty() ? "quarry-" + thread_ + ".md" : file;
  const auto path = absolute_path(name);
  if (!path) return path.error();
  const Fd fd(::open(path->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return system_error(name, errno);
  if (Status written = write_all(fd.get(), markdown_of(turns_)); !written) {
    return Error(written.error()).in(name);
  }
  context_.terminal.note("· saved to " + name, Terminal::Style::kDim);
  return {};
}

void Chat::show_help() {
  std::vector<std::vector<std::string>> rows;
  for (const ChatCommandRow& row : chat_commands()) {
    const std::string argument = row.argument.empty() ? "" : " " + std::string(row.argument);
    rows.push_back({std::string(row.name) + argument, std::string(row.help)});
  }
  context_.terminal.out(text_table(rows, {false, false}));
}

/// Where the lines of chats are kept; empty if the environment names no place.
fs::path history_file() {
  auto roots = services::Paths::roots();
  if (!roots) return {};
  const auto state = services::Paths(std::move(*roots)).state();
  return state ? *state / "chat_history" : fs::path();
}

Result<ExitCode> run_chat(const ChatOptions& options, Context& context) {
  if (::isatty(STDIN_FILENO) == 0 || !context.terminal.out_is_terminal()) {
    return Error{Code::kInvalidArgument, "a chat needs a terminal",
                 "Use \"quarry ask\", with --thread to continue a conversation."};
  }
  auto connection = connect(context);
  if (!connection) return std::move(connection).error();
  ChatOptions chosen = options;
  if (options.continue_last) {
    auto last = last_thread(**connection);
    if (!last) return std::move(last).error();
    chosen.thread = std::move(*last);
  }
  return Chat(chosen, context, **connection, history_file()).run();
}

}  // namespace

Verb chat_verb(CommonOptions& common) {
  const auto options = std::make_shared<ChatOptions>();
  std::vector<Option> rows = {
      resource_option(options->resources, "Ask over this resource"),
      {"--thread", "ID", "Continue this conversation, or start one of this name", &options->thread},
      {"--continue",
       "",
       "Continue the most recent conversation",
       &options->continue_last,
       {.excludes = {"--thread"}}},
      {"--plain", "", "Print answers as the model wrote them", &options->plain}};
  rows.push_back(server_option(common));
  return {"chat", "Ask questions in a conversation, with editing, history and completion",
          std::move(rows), [options](Context& context) { return run_chat(*options, context); }};
}

}  // namespace quarry::cli
