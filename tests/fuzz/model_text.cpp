// The text of a model: its parts do not depend on how it is cut, which the first byte of the input
// selects, nothing is lost but tags, and calls have an object as their arguments; those in a
// thought are of known tools. Deltas that repeat the whole text so far are that text.

#include "ask/function_calls.h"
#include "ask/step_text.h"
#include "ask/text_calls.h"
#include "ask/whole_deltas.h"
#include "base/json.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

struct Divided {
  std::string text;
  std::string reasoning;
  std::string calls;
  bool operator==(const Divided&) const = default;
};

const quarry::ask::ToolNames& tools() {
  static const quarry::ask::ToolNames names(R"([{"name":"read"},{"name":"grep"}])");
  return names;
}

Divided divided(std::string_view text, std::size_t piece) {
  Divided out;
  quarry::ask::StepText parts(&tools());
  const auto give = [&](bool is_reasoning, std::string_view part) {
    (is_reasoning ? out.reasoning : out.text) += part;
  };
  for (std::size_t at = 0; at < text.size(); at += piece) parts.add(text.substr(at, piece), give);
  parts.finish(give);
  out.calls = parts.calls();
  return out;
}

/// The text whose beginnings, each `piece` bytes longer, arrive as deltas.
std::string joined(std::string_view text, std::size_t piece) {
  std::string out;
  quarry::ask::WholeDeltas deltas;
  const auto give = [&](std::string_view part) { out += part; };
  for (std::size_t size = piece; size < text.size(); size += piece) {
    deltas.add(text.substr(0, size), give);
  }
  deltas.add(text, give);
  deltas.finish(give);
  return out;
}

void check(const std::vector<quarry::ask::TextCall>& calls) {
  for (const auto& call : calls) {
    const auto arguments = quarry::parse_json(call.arguments);
    if (!arguments || !arguments->is_object()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Divided whole = divided(text, text.size());
  if (!(whole == divided(text, data[0] % 32U + 1U))) std::abort();
  if (whole.text.size() + whole.reasoning.size() + whole.calls.size() > text.size()) std::abort();
  const bool is_varied = text.find_first_not_of(text.front()) != text.npos;
  if (text.size() >= 16 && is_varied && joined(text, text.size() / 4) != text) std::abort();
  check(quarry::ask::read_text_calls(whole.calls, tools()).calls);
  check(quarry::ask::read_text_calls(text, tools()).calls);
  const auto thought = quarry::ask::read_thought_calls(text, tools()).calls;
  check(thought);
  for (const auto& call : thought) {
    if (tools().find(call.name).empty()) std::abort();
  }
  check(quarry::ask::read_function_calls(text).value_or(std::vector<quarry::ask::TextCall>()));
  static_cast<void>(quarry::ask::parse_call_arguments(text));
  return 0;
}
