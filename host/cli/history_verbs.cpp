#include "base/file.h"
#include "base/text.h"
#include "cli/connection.h"
#include "cli/text_table.h"
#include "cli/thread_markdown.h"
#include "cli/verbs.h"

#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

struct UsageOptions {
  std::string since;  ///< a day or an age; may be empty
  std::string by;     ///< may be empty
};

std::vector<std::string> usage_row(std::string key, const Json& sums) {
  std::vector<std::string> out{std::move(key)};
  for (const char* count :
       {"questions", "calls", "inputTokens", "cacheReadTokens", "outputTokens"}) {
    out.push_back(grouped(sums[count].get<std::int64_t>()));
  }
  out.push_back(fixed(sums["costUsd"].get<double>(), 4));
  return out;
}

void print_usage(Terminal& terminal, const Json& report) {
  std::vector<std::vector<std::string>> rows{
      {report["by"], "questions", "calls", "input", "cached", "output", "cost USD"}};
  for (const Json& row : report["rows"]) rows.push_back(usage_row(row["key"], row));
  rows.push_back(usage_row("total", report["total"]));
  terminal.out(text_table(rows, {false, true, true, true, true, true, true}));
  if (const Json& unpriced = report["unpricedCalls"]; unpriced != 0) {
    terminal.note(unpriced.dump() +
                  " calls have no known price, or not for all their tokens; "
                  "their unknown costs are not in the sums.");
  }
}

/// An RFC 3339 time as "2026-11-21 08:15".
std::string minute(const std::string& time) {
  std::string out = time.substr(0, 16);
  if (out.size() > 10) out[10] = ' ';
  return out;
}

Result<ExitCode> run_usage(const UsageOptions& options, Context& context) {
  Json params = Json::object();
  if (!options.since.empty()) params["since"] = options.since;
  if (!options.by.empty()) params["by"] = options.by;
  const auto report = call_engine(context, "usage.report", params);
  if (!report) return report.error();
  if (!context.common.json) print_usage(context.terminal, *report);
  return ExitCode::kOk;
}

Result<ExitCode> run_threads_list(Context& context) {
  const auto listed = call_engine(context, "threads.list", Json::object());
  if (!listed) return listed.error();
  if (context.common.json) return ExitCode::kOk;
  std::vector<std::vector<std::string>> rows;
  for (const Json& thread : (*listed)["threads"]) {
    rows.push_back(
        {thread["id"], minute(thread["updated"]), thread["turns"].dump(), thread["title"]});
  }
  context.terminal.out(text_table(rows, {false, false, true, false}));
  if (rows.empty()) context.terminal.note("No conversation is stored. Each question starts one.");
  return ExitCode::kOk;
}

Result<ExitCode> run_threads_show(const std::string& id, Context& context) {
  const auto thread = call_engine(context, "threads.show", {{"id", id}});
  if (!thread) return thread.error();
  if (context.common.json) return ExitCode::kOk;
  std::string text;
  for (const Json& turn : (*thread)["turns"]) {
    text += (text.empty() ? "> " : "\n> ") + turn["question"].get<std::string>() + "\n\n" +
            turn["answer"].get<std::string>() + "\n" + ending_text(turn);
    const std::string sources = sources_text(turn);
    if (!sources.empty()) text += "\n" + sources;
  }
  context.terminal.out(text);
  return ExitCode::kOk;
}

struct ExportOptions {
  std::string id;
  std::string file;  ///< empty = standard output
};

Result<ExitCode> run_threads_export(const ExportOptions& options, Context& context) {
  const auto thread = call_engine(context, "threads.show", {{"id", options.id}});
  if (!thread) return thread.error();
  if (context.common.json) return ExitCode::kOk;
  const std::string text = thread_markdown(*thread);
  if (options.file.empty()) {
    context.terminal.out(text);
    return ExitCode::kOk;
  }
  if (Status written = write_file_atomically(options.file, text); !written) {
    return std::move(written).error();
  }
  context.terminal.note("wrote " + options.file);
  return ExitCode::kOk;
}

using Words = std::vector<std::string>;

