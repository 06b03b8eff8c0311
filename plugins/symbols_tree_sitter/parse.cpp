#include "symbols_tree_sitter/parse.h"

#include <algorithm>
#include <string>

namespace quarry::symbols_tree_sitter {
namespace {

using Steady = std::chrono::steady_clock;

/// Ends a parse when its result is not wanted any more.
class Watch {
 public:
  Watch(const Call& call, std::chrono::milliseconds time)
      : call_(call), end_(Steady::now() + time) {}

  [[nodiscard]] TSParseOptions options() { return {this, ends}; }

 private:
  static bool ends(TSParseState* state) {
    auto& self = *static_cast<Watch*>(state->payload);
    return self.call_.over() || Steady::now() >= self.end_;
  }

  const Call& call_;
  Steady::time_point end_;
};

/// The whole text at once.
const char* read_text(void* context, std::uint32_t at, TSPoint, std::uint32_t* size) {
  const auto& text = *static_cast<const std::string_view*>(context);
  *size = at < text.size() ? static_cast<std::uint32_t>(text.size() - at) : 0;
  return text.data() + std::min<std::size_t>(at, text.size());
}

Failure exhausted(std::string message) {
  return {QUARRY_RESOURCE_EXHAUSTED,
          std::move(message),
          "Search its text instead, or split the file.",
          {}};
}

}  // namespace

Outcome<Tree> parse(const Call& call, const TSLanguage* grammar, std::string_view text,
                    const Limits& limits) {
  if (text.size() > limits.text) {
    return exhausted("The file has " + std::to_string(text.size()) +
                     " bytes; definitions are read from files of up to " +
                     std::to_string(limits.text));
  }
  const Parser parser(ts_parser_new());
  if (!ts_parser_set_language(parser.get(), grammar)) {
    return Failure{QUARRY_INTERNAL, "The grammar is of another version than the parser", {}, {}};
  }
  Watch watch(call, limits.time);
  Tree tree(ts_parser_parse_with_options(
      parser.get(), nullptr, {&text, read_text, TSInputEncodingUTF8, nullptr}, watch.options()));
  if (call.over()) return call.why();
  if (tree == nullptr) {
    return exhausted("Parsing the file took more than " + std::to_string(limits.time.count()) +
                     " ms");
  }
  return tree;
}

}  // namespace quarry::symbols_tree_sitter
