#include "base/file.h"
#include "base/text.h"
#include "cli/connection.h"
#include "cli/resource_reference.h"
#include "cli/score_text.h"
#include "cli/search_evaluation.h"
#include "cli/verbs.h"

#include <cstdint>
#include <filesystem>
#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

/// Options of the verbs that read resources; each verb has some of them.
struct RetrievalOptions {
  std::vector<std::string> resources;
  std::string subject;  ///< the positional argument; may be empty for "list" and "symbols"
  std::string path;
  std::string include;
  std::string glob;
  std::string kind;
  bool ignore_case = false;
  bool references = false;
  bool explain = false;
  bool words_only = false;
  std::optional<std::uint32_t> context;
  std::optional<std::uint32_t> start_line;
  std::optional<std::uint32_t> end_line;
  std::optional<std::uint32_t> limit;
  std::optional<std::uint32_t> max_tokens;
  std::string cursor;
  std::optional<std::filesystem::path> questions;  ///< of --evaluate
};

/// A verb and its engine method.
struct Retrieval {
  std::string method;   ///< of the engine
  std::string subject;  ///< name of the positional argument's parameter
};

Json arguments_of(const Retrieval& retrieval, const RetrievalOptions& options) {
  Json params = Json::object();
  const auto add = [&](const std::string& name, const std::string& text) {
    if (!text.empty()) params[name] = text;
  };
  const auto add_number = [&](const char* name, const std::optional<std::uint32_t>& number) {
    if (number) params[name] = *number;
  };
  add("path", options.path);
  add(retrieval.subject, options.subject);
  add("include", options.include);
  add("glob", options.glob);
  add("kind", options.kind);
  add("cursor", options.cursor);
  if (options.ignore_case) params["ignoreCase"] = true;
  if (options.references) params["references"] = true;
  if (options.explain) params["explain"] = true;
  if (options.words_only) params["wordsOnly"] = true;
  add_number("context", options.context);
  add_number("startLine", options.start_line);
  add_number("endLine", options.end_line);
  add_number("limit", options.limit);
  add_number("maxTokens", options.max_tokens);
  return params;
}

/// The lines of a source, each as one line whatever it contains.
void print_lines(Terminal& terminal, const std::string& text) {
  for (const std::string_view line : split(text, '\n')) terminal.out_line(line);
}

void print_hits(Terminal& terminal, const Json& hits) {
  for (const Json& hit : hits) {
    const std::string heading = hit.value("heading", "");
    terminal.out_line(hit.value("citation", "") + (heading.empty() ? "" : "  " + heading));
    if (hit.contains("explain")) terminal.out(explanation_text(hit["explain"]));
    print_lines(terminal, hit.value("text", ""));
    terminal.out_line("");
  }
}

void print_entries(Terminal& terminal, const Json& entries) {
  for (const Json& entry : entries) {
    std::string line = entry.value("path", "");
    for (const std::string one : {"line", "file", "byte"}) {
      const auto count = entry.find(one + "s");
      if (count != entry.end()) line += "  " + count->dump() + ' ' + one + (*count == 1 ? "" : "s");
    }
    const std::string kind = entry.value("kind", "");
    if (kind != "file" && kind != "directory" && kind != "resource") line += ", " + kind;
    terminal.out_line(line);
  }
}

void print_notes(Terminal& terminal, const Json& answer) {
  for (const Json& stale : answer.value("stale", Json::array())) {
    terminal.note("warning: \"" + stale.value("name", "") + "\" is not current (" +
                  stale.value("message", "") + ")");
  }
  for (const Json& row : answer.value("failed", Json::array())) {
    terminal.note("warning: \"" + row.value("name", "") + "\" could not be used (" +
                  row["error"].value("message", "") + ")");
  }
  if (answer.contains("note")) terminal.note(answer.value("note", ""));
  if (answer.contains("cursor")) terminal.note("More: --cursor " + answer.value("cursor", ""));
}

Result<ExitCode> run_retrieval(const Retrieval& retrieval, const RetrievalOptions& options,
                               Context& context) {
  auto connection = connect(context);
  if (!connection) return std::move(connection).error();
  const auto references = resource_references(**connection, options.resources);
  if (!references) return references.error();
  Json params = arguments_of(retrieval, options);
  if (!references->empty()) params["resources"] = *references;
  const auto text = call_with_progress(context, **connection, retrieval.method, params);
  if (!text) return text.error();
  const auto answer = parse_json(*text);
  if (!answer) return answer.error();
  if (context.common.json) {
    context.terminal.out_json(*text);
  } else {
    if (answer->contains("question")) {
      context.terminal.out_line(question_form_text((*answer)["question"]));
      context.terminal.out_line("");
    }
    print_hits(context.terminal, answer->value("hits", Json::array()));
    print_entries(context.terminal, answer->value("entries", Json::array()));
    print_notes(context.terminal, *answer);
  }
  (*connection)->finish_indexes(context.terminal);
  return ExitCode::kOk;
}

Result<std::vector<corpus::JudgedQuestion>> judged_questions(const std::filesystem::path& file) {
  const auto text = read_file(file);
  if (!text) return text.error();
  auto questions = corpus::read_judged_questions(*text);
  if (!questions) return std::move(questions).error().in(file.string());
  return questions;
}