Result<ExitCode> run_threads_search(const Words& words, Context& context) {
  const auto found = call_engine(context, "threads.list", {{"q", join(words, " ")}});
  if (!found) return found.error();
  if (context.common.json) return ExitCode::kOk;
  for (const Json& thread : (*found)["threads"]) {
    context.terminal.out_line(thread["id"].get<std::string>() + "  " + minute(thread["updated"]) +
                              "  " + thread["title"].get<std::string>());
    for (const Json& match : thread["matches"]) {
      context.terminal.out_line("  " + match["turn"].dump() + ": " +
                                match["snippet"].get<std::string>());
    }
  }
  if ((*found)["threads"].empty()) context.terminal.note("No stored conversation has these words.");
  return ExitCode::kOk;
}

struct Renaming {
  std::string id;
  Words title;
};

Result<ExitCode> run_threads_rename(const Renaming& renaming, Context& context) {
  const auto renamed = call_engine(context, "threads.rename",
                                   {{"id", renaming.id}, {"title", join(renaming.title, " ")}});
  if (!renamed) return renamed.error();
  if (!context.common.json) context.terminal.out_line("renamed " + renaming.id);
  return ExitCode::kOk;
}

Result<ExitCode> run_threads_remove(const std::string& id, Context& context) {
  const auto removed = call_engine(context, "threads.remove", {{"id", id}});
  if (!removed) return removed.error();
  if (!context.common.json) context.terminal.out_line("removed " + id);
  return ExitCode::kOk;
}

}  // namespace

Verb usage_verb(CommonOptions& common) {
  const auto options = std::make_shared<UsageOptions>();
  return {
      "usage", "Sum up what questions used and cost",
      with_server(common, {{"--since", "DAY|AGE",
                            "From a day (2026-11-01, UTC), or an age: 7d, 24h", &options->since},
                           {"--by",
                            "",
                            "A row for each model, resource or day",
                            &options->by,
                            {.one_of = {"model", "resource", "day"}}}}),
      [options](Context& context) { return run_usage(*options, context); }};
}

Verb threads_verb(CommonOptions& common) {
  return {"threads", "List the stored conversations", with_server(common), run_threads_list};
}

Verb threads_list_verb(CommonOptions& common) {
  return {"threads list", "List them, the most recent first", with_server(common),
          run_threads_list};
}

Verb threads_show_verb(CommonOptions& common) {
  const auto id = std::make_shared<std::string>();
  return {"threads show", "Print a conversation",
          with_server(common, {{"id", "", "Its id", id.get(), {.required = true}}}),
          [id](Context& context) { return run_threads_show(*id, context); }};
}

Verb threads_export_verb(CommonOptions& common) {
  const auto options = std::make_shared<ExportOptions>();
  return {"threads export", "Write a conversation as Markdown, with its sources",
          with_server(common, {{"id", "", "Its id", &options->id, {.required = true}},
                               {"-o,--output", "FILE", "Write to this file, not to the output",
                                &options->file}}),
          [options](Context& context) { return run_threads_export(*options, context); }};
}

Verb threads_search_verb(CommonOptions& common) {
  const auto words = std::make_shared<Words>();
  return {"threads search", "Find conversations by words of their questions and answers",
          with_server(common, {{"words",
                                "",
                                "All must be there; the last may be the beginning of one",
                                words.get(),
                                {.required = true}}}),
          [words](Context& context) { return run_threads_search(*words, context); }};
}

Verb threads_rename_verb(CommonOptions& common) {
  const auto renaming = std::make_shared<Renaming>();
  return {"threads rename", "Give a conversation another title",
          with_server(common, {{"id", "", "Its id", &renaming->id, {.required = true}},
                               {"title", "", "Its title", &renaming->title, {.required = true}}}),
          [renaming](Context& context) { return run_threads_rename(*renaming, context); }};
}

Verb threads_remove_verb(CommonOptions& common) {
  const auto id = std::make_shared<std::string>();
  return {"threads remove", "Remove a conversation",
          with_server(common, {{"id", "", "Its id", id.get(), {.required = true}}}),
          [id](Context& context) { return run_threads_remove(*id, context); }};
}

}  // namespace quarry::cli
