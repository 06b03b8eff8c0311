#include "cli/score_text.h"

#include "base/json.h"
#include "cli/text_table.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

/// The parts of one kind of evidence.
struct EvidenceSum {
  std::string name;
  double value = 0;
  std::string terms = {};  // "card 1.20, charg 0.40"
};

std::vector<EvidenceSum> sums_of(const Json& parts) {
  std::vector<EvidenceSum> sums;
  for (const Json& part : parts) {
    const std::string name = part.value("evidence", "");
    auto sum = std::ranges::find(sums, name, &EvidenceSum::name);
    if (sum == sums.end()) sum = sums.insert(sum, {.name = name});
    const double value = part.value("value", 0.0);
    sum->value += value;
    const std::string term = part.value("term", "");
    if (term.empty()) continue;
    sum->terms += (sum->terms.empty() ? "" : ", ") + term + ' ' + fixed(value, 2);
  }
  std::ranges::stable_sort(sums, std::ranges::greater{}, &EvidenceSum::value);
  return sums;
}

}  // namespace

std::string explanation_text(const Json& explain) {
  const std::vector<EvidenceSum> sums = sums_of(explain.value("parts", Json::array()));
  std::string first;
  std::string terms;
  for (const EvidenceSum& sum : sums) {
    first += (first.empty() ? "" : " + ") + sum.name + ' ' + fixed(sum.value, 2);
    if (!sum.terms.empty()) terms += "    " + sum.name + ": " + sum.terms + '\n';
  }
  first = "  score " + fixed(explain.value("score", 0.0), 2) + " = (" + first + ')';
  for (const Json& factor : explain.value("factors", Json::array())) {
    first += " * " + fixed(factor.value("value", 1.0), 2) + " (" + factor.value("rule", "") + ')';
  }
  return first + '\n' + terms;
}

std::string question_form_text(const Json& question) {
  const std::string form = question.value("form", "");
  const std::string asks_for = question.value("asksFor", "");
  std::string text = "question: " + form + ", asks for " +
                     (asks_for == "either" ? "code or documentation" : asks_for) + "; " +
                     std::to_string(question.value("words", 0)) + " words count, those after the " +
                     "first line " + fixed(question.value("body", 1.0), 2);
  if (form == "issue") text += ", in fenced blocks " + fixed(question.value("code", 1.0), 2);
  return text;
}

}  // namespace quarry::cli