Result<ExitCode> run_evaluation(const RetrievalOptions& options, Context& context) {
  const auto questions = judged_questions(*options.questions);
  if (!questions) return questions.error();
  auto connection = connect(context);
  if (!connection) return std::move(connection).error();
  const auto resources = resource_references(**connection, options.resources);
  if (!resources) return resources.error();
  const auto ranks = ranks_of_answers(
      *questions, *resources, **connection,
      [&](std::size_t asked) {
        context.terminal.status("question " + std::to_string(asked + 1) + " of " +
                                std::to_string(questions->size()));
      },
      options.words_only);
  context.terminal.clear_status();
  if (!ranks) return ranks.error();
  const Json evaluation = evaluation_of(*questions, *ranks);
  if (context.common.json) {
    context.terminal.out_json(to_text(evaluation));
  } else {
    context.terminal.out(evaluation_table(evaluation));
  }
  return ExitCode::kOk;
}

Result<ExitCode> run_search(const Retrieval& retrieval, const RetrievalOptions& options,
                            Context& context) {
  if (options.questions) return run_evaluation(options, context);
  if (options.subject.empty()) {
    return usage_error("query is required",
                       "Write a question, or name a file of questions with --evaluate.");
  }
  return run_retrieval(retrieval, options, context);
}

/// `rows`, then the options of every such verb.
std::vector<Option> with_pages(CommonOptions& common, RetrievalOptions& options,
                               std::vector<Option> rows) {
  rows.push_back(resource_option(options.resources, "Read this resource, instead of all"));
  rows.push_back({"--max-tokens", "N",
                  "Budget of the output, 200 to 8000; a token is estimated for 4 bytes of JSON",
                  &options.max_tokens});
  rows.push_back(
      {"--cursor", "TEXT", "Continue the output that named this cursor", &options.cursor});
  return with_server(common, std::move(rows));
}

Verb retrieval_verb(const std::string& name, const char* summary, Retrieval retrieval,
                    const std::shared_ptr<RetrievalOptions>& options, std::vector<Option> rows) {
  return {name, summary, std::move(rows),
          [options, retrieval = std::move(retrieval)](Context& context) {
            return run_retrieval(retrieval, *options, context);
          }};
}

}  // namespace

Verb search_verb(CommonOptions& common) {
  const auto options = std::make_shared<RetrievalOptions>();
  return {
      "search", "Find the passages that fit a question best",
      with_pages(
          common, *options,
          {{"query", "", "A question or a few words", &options->subject},
           {"--path", "PATH", "Look in this directory or file, such as docs/guide", &options->path},
           {"--limit", "N", "Passages to show, 1 to 50; default: 10", &options->limit},
           {"--explain", "", "Show which evidence gave which part of each score",
            &options->explain},
           {"--words-only", "", "Rank by words alone, not by meaning too", &options->words_only},
           {"--evaluate",
            "FILE",
            "Search for each question of FILE, one JSON object a line with \"question\" "
            "and \"files\", and measure how far up the files are found",
            &options->questions,
            {.excludes = {"query", "--path", "--limit", "--explain", "--max-tokens",
                          "--cursor"}}}}),
      [options](Context& context) {
        return run_search({"tools.search", "query"}, *options, context);
      }};
}

Verb grep_verb(CommonOptions& common) {
  const auto options = std::make_shared<RetrievalOptions>();
  return retrieval_verb(
      "grep", "Find the lines that match a regular expression", {"tools.grep", "pattern"}, options,
      with_pages(
          common, *options,
          {{"pattern", "", "A regular expression (RE2)", &options->subject, {.required = true}},
           {"--path", "PATH", "Look in this file or directory, such as docs/guide", &options->path},
           {"--include", "GLOB", "Look in the files that fit, such as *.md", &options->include},
           {"-i,--ignore-case", "", "Upper and lower case are the same", &options->ignore_case},
           {"--context", "N", "Lines before and after each match, 0 to 10", &options->context},
           {"--limit", "N", "Matching lines to show, 1 to 1000; default: 100", &options->limit}}));
}

Verb symbols_verb(CommonOptions& common) {
  const auto options = std::make_shared<RetrievalOptions>();
  return retrieval_verb(
      "symbols", "Find definitions and references, or outline a file", {"tools.symbols", "name"},
      options,
      with_pages(
          common, *options,
          {{"name", "", "A name, such as Parser.parse, or parse* for all that begin so",
            &options->subject},
           {"--path", "PATH",
            "Look in this file or directory; without a name, list the definitions of this file",
            &options->path},
           {"--kind", "KIND", "Find definitions of this kind, such as method", &options->kind},
           {"--references",
            "",
            "Find the lines that use the name, instead of its definitions",
            &options->references,
            {.excludes = {"--kind"}}},
           {"--limit", "N",
            "Results to show, 1 to 1000; default: 20 definitions, 100 references, or 200 "
            "definitions of a file",
            &options->limit}}));
}

Verb read_verb(CommonOptions& common) {
  const auto options = std::make_shared<RetrievalOptions>();
  return retrieval_verb(
      "read", "Print lines of a file", {"tools.read", "path"}, options,
      with_pages(
          common, *options,
          {{"path", "", "The file, such as docs/guide.md", &options->subject, {.required = true}},
           {"--start", "LINE", "First line; default: 1", &options->start_line},
           {"--end", "LINE", "Last line; default: the last of the file", &options->end_line}}));
}

Verb list_verb(CommonOptions& common) {
  const auto options = std::make_shared<RetrievalOptions>();
  return retrieval_verb(
      "list", "List the files of resources", {"tools.list", "path"}, options,
      with_pages(
          common, *options,
          {{"path", "", "The directory, such as docs/guide; default: the resources",
            &options->subject},
           {"--glob", "GLOB", "The files at any depth that fit, such as **/*.md", &options->glob},
           {"--limit", "N", "Entries to show, 1 to 1000; default: 200", &options->limit}}));
}

}  // namespace quarry::cli
