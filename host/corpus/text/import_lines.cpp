#include "corpus/text/import_lines.h"

#include <algorithm>
#include <array>

namespace quarry::corpus {
namespace {

constexpr std::size_t kImportBytes = 8u << 10;  // of the beginning of a file

constexpr auto kImportBeginnings =
    std::to_array<std::string_view>({"import ", "from ", "use ", "pub use ", "using ", "#include",
                                     "require", "mod ", "pub mod ", "} from"});
constexpr auto kAssignments = std::to_array<std::string_view>({"const ", "let ", "var "});

bool begins_with_any(std::string_view line, auto words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return line.starts_with(word); });
}

bool is_import(std::string_view line) {
  constexpr std::string_view kFirstBytes = "ifupr#m}eclv";  // of the beginnings, for speed
  if (line.empty() || !kFirstBytes.contains(line.front())) return false;
  if (begins_with_any(line, kImportBeginnings)) return true;
  if (line.starts_with("export ")) return line.contains(" from ");
  return begins_with_any(line, kAssignments) && line.contains("require(");
}

bool is_relative_import(std::string_view line) {
  if (line.starts_with("#include")) return line.contains('"') && !line.contains('/');
  return line.contains("'.") || line.contains("\".") || line.contains("from .") ||
         line.contains("mod ") || line.contains("crate::") || line.contains("super::");
}

bool is_imported_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::vector<std::string_view> words_of_import(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && is_imported_byte(line[end])) ++end;
    if (end > at) words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

std::vector<ImportLine> find_imports(std::string_view text) {
  std::vector<ImportLine> imports;
  text = text.substr(0, kImportBytes);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (is_import(line)) imports.push_back({words_of_import(line), is_relative_import(line)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return imports;
}

}  // namespace quarry::corpus
