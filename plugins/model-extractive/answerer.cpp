#include "model-extractive/answerer.h"

#include "model-extractive/conversation.h"
#include "model-extractive/excerpt.h"

#include <algorithm>
#include <optional>
#include <regex>

#include <nlohmann/json.hpp>

namespace quarry::extractive {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostPassages = 4;
constexpr std::size_t kMostReadLines = 80;
constexpr std::size_t kMostExcerptLines = 16;
constexpr std::size_t kMostSearched = 8;
constexpr std::size_t kMostHeaderBytes = 2000;
constexpr std::string_view kCutMark = "… (cut;";

/// A location that `search` found: "name/path:12-40".
struct Place {
  std::string path;
  std::uint32_t first;
  std::uint32_t last;
};

std::optional<Place> place_of(const std::string& line) {
  static const std::regex pattern(R"(^(\S.*):(\d{1,9})-(\d{1,9})(\s.*|)$)");
  std::smatch parts;
  if (line.size() > kMostHeaderBytes || !std::regex_match(line, parts, pattern))
    return std::nullopt;
  const auto number = [&](int i) { return static_cast<std::uint32_t>(std::stoul(parts[i])); };
  return Place{parts[1], number(2), number(3)};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::vector<Place> places_of(const std::string& search_output) {
  std::vector<Place> out;
  for (const std::string& line : lines_of(search_output)) {
    if (auto place = place_of(line)) out.push_back(std::move(*place));
  }
  return out;
}

/// The names in the listing of the root: "name/  12 files".
std::vector<std::string> names_of(const std::string& listing) {
  std::vector<std::string> out;
  for (const std::string& line : lines_of(listing)) {
    const std::size_t end = line.rfind("/  ");
    if (end != std::string::npos && end > 0) out.push_back(line.substr(0, end));
  }
  return out;
}

std::vector<ToolCall> first_calls(const Conversation& conversation) {
  const Json query = {{"query", conversation.question}, {"limit", kMostSearched}};
  return {{"list", Json{{"path", ""}}.dump()}, {"search", query.dump()}};
}

std::vector<ToolCall> read_calls(const std::vector<Place>& places) {
  std::vector<ToolCall> out;
  for (const Place& place : places) {
    if (out.size() == kMostPassages) break;
    const std::size_t lines = std::min<std::size_t>(place.last - place.first + 1, kMostReadLines);
    const Json arguments = {{"path", place.path}, {"offset", place.first}, {"limit", lines}};
    out.push_back({"read", arguments.dump()});
  }
  return out;
}

/// Lines from the lookups, ready to be quoted.
struct Passage {
  std::string path;  ///< "name/path"
  std::vector<NumberedLine> lines;
};

std::vector<Passage> passages_of(const Conversation& conversation) {
  std::vector<Passage> out;
  for (const ToolOutcome& outcome : conversation.outcomes) {
    if (outcome.name != "read" || outcome.failed) continue;
    const Json arguments = Json::parse(outcome.arguments, nullptr, false);
    if (!arguments.is_object() || !arguments.contains("path")) continue;
    out.push_back({arguments["path"], numbered_lines(outcome.text)});
  }
  return out;
}

/// `path` without brackets, which a citation must not contain.
std::string without_brackets(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c == '[') {
      out += "%5B";
    } else if (c == ']') {
      out += "%5D";
    } else {
      out += c;
    }
  }
  return out;
}

/// "[name:path#L1-L2]", when `path` begins with one of `names`; the longest one that fits.
std::optional<std::string> citation(const std::string& path, const std::vector<std::string>& names,
                                    std::uint32_t first, std::uint32_t last) {
  const std::string* best = nullptr;
  for (const std::string& name : names) {
    const bool fits =
        path.size() > name.size() && path.starts_with(name) && path[name.size()] == '/';
    if (fits && (best == nullptr || name.size() > best->size())) best = &name;
  }
  if (best == nullptr) return std::nullopt;
  std::string out = "[" + *best + ":" + without_brackets(path.substr(best->size() + 1)) + "#L" +
                    std::to_string(first);
  if (last != first) out += "-L" + std::to_string(last);
  return out + "]";
}

constexpr std::string_view kFound =
    "No model wrote this: these are the passages of the sources that fit the question best.\n";

/// The text without passages. A failed lookup (a damaged copy of a file, say) proves nothing about
/// the sources.
std::string nothing_found(const Conversation& conversation) {
  const auto failed = std::ranges::find_if(
      conversation.outcomes, [](const ToolOutcome& outcome) { return outcome.failed; });
  if (failed != conversation.outcomes.end()) {
    return "No model wrote this. Nothing can be quoted, since a lookup failed: " +
           failed->text.substr(0, failed->text.find('\n')) + "\n";
  }
  return "No model wrote this, and a search of the sources found no passage that fits the "
         "question. Other words may find more; a model provider can be configured.\n";
}

/// A fence longer than any run of backticks in the lines.
std::string fence_for(const std::vector<NumberedLine>& lines) {
  std::size_t longest = 2;
  for (const NumberedLine& line : lines) {
    std::size_t run = 0;
    for (const char c : line.text) {
      run = c == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
    }
  }
  return std::string(longest + 1, '`');
}

bool is_cut(const NumberedLine& line) {
  return line.text.find(kCutMark) != std::string::npos;
}

std::optional<std::string> quote(const Passage& passage, const std::vector<std::string>& names,
                                 const std::vector<std::string>& words) {
  std::vector<NumberedLine> lines = passage.lines;
  lines.erase(std::find_if(lines.begin(), lines.end(), is_cut), lines.end());
  const auto excerpt = best_excerpt(lines, words, kMostExcerptLines);
  if (excerpt.empty()) return std::nullopt;
  const auto place = citation(passage.path, names, excerpt.front().number, excerpt.back().number);
  if (!place) return std::nullopt;
  const std::string fence = fence_for(excerpt);
  std::string out = *place + "\n\n" + fence + "\n";
  for (const NumberedLine& line : excerpt) out += line.text + "\n";
  return out + fence + "\n";
}

Step answer(const Conversation& conversation) {
  std::vector<std::string> names;
  for (const ToolOutcome& outcome : conversation.outcomes) {
    if (outcome.name == "list" && !outcome.failed) names = names_of(outcome.text);
  }
  const std::vector<std::string> words = key_words(conversation.question);
  Step step;
  for (const Passage& passage : passages_of(conversation)) {
    if (auto text = quote(passage, names, words)) step.paragraphs.push_back("\n" + *text);
  }
  const bool found = !step.paragraphs.empty();
  step.paragraphs.insert(step.paragraphs.begin(),
                         found ? std::string(kFound) : nothing_found(conversation));
  return step;
}

}  // namespace

Step next_step(const Json& chat_request) {
  const Conversation conversation = read_conversation(chat_request);
  if (!conversation.tools_allowed) return answer(conversation);
  if (!conversation.has_called("search")) return {first_calls(conversation), {}};
  if (!conversation.has_called("read")) {
    for (const ToolOutcome& outcome : conversation.outcomes) {
      if (outcome.name != "search" || outcome.failed) continue;
      auto calls = read_calls(places_of(outcome.text));
      if (!calls.empty()) return {std::move(calls), {}};
    }
  }
  return answer(conversation);
}

}  // namespace quarry::extractive
