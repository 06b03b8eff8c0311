#include "model_http/ending.h"

#include <algorithm>
#include <array>
#include <string>

namespace quarry::model_http {
namespace {

struct Reason {
  std::string_view word;  ///< in lower case
  Ending ending;
};

constexpr std::array kReasons = {
    Reason{"length", Ending::kLength}, Reason{"model_length", Ending::kLength},
    Reason{"max_tokens", Ending::kLength}, Reason{"max_output_tokens", Ending::kLength},
    Reason{"token_limit", Ending::kLength}, Reason{"context_window_exceeded", Ending::kLength},
    Reason{"model_context_window_exceeded", Ending::kLength},
    Reason{"context_length_exceeded", Ending::kLength},
    // Only tools that run at the provider pause a turn, and only
    // `body` can declare them: the turn is not continued.
    Reason{"pause_turn", Ending::kLength}, Reason{"content_filter", Ending::kFiltered},
    Reason{"content_filtered", Ending::kFiltered},
    Reason{"guardrail_intervened", Ending::kFiltered}, Reason{"refusal", Ending::kFiltered},
    Reason{"sensitive", Ending::kFiltered}, Reason{"safety", Ending::kFiltered},
    Reason{"recitation", Ending::kFiltered}, Reason{"blocklist", Ending::kFiltered},
    Reason{"prohibited_content", Ending::kFiltered}, Reason{"spii", Ending::kFiltered},
    Reason{"language", Ending::kFiltered}, Reason{"image_safety", Ending::kFiltered},
    Reason{"error", Ending::kAborted}, Reason{"abort", Ending::kAborted},
    Reason{"network_error", Ending::kAborted},
    Reason{"insufficient_system_resource", Ending::kAborted},
    Reason{"malformed_function_call", Ending::kAborted},
    Reason{"malformed_tool_call", Ending::kAborted},
    Reason{"unexpected_tool_call", Ending::kAborted},
    Reason{"too_many_tool_calls", Ending::kAborted}, Reason{"malformed_response", Ending::kAborted},
    Reason{"missing_thought_signature", Ending::kAborted}, Reason{"other", Ending::kAborted}};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

Ending read_ending(std::string_view reason) {
  const std::string word = lower(reason.substr(reason.rfind(' ') + 1));  // "filter: REASON"
  const auto* known = std::ranges::find(kReasons, word, &Reason::word);
  return known == kReasons.end() ? Ending::kDone : known->ending;
}

}  // namespace quarry::model_http
