#include "model-extractive/selection.h"

#include <algorithm>
#include <array>

namespace quarry::extractive {
namespace {

constexpr auto kDocumentEndings =
    std::to_array<std::string_view>({".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc",
                                     ".asciidoc", ".org", ".pod", ".html", ".htm"});
constexpr auto kWordEndings = std::to_array<std::string_view>(
    {"ations", "ation", "ings", "ing", "ies", "ed", "es", "s", "e"});
constexpr std::size_t kShortestStem = 4;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

/// The part of a word that its other forms share.
std::string_view stem(std::string_view word) {
  for (const std::string_view ending : kWordEndings) {
    if (word.ends_with(ending) && word.size() >= ending.size() + kShortestStem) {
      return word.substr(0, word.size() - ending.size());
    }
  }
  return word;
}

}  // namespace

Wanted wanted_by(std::string_view question) {
  const std::string text = lowered(question.substr(0, 40));
  if (starts_with_any(text, {"how "})) return Wanted::kExplanation;
  if (starts_with_any(text, {"what is ", "what are ", "where ", "which "})) {
    return Wanted::kDefinition;
  }
  return Wanted::kAny;
}

bool is_document(std::string_view path) {
  const std::string name = lowered(path.substr(path.rfind('/') + 1));
  const bool manual =
      name.size() > 2 && name[name.size() - 2] == '.' && name.back() >= '1' && name.back() <= '9';
  return manual || name.starts_with("readme") ||
         std::any_of(kDocumentEndings.begin(), kDocumentEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

bool comes_first(Wanted wanted, std::string_view path) {
  switch (wanted) {
    case Wanted::kExplanation:
      return is_document(path);
    case Wanted::kDefinition:
      return !is_document(path);
    case Wanted::kAny:
      return true;
  }
  return true;
}

double coverage(const std::vector<NumberedLine>& lines, const std::vector<std::string>& words) {
  if (words.empty()) return 0;
  const std::string text = lowered(plain_text(lines));
  const auto found = std::count_if(words.begin(), words.end(), [&](const std::string& word) {
    return text.find(stem(word)) != std::string::npos;
  });
  return static_cast<double>(found) / static_cast<double>(words.size());
}

std::string plain_text(const std::vector<NumberedLine>& lines) {
  std::string out;
  for (const NumberedLine& line : lines) {
    const std::size_t begin = line.text.find_first_not_of(" \t\r");
    if (begin == std::string::npos) continue;
    out.append(line.text, begin, line.text.find_last_not_of(" \t\r") + 1 - begin);
    out += '\n';
  }
  return out;
}

}  // namespace quarry::extractive
