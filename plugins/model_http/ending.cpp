#include "model_http/ending.h"

#include <algorithm>
#include <array>
#include <string>

namespace quarry::model_http {
namespace {

struct Family {
  std::string_view part;  ///< of a reason, in lower case and without "_" and "-"
  Ending ending;
};

/// The first part that a reason has decides: "content_filter_error" is a filter's.
constexpr std::array kFamilies = {
    // of a server with too much to do
    Family{"ratelimit", Ending::kAborted}, Family{"quota", Ending::kAborted},
    // of a filter
    Family{"filter", Ending::kFiltered}, Family{"safety", Ending::kFiltered},
    Family{"moderat", Ending::kFiltered}, Family{"guardrail", Ending::kFiltered},
    Family{"refus", Ending::kFiltered}, Family{"sensitive", Ending::kFiltered},
    Family{"recitation", Ending::kFiltered}, Family{"block", Ending::kFiltered},
    Family{"prohibited", Ending::kFiltered}, Family{"spii", Ending::kFiltered},
    Family{"toxic", Ending::kFiltered}, Family{"violat", Ending::kFiltered},
    Family{"flagged", Ending::kFiltered}, Family{"modelarmor", Ending::kFiltered},
    // of a limit of length
    Family{"length", Ending::kLength}, Family{"max", Ending::kLength},
    Family{"limit", Ending::kLength}, Family{"truncat", Ending::kLength},
    Family{"context", Ending::kLength}, Family{"incomplete", Ending::kLength},
    Family{"repetition", Ending::kLength},
    // Only tools that run at the provider pause a turn, and only
    // `body` can declare them: the turn is not continued.
    Family{"pauseturn", Ending::kLength},
    // of a failure
    Family{"error", Ending::kAborted}, Family{"abort", Ending::kAborted},
    Family{"cancel", Ending::kAborted}, Family{"fail", Ending::kAborted},
    Family{"timeout", Ending::kAborted}, Family{"timedout", Ending::kAborted},
    Family{"preempt", Ending::kAborted}, Family{"interrupt", Ending::kAborted},
    Family{"overload", Ending::kAborted}, Family{"unload", Ending::kAborted},
    Family{"insufficient", Ending::kAborted}, Family{"malformed", Ending::kAborted},
    Family{"unexpectedtool", Ending::kAborted}, Family{"toomanytool", Ending::kAborted},
    Family{"missingthought", Ending::kAborted}};

/// In lower case, and without what tells "max_tokens", "max-tokens" and "maxTokens" apart.
std::string spelling_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '_' || c == '-') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

}  // namespace

Ending read_ending(std::string_view reason) {
  const std::string word = spelling_of(reason.substr(reason.rfind(' ') + 1));  // "filter: REASON"
  if (word == "language") return Ending::kFiltered;  // of Gemini, as is the next
  if (word == "other") return Ending::kAborted;
  const auto* known = std::ranges::find_if(
      kFamilies, [&](const Family& family) { return word.contains(family.part); });
  return known == kFamilies.end() ? Ending::kDone : known->ending;
}

}  // namespace quarry::model_http
