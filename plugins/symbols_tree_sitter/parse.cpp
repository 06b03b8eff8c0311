#include "symbols_tree_sitter/parse.h"

#include <algorithm>
#include <cstdint>

namespace quarry::symbols_tree_sitter {
namespace {

/// The whole text at once.
const char* read_text(void* context, std::uint32_t at, TSPoint, std::uint32_t* size) {
  const auto& text = *static_cast<const std::string_view*>(context);
  *size = at < text.size() ? static_cast<std::uint32_t>(text.size() - at) : 0;
  return text.data() + std::min<std::size_t>(at, text.size());
}

bool is_over(TSParseState* state) {
  return static_cast<const Budget*>(state->payload)->over();
}

}  // namespace

Outcome<Tree> parse(const Budget& budget, const TSLanguage* grammar, std::string_view text) {
  if (text.size() > budget.text_limit()) return budget.too_large(text.size());
  if (budget.over()) return budget.why();
  const Parser parser(ts_parser_new());
  if (!ts_parser_set_language(parser.get(), grammar)) {
    return Failure{QUARRY_INTERNAL, "The grammar is of another version than the parser", {}, {}};
  }
  Tree tree(ts_parser_parse_with_options(parser.get(), nullptr,
                                         {&text, read_text, TSInputEncodingUTF8, nullptr},
                                         {const_cast<Budget*>(&budget), is_over}));
  if (tree == nullptr) return budget.why();
  return tree;
}

}  // namespace quarry::symbols_tree_sitter
