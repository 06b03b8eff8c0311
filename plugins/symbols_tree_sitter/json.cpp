#include "symbols_tree_sitter/json.h"

#include <quarry/json.hpp>

#include <algorithm>

namespace quarry::symbols_tree_sitter {

std::string definitions_json(const std::vector<Definition>& definitions) {
  std::string out = R"({"definitions":[)";
  for (const Definition& one : definitions) {
    if (out.back() == ']') out += ',';
    out += '[' + json::quoted(one.kind) + ',' + json::quoted(one.name);
    for (const std::int64_t number : {std::int64_t{one.name_line}, std::int64_t{one.first_line},
                                      std::int64_t{one.last_line}, one.parent}) {
      out += ',' + std::to_string(number);
    }
    out += ']';
  }
  return out + "]}";
}

std::string lines_json(const std::vector<std::uint32_t>& offsets, std::string_view text) {
  std::string out = R"({"lines":[)";
  std::size_t line = 1;
  std::size_t last = 0;
  std::size_t at = 0;
  for (const std::uint32_t offset : offsets) {
    line += std::ranges::count(text.substr(at, offset - at), '\n');
    at = offset;
    if (line == last) continue;
    if (last != 0) out += ',';
    out += std::to_string(line);
    last = line;
  }
  return out + "]}";
}

}  // namespace quarry::symbols_tree_sitter
