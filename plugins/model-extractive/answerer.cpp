#include "model-extractive/answerer.h"

#include "model-extractive/conversation.h"
#include "model-extractive/excerpt.h"
#include "model-extractive/found.h"
#include "model-extractive/place.h"
#include "model-extractive/quotation.h"
#include "model-extractive/ranking.h"

#include <algorithm>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

namespace quarry::extractive {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostSearched = 50;  // passages of a search over everything
constexpr std::size_t kMostFiles = 8;      // that are searched by themselves
constexpr std::size_t kMostOfAFile = 30;   // passages
constexpr std::size_t kMostReads = 14;
constexpr std::uint32_t kMostReadLines = 160;
constexpr std::uint32_t kLinesBefore = 12;  // of a passage, for the comment before it
constexpr std::uint32_t kLinesBehind = 12;
constexpr std::size_t kMostQuotes = 3;
constexpr double kNearlyAsGood = 0.75;  // share of the best one that a further quotation needs
constexpr std::size_t kMostPlaces = 8;  // that are named after the quotations

ToolCall call(const char* tool, const Json& arguments) {
  return {tool, arguments.dump()};
}

std::vector<ToolCall> first_calls(const Question& question) {
  std::vector<ToolCall> out = {call("list", Json::object())};
  out.push_back(call("search", {{"query", question.text}, {"limit", kMostSearched}}));
  if (const std::string words = question.other_words(); !words.empty()) {
    out.push_back(call("search", {{"query", words}, {"limit", kMostSearched}}));
  }
  for (const std::string& name : question.names) {
    out.push_back(call("symbols", {{"name", name}, {"limit", 5}}));
  }
  return out;
}

/// What the lookups so far tell.
struct Evidence {
  const Conversation& conversation;
  Question question;
  std::vector<RankedFile> files;
  std::vector<RankedPassage> passages;
};

/// Searches in each of the best files, whose best passage may be below those of other files.
std::vector<ToolCall> file_calls(const std::vector<RankedFile>& files, const Question& question) {
  std::vector<ToolCall> out;
  for (const RankedFile& file : files) {
    if (out.size() == kMostFiles) break;
    const Json arguments = {{"query", question.text}, {"path", file.path}, {"limit", kMostOfAFile}};
    out.push_back(call("search", arguments));
  }
  return out;
}

/// The first line to read: a definition may have a comment before it, a section begins with its
/// title.
std::uint32_t first_line_of(const Found& found) {
  if (is_document(found.path)) return found.first;
  return found.first > kLinesBefore ? found.first - kLinesBefore : 1;
}

std::vector<ToolCall> read_calls(const std::vector<RankedPassage>& passages) {
  std::vector<ToolCall> out;
  for (const RankedPassage& one : passages) {
    if (out.size() == kMostReads) break;
    const std::uint32_t first = first_line_of(one.found);
    const std::uint32_t last = std::min(one.found.last + kLinesBehind, first + kMostReadLines - 1);
    out.push_back(
        call("read", {{"path", one.found.path}, {"startLine", first}, {"endLine", last}}));
  }
  return out;
}

struct Choice {
  double worth;
  Passage passage;
  Excerpt excerpt;
};

/// The passage that was read, and the rank that the searches give it.
std::pair<Passage, double> read_passage(const ToolOutcome& outcome, const Evidence& evidence) {
  Passage passage{argument(outcome, "path"), {}, {}};
  auto read = passages_in(outcome.text);
  if (read.empty()) return {std::move(passage), 0};
  passage.lines = std::move(read.front().lines);
  passage.first = passage.lines.front().number;
  passage.last = passage.lines.back().number;
  const auto found = std::ranges::find_if(evidence.passages, [&](const RankedPassage& one) {
    return one.found.path == passage.path &&
           first_line_of(one.found) == passage.lines.front().number;
  });
  if (found == evidence.passages.end()) return {std::move(passage), 0};
  passage.heading = found->found.heading;
  passage.first = found->found.first;
  passage.last = found->found.last;
  return {std::move(passage), found->rank};
}

/// The excerpts that fit, best first, each text once.
std::vector<Choice> choices_of(const Evidence& evidence) {
  std::vector<Choice> out;
  for (const ToolOutcome& outcome : evidence.conversation.outcomes) {
    if (outcome.name != "read" || outcome.failed) continue;
    auto [passage, rank] = read_passage(outcome, evidence);
    Excerpt excerpt = best_excerpt(passage, evidence.question);
    if (excerpt.lines.empty() || !fits(excerpt, passage, evidence.question)) continue;
    const double value = worth(excerpt, passage, rank, evidence.question);
    out.push_back({value, std::move(passage), std::move(excerpt)});
  }
  std::ranges::stable_sort(out, std::greater{}, &Choice::worth);
  std::set<std::string> texts;
  std::erase_if(out, [&](const Choice& choice) {
    return !texts.insert(plain_text(choice.excerpt.lines)).second;
  });
  return out;
}

constexpr std::string_view kFound =
    "No model wrote this: it is quoted from the sources, as what fits the question best.\n";

/// The sentence of a search about files that it left out, or "".
std::string left_out(const Conversation& conversation) {
  constexpr std::string_view kLeftOut = "Not searched, ";
  for (const ToolOutcome& outcome : conversation.outcomes) {
    const std::size_t at = outcome.text.find(kLeftOut);
    if (outcome.name != "search" || outcome.failed || at == std::string::npos) continue;
    const std::string sentence = outcome.text.substr(at, outcome.text.find('\n', at) - at);
    return " " + sentence.substr(0, sentence.rfind(')'));
  }
  return {};
}

/// The text without passages. A failed lookup (a damaged copy of a file, say) proves nothing about
/// the sources.
std::string nothing_found(const Conversation& conversation) {
  for (const ToolOutcome& outcome : conversation.outcomes) {
    if (outcome.name == "list" && !outcome.failed && is_empty_listing(outcome.text)) {
      return "No model wrote this, and there is nothing to quote: the sources have no files with "
             "text.\n";
    }
  }
  const auto failed = std::ranges::find_if(conversation.outcomes, [](const ToolOutcome& outcome) {
    return outcome.failed && outcome.name != "symbols";
  });
  if (failed != conversation.outcomes.end()) {
    return "No model wrote this. Nothing can be quoted, since a lookup failed: " +
           failed->text.substr(0, failed->text.find('\n')) + "\n";
  }
  return "No model wrote this, and a search of the sources found no passage that fits the "
         "question. Other words may find more; a model provider can be configured." +
         left_out(conversation) + "\n";
}

bool overlap(const Choice& one, const Choice& other) {
  return one.passage.path == other.passage.path &&
         one.excerpt.lines.front().number <= other.excerpt.lines.back().number &&
         other.excerpt.lines.front().number <= one.excerpt.lines.back().number;
}

/// The places that come next, each file once, without their lines.
std::string further_places(const std::vector<Choice>& choices, std::set<std::string> seen,
                           const Evidence& evidence, const std::vector<std::string>& names) {
  std::string out;
  std::size_t count = 0;
  const auto add = [&](const std::string& path, std::uint32_t first, std::uint32_t last) {
    if (count == kMostPlaces || !seen.insert(path).second) return;
    if (const auto place = citation(path, names, first, last)) {
      out += "- " + *place + "\n";
      ++count;
    }
  };
  for (const Choice& choice : choices) {
    add(choice.passage.path, choice.excerpt.lines.front().number,
        choice.excerpt.lines.back().number);
  }
  for (const RankedFile& file : evidence.files) {
    const auto one = std::ranges::find_if(evidence.passages, [&](const RankedPassage& passage) {
      return passage.found.path == file.path;
    });
    if (one != evidence.passages.end()) add(file.path, one->found.first, one->found.last);
  }
  return out.empty() ? out : "\nNot quoted, but near:\n\n" + out;
}

Step answer(const Evidence& evidence) {
  std::vector<std::string> names;
  for (const ToolOutcome& outcome : evidence.conversation.outcomes) {
    if (outcome.name == "list" && !outcome.failed) names = names_in_listing(outcome.text);
  }
  const std::vector<Choice> choices = choices_of(evidence);
  Step step;
  std::set<std::string> quoted;
  std::vector<const Choice*> taken;
  for (const Choice& choice : choices) {
    if (taken.size() == kMostQuotes || choice.worth < kNearlyAsGood * choices.front().worth) break;
    if (std::ranges::any_of(taken, [&](const Choice* one) { return overlap(*one, choice); })) {
      continue;
    }
    const std::vector<NumberedLine>& lines = choice.excerpt.lines;
    const auto place =
        citation(choice.passage.path, names, lines.front().number, lines.back().number);
    if (!place) continue;
    step.paragraphs.push_back("\n" + *place + "\n\n" + fenced(lines));
    quoted.insert(choice.passage.path);
    taken.push_back(&choice);
  }
  if (taken.empty()) return {{}, {nothing_found(evidence.conversation)}};
  std::string further = further_places(choices, std::move(quoted), evidence, names);
  if (!further.empty()) step.paragraphs.push_back(std::move(further));
  step.paragraphs.insert(step.paragraphs.begin(), std::string(kFound));
  return step;
}

bool has_searched_files(const Conversation& conversation) {
  return std::ranges::any_of(conversation.outcomes, [](const ToolOutcome& outcome) {
    return outcome.name == "search" && !argument(outcome, "path").empty();
  });
}

}  // namespace

Step next_step(const Json& chat_request) {
  const Conversation conversation = read_conversation(chat_request);
  Question question = read_question(conversation.question);
  if (conversation.tools_allowed && !conversation.has_called("search")) {
    return {first_calls(question), {}};
  }
  question = weighed(std::move(question), conversation);
  std::vector<RankedFile> files = ranked_files(conversation, question);
  if (conversation.tools_allowed && !has_searched_files(conversation)) {
    auto calls = file_calls(files, question);
    if (!calls.empty()) return {std::move(calls), {}};
  }
  std::vector<RankedPassage> passages = ranked_passages(conversation, files, question);
  if (conversation.tools_allowed && !conversation.has_called("read")) {
    auto calls = read_calls(passages);
    if (!calls.empty()) return {std::move(calls), {}};
  }
  return answer({conversation, std::move(question), std::move(files), std::move(passages)});
}

}  // namespace quarry::extractive
