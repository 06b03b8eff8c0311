#include "cli/thread_markdown.h"

#include "cli/answer_printer.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

constexpr std::size_t kLongestReference = 1000;

/// The decimal numbers in `text`.
std::vector<int> line_numbers_in(std::string_view text) {
  std::vector<int> out;
  while (!text.empty()) {
    int number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool found = failed == std::errc() && text.front() != '-';
    if (found) out.push_back(number);
    text.remove_prefix(found ? static_cast<std::size_t>(end - text.data()) : 1);
  }
  return out;
}

bool refers_to(std::string_view reference, const Json& citation) {
  const std::string place = citation.value("resource", "") + ":" + citation.value("path", "");
  if (!reference.starts_with(place)) return false;
  const std::string_view rest = reference.substr(place.size());
  const int start = citation.value("startLine", 0);
  const int end = citation.value("endLine", 0);
  if (start == 0) return rest.empty();
  if (rest.empty() || (rest.front() != '#' && rest.front() != ':')) return false;
  const auto lines = line_numbers_in(rest);
  return !lines.empty() && lines.front() == start && lines.back() == end;
}

/// "[2]" for the text between brackets, "[1] [2]" for several citations; nothing if one is unknown.
std::optional<std::string> numbers_of(std::string_view references, const Json& citations) {
  std::string out;
  while (!references.empty()) {
    const std::size_t end = std::min(references.find_first_of(",;"), references.size());
    std::string_view one = references.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    std::size_t number = 0;
    while (number < citations.size() && !refers_to(one, citations[number])) ++number;
    if (number == citations.size()) return std::nullopt;
    out += (out.empty() ? "[" : " [") + std::to_string(number + 1) + "]";
    references.remove_prefix(std::min(end + 1, references.size()));
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

std::string with_numbers(std::string_view answer, const Json& citations) {
  std::string out;
  while (!answer.empty()) {
    const std::size_t open = std::min(answer.find('['), answer.size());
    out += answer.substr(0, open);
    answer.remove_prefix(open);
    if (answer.empty()) break;
    const std::size_t close = answer.find(']');
    const auto numbers = close < kLongestReference
                             ? numbers_of(answer.substr(1, close - 1), citations)
                             : std::nullopt;
    out += numbers.value_or("[");
    answer.remove_prefix(numbers ? close + 1 : 1);
  }
  return out;
}

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

std::string source_list(const Json& citations) {
  std::string out;
  for (std::size_t i = 0; i < citations.size(); ++i) {
    const std::string url = citations[i].value("url", "");
    const std::string text = stored_source_text(citations[i]);
    out += std::to_string(i + 1) + ". " + (url.empty() ? text : "[" + text + "](<" + url + ">)");
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
  if (turn.contains("costUsd")) add("$" + turn["costUsd"].dump());
  for (const Json& snapshot : turn.value("snapshots", Json::array())) {
    add(snapshot.value("resource", "") + " " + snapshot.value("version", ""));
  }
  return out;
}

std::string turn_markdown(const Json& turn) {
  const Json citations = turn.value("citations", Json::array());
  std::string out = "\n" + block_quote(turn.value("question", "")) + "\n";
  out += with_numbers(turn.value("answer", ""), citations);
  if (!out.ends_with('\n')) out += "\n";
  out += ending_text(turn);
  if (!citations.empty()) out += "\nSources:\n\n" + source_list(citations);
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
