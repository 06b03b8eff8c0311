#include "model-extractive/answerer.h"

#include "model-extractive/conversation.h"
#include "model-extractive/excerpt.h"
#include "model-extractive/selection.h"

#include <algorithm>
#include <optional>
#include <regex>
#include <set>

#include <nlohmann/json.hpp>

namespace quarry::extractive {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostPassages = 4;
constexpr std::size_t kMostReadLines = 80;
constexpr std::size_t kMostExcerptLines = 40;  // a section or function is quoted whole
constexpr double kLeastCoverage = 0.5;         // of the question's words, beside the best passage
constexpr double kFewestWords = 0.2;           // below it, no passage fits
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

/// Reads the best places, those of the wanted kind first.
std::vector<ToolCall> read_calls(std::vector<Place> places, Wanted wanted) {
  if (places.size() > kMostPassages) places.resize(kMostPassages);
  std::stable_partition(places.begin(), places.end(),
                        [&](const Place& place) { return comes_first(wanted, place.path); });
  std::vector<ToolCall> out;
  for (const Place& place : places) {
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

/// The lines of a passage to quote, and the share of the question's words in them.
struct Excerpt {
  std::string path;
  std::vector<NumberedLine> lines;
  double coverage;
};

/// The excerpts that fit, each text once, without those that fit far worse than the best.
std::vector<Excerpt> excerpts_of(const std::vector<Passage>& passages,
                                 const std::vector<std::string>& words) {
  std::vector<Excerpt> out;
  std::set<std::string> texts;
  double best = kFewestWords / kLeastCoverage;
  for (const Passage& passage : passages) {
    std::vector<NumberedLine> lines = passage.lines;
    lines.erase(std::find_if(lines.begin(), lines.end(), is_cut), lines.end());
    lines = best_excerpt(lines, words, kMostExcerptLines);
    if (lines.empty() || !texts.insert(plain_text(lines)).second) continue;
    const double share = words.empty() ? 1 : coverage(lines, words);
    best = std::max(best, share);
    out.push_back({passage.path, std::move(lines), share});
  }
  std::erase_if(out, [&](const Excerpt& one) { return one.coverage < best * kLeastCoverage; });
  return out;
}

std::optional<std::string> quote(const Excerpt& excerpt, const std::vector<std::string>& names) {
  const auto place =
      citation(excerpt.path, names, excerpt.lines.front().number, excerpt.lines.back().number);
  if (!place) return std::nullopt;
  const std::string fence = fence_for(excerpt.lines);
  std::string out = *place + "\n\n" + fence + "\n";
  for (const NumberedLine& line : excerpt.lines) out += line.text + "\n";
  return out + fence + "\n";
}

Step answer(const Conversation& conversation) {
  std::vector<std::string> names;
  for (const ToolOutcome& outcome : conversation.outcomes) {
    if (outcome.name == "list" && !outcome.failed) names = names_of(outcome.text);
  }
  const std::vector<std::string> words = key_words(conversation.question);
  Step step;
  for (const Excerpt& excerpt : excerpts_of(passages_of(conversation), words)) {
    if (auto text = quote(excerpt, names)) step.paragraphs.push_back("\n" + *text);
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
      auto calls = read_calls(places_of(outcome.text), wanted_by(conversation.question));
      if (!calls.empty()) return {std::move(calls), {}};
    }
  }
  return answer(conversation);
}

}  // namespace quarry::extractive
