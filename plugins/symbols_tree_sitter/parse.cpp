#include "symbols_tree_sitter/parse.h"

#include <string>

namespace quarry::symbols_tree_sitter {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::microseconds kSlice{5'000};

Failure exhausted(std::string message) {
  return {QUARRY_RESOURCE_EXHAUSTED, std::move(message),
          "Search its text instead, or split the file.", {}};
}

}  // namespace

Outcome<Tree> parse(const Call& call, const TSLanguage* grammar, std::string_view text,
                    const Limits& limits) {
  if (text.size() > limits.text) {
    return exhausted("The file has " + std::to_string(text.size()) + " bytes; definitions are read from files of up to " +
                     std::to_string(limits.text));
  }
  const Parser parser(ts_parser_new());
  if (!ts_parser_set_language(parser.get(), grammar)) {
    return Failure{QUARRY_INTERNAL, "The grammar is of another version than the parser", {}, {}};
  }
  ts_parser_set_timeout_micros(parser.get(), kSlice.count());
  const auto end = Steady::now() + limits.time;
  while (true) {
    // A parse that was interrupted continues.
    Tree tree(ts_parser_parse_string(parser.get(), nullptr, text.data(),
                                     static_cast<std::uint32_t>(text.size())));
    if (tree != nullptr) return tree;
    if (call.over()) return call.why();
    if (Steady::now() >= end) {
      return exhausted("Parsing the file took more than " + std::to_string(limits.time.count()) + " ms");
    }
  }
}

}  // namespace quarry::symbols_tree_sitter
