#include "model-extractive/ranking.h"

#include "model-extractive/place.h"
#include "model-extractive/words.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <map>

namespace quarry::extractive {
namespace {

// What speaks for a passage, each a share of the question in [0, 1]; chosen on the questions
// "tuning" of tests/bench/answer_eval.
constexpr double kText = 0.6;          // in its lines
constexpr double kNear = 0.5;          // in one sentence
constexpr double kLead = 0.5;          // in its title or first sentence
constexpr double kHeading = 0.4;       // in the headings above
constexpr double kDefinition = 0.4;    // in a name that it defines
constexpr double kRank = 0.7;          // in the search, where the first has 1
constexpr double kRankOfDetailed = 5;  // in a detailed question, whose order the search knows best
constexpr double kNextPlace = 0.15;    // that a rank falls with each place
constexpr double kOfAFile = 0.8;       // the rank of a passage that only a search in its file found

constexpr double kRankOffset = 4;     // the first results of a search differ less than their ranks
constexpr double kCommonShare = 0.4;  // of the passages; words of more of them weigh less
constexpr std::size_t kFewestPassages = 5;  // of which a share says that a word is common
constexpr double kFewestWords = 0.5;        // share of the question, below which nothing fits
constexpr int kSeveralWords = 2;            // in the lines, their headings and path
constexpr double kFewestOfSeveral = 0.25;
constexpr double kFewestOfDetailed = 0.15;
constexpr double kFewestWithoutName = 0.75;  // of what lacks a proper name of the question
constexpr double kWorthOfTheName = 0.3;      // of the source, in a question about it

bool begins(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings,
                             [&](std::string_view one) { return text.starts_with(one); });
}

/// The factor of documents for a question of this form: above 1 if they answer it first.
double worth_of_documents(const Question& question) {
  const std::string text = lowered(question.text.substr(0, 60));
  if (question.detailed) return 0.6;
  if (!question.names.empty()) return 1.0;
  if (begins(text, {"which function", "which code", "which file", "in which file", "which class",
                    "which method", "where is", "where are", "where in", "where does", "wo ist",
                    "wo wird", "wo sind", "welche funktion", "in welcher datei"})) {
    return 0.75;
  }
  return 1.5;
}

double factor_of(const std::string& path, const Question& question) {
  const double document = explains(path) ? worth_of_documents(question) : 1;
  return trust_in(path, question) * document;
}

bool is_over_everything(const ToolOutcome& outcome) {
  return outcome.name == "search" && !outcome.failed && argument(outcome, "path").empty();
}

/// The best share of the question in a name that one of the lines defines.
double worth_of_definition(const std::vector<NumberedLine>& lines, const Question& question) {
  double best = 0;
  for (const NumberedLine& line : lines) {
    const std::string name = defined_name(line.text);
    if (name.empty()) continue;
    if (std::ranges::find(question.names, name) != question.names.end()) return 1;
    const std::vector<std::string> words = words_of(name);
    const Match match = matched(name, question);
    const double part = static_cast<double>(std::popcount(match.own)) /
                        static_cast<double>(std::max<std::size_t>(words.size(), 1));
    best = std::max(best, coverage(match, question) * std::min(part, 1.0));
  }
  return best;
}

/// What the lines, their headings and the path have of the question.
Match whole_match(const Excerpt& excerpt, const Passage& passage, const Question& question) {
  Match match = excerpt.match;
  match |= excerpt.heading;
  match |= matched(passage.path, question);
  return match;
}

bool lacks_proper_name(const Match& match, const Question& question) {
  for (std::size_t i = 0; i < question.terms.size(); ++i) {
    if (question.terms[i].proper && ((match.own >> i) & 1) == 0) return true;
  }
  return false;
}

}  // namespace

