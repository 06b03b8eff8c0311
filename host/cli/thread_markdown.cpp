#include "cli/thread_markdown.h"

#include "cli/answer_printer.h"
#include "cli/citation_numbers.h"

#include <cstddef>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

std::string block_quote(std::string_view text) {
  std::string out = "> ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "> ";
  }
  return out + "\n";
}

std::string stored_source_text(const Json& citation) {
  std::string out = cited_place(citation);
  const std::string version = citation.value("version", "");
  if (!version.empty()) out += " (" + version + ")";
  if (!citation.value("verified", false)) out += ", not verified";
  return out;
}

std::string source_list(const Json& citations, CitationNumbers& numbers) {
  std::string out;
  for (const auto& [number, found] : by_number(citations, numbers)) {
    const Json& citation = *found;
    const std::string url = citation.value("url", "");
    const std::string text = stored_source_text(citation);
    out += std::to_string(number) + ". " + (url.empty() ? text : "[" + text + "](<" + url + ">)");
    out += "\n";
  }
  return out;
}

/// "2026-11-22T13:49:05Z, openai/gpt-x, $0.0028, docs 05b77a29".
std::string turn_facts(const Json& turn) {
  std::string out = turn.value("asked", "");
  const auto add = [&](const std::string& fact) { out += (out.empty() ? "" : ", ") + fact; };
  if (turn.contains("model")) {
    add(turn["model"].value("provider", "") + "/" + turn["model"].value("model", ""));
  }
  if (turn.value("costUsd", 0.0) > 0) add("$" + turn["costUsd"].dump());  // 0: unknown too
  for (const Json& snapshot : turn.value("snapshots", Json::array())) {
    add(snapshot.value("resource", "") + " " + snapshot.value("version", ""));
  }
  return out;
}

std::string turn_markdown(const Json& turn) {
  const Json citations = turn.value("citations", Json::array());
  std::string out = "\n" + block_quote(turn.value("question", "")) + "\n";
  CitationNumbers numbers;
  for (const Json& citation : citations) numbers.add_resource(citation.value("resource", ""));
  out += numbers.numbered(turn.value("answer", ""));
  if (!out.ends_with('\n')) out += "\n";
  out += ending_text(turn);
  if (!citations.empty()) out += "\nSources:\n\n" + source_list(citations, numbers);
  if (!turn.contains("citations")) out += "\nThe sources of this answer were not kept.\n";
  const std::string about = turn_facts(turn);
  return about.empty() ? out : out + "\n*" + about + "*\n";
}

}  // namespace

std::string ending_text(const Json& turn) {
  if (turn.contains("error")) return "\n(failed: " + turn["error"].value("message", "") + ")\n";
  const std::string reason = turn.value("finishReason", "stop");
  return reason == "stop" ? "" : "\n(incomplete: " + reason + ")\n";
}

std::string sources_text(const Json& turn) {
  std::string out;
  std::size_t number = 0;
  for (const Json& citation : turn.value("citations", Json::array())) {
    out += "[" + std::to_string(++number) + "] " + stored_source_text(citation) + "\n";
  }
  return out;
}

std::string thread_markdown(const Json& thread) {
  std::string out = "# " + thread.value("title", "") + "\n\nConversation " +
                    thread.value("id", "") + ", " + thread.value("created", "") + " to " +
                    thread.value("updated", "") + "\n";
  for (const Json& turn : thread["turns"]) out += turn_markdown(turn);
  return out;
}

}  // namespace quarry::cli
