#include "symbols_tree_sitter/json.h"

#include <algorithm>

namespace quarry::symbols_tree_sitter {

std::string json_text(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      out += "\\u00";
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 15U];
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string definitions_json(const std::vector<Definition>& definitions) {
  std::string out = R"({"definitions":[)";
  for (const Definition& one : definitions) {
    if (out.back() == ']') out += ',';
    out += '[' + json_text(one.kind) + ',' + json_text(one.name);
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