std::vector<RankedFile> ranked_files(const Conversation& conversation, const Question& question) {
  std::map<std::string, double> scores;
  for (const ToolOutcome& outcome : conversation.outcomes) {
    if (!is_over_everything(outcome)) continue;
    double rank = 0;
    for (const Found& found : passages_in(outcome.text)) {
      scores[found.path] += 1 / (kRankOffset + rank++);
    }
  }
  std::vector<RankedFile> out;
  for (const auto& [path, score] : scores) {
    const double name = coverage(matched(path.substr(path.rfind('/') + 1), question), question);
    out.push_back({path, score * factor_of(path, question) * (1 + name)});
  }
  std::ranges::stable_sort(out, std::greater{}, &RankedFile::score);
  return out;
}

Question weighed(Question question, const Conversation& conversation) {
  std::size_t passages = 0;
  std::vector<std::size_t> found(question.terms.size());
  for (const ToolOutcome& outcome : conversation.outcomes) {
    if (outcome.name == "list" && !outcome.failed) {
      for (const std::string& name : names_in_listing(outcome.text)) {
        for (const std::string& part : stems_of(name)) {
          for (Term& term : question.terms) {
            if (term.stem == part) term.weight *= kWorthOfTheName;
          }
        }
      }
    }
    if (!is_over_everything(outcome)) continue;
    for (const Found& one : passages_in(outcome.text)) {
      Match match = matched(one.heading, question);
      for (const NumberedLine& line : one.lines) match |= matched(line.text, question);
      ++passages;
      for (std::size_t i = 0; i < found.size(); ++i) found[i] += (match.own >> i) & 1;
    }
  }
  for (std::size_t i = 0; i < found.size() && passages >= kFewestPassages; ++i) {
    const double share = static_cast<double>(found[i]) / static_cast<double>(passages);
    question.terms[i].weight *= 1 - std::max(0.0, share - kCommonShare);
  }
  return question;
}

std::vector<RankedPassage> ranked_passages(const Conversation& conversation,
                                           const std::vector<RankedFile>& files,
                                           const Question& question) {
  std::map<std::string, double> share;
  for (const RankedFile& file : files) share[file.path] = file.score / files.front().score;

  std::vector<RankedPassage> out;
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> known;
  for (const ToolOutcome& outcome : conversation.outcomes) {
    if ((outcome.name != "search" && outcome.name != "symbols") || outcome.failed) continue;
    const bool everywhere = is_over_everything(outcome);
    double place = 0;
    for (Found& found : passages_in(outcome.text)) {
      const double rank =
          (everywhere ? 1 : kOfAFile * share[found.path]) / (1 + kNextPlace * place);
      ++place;
      const auto [at, added] = known.try_emplace({found.path, found.first}, out.size());
      if (added) out.push_back({std::move(found), rank});
      out[at->second].rank = std::max(out[at->second].rank, rank);
    }
  }
  for (RankedPassage& one : out) {
    const Found& found = one.found;
    const Passage passage{found.path, found.heading, found.lines, found.first, found.last};
    one.worth = worth(best_excerpt(passage, question), passage, one.rank, question);
  }
  std::ranges::stable_sort(out, std::greater{}, &RankedPassage::worth);
  return out;
}

double worth(const Excerpt& excerpt, const Passage& passage, double rank,
             const Question& question) {
  const double score = kText * coverage(excerpt.match, question) + kNear * excerpt.near +
                       kLead * excerpt.lead + kHeading * coverage(excerpt.heading, question) +
                       kDefinition * worth_of_definition(excerpt.lines, question) +
                       (question.detailed ? kRankOfDetailed : kRank) * rank;
  return score * factor_of(passage.path, question);
}

bool fits(const Excerpt& excerpt, const Passage& passage, const Question& question) {
  if (question.terms.empty()) return true;
  const Match both = whole_match(excerpt, passage, question);
  const double share = coverage(both, question);
  if (question.detailed) return share >= kFewestOfDetailed;
  if (lacks_proper_name(both, question)) return share >= kFewestWithoutName;
  const bool several = std::popcount(both.own) >= kSeveralWords;
  return share >= (several ? kFewestOfSeveral : kFewestWords);
}

}  // namespace quarry::extractive
