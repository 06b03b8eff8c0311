#include "corpus/scip/scip_analyser.h"

#include "base/text.h"
#include "corpus/index/symbol_files.h"
#include "corpus/scip/scip_document.h"
#include "corpus/scip/scip_symbol.h"
#include "corpus/segment/checked_bytes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>

namespace quarry::corpus {
namespace {

/// Characters of lines that are counted to find the places of one document. One that needs more is
/// like one that is out of date: its places are far into lines of megabytes.
constexpr std::uint64_t kMostPlaceCharacters = 500'000'000;

/// Kinds of SymbolInformation, and what they are called here.
struct KindName {
  int kind;
  const char* name;
};
constexpr std::array kKindNames = std::to_array<KindName>({
    {7, "class"},     {8, "constant"},  {9, "constructor"}, {11, "enum"},      {12, "enumerator"},
    {13, "field"},    {15, "field"},    {17, "function"},   {18, "property"},  {21, "interface"},
    {25, "macro"},    {26, "method"},   {28, "struct"},     {29, "module"},    {30, "namespace"},
    {34, "function"}, {35, "module"},   {41, "property"},   {42, "interface"}, {45, "property"},
    {49, "struct"},   {53, "trait"},    {54, "type"},       {55, "type"},      {56, "interface"},
    {59, "union"},    {60, "variable"}, {61, "variable"},   {62, "class"},     {64, "module"},
    {65, "function"}, {66, "method"},   {67, "method"},     {68, "method"},    {69, "method"},
    {70, "method"},   {71, "method"},   {72, "property"},   {73, "type"},      {74, "method"},
    {75, "class"},    {76, "method"},   {77, "field"},      {78, "field"},     {79, "field"},
    {80, "method"},   {81, "property"}, {82, "variable"},
});

bool is_parameter(const ScipSymbol& symbol) {
  return symbol.suffix == ScipSuffix::kParameter || symbol.suffix == ScipSuffix::kTypeParameter;
}

/// What a symbol is called if its kind is not told.
const char* kind_by_suffix(const ScipSymbol& symbol) {
  const bool in_type = symbol.encloser == ScipSuffix::kType;
  switch (symbol.suffix) {
    case ScipSuffix::kNamespace:
      return "namespace";
    case ScipSuffix::kTerm:
      return in_type ? "field" : "variable";
    case ScipSuffix::kMethod:
      return in_type ? "method" : "function";
    case ScipSuffix::kMacro:
      return "macro";
    case ScipSuffix::kMeta:
      return "property";
    case ScipSuffix::kType:
    case ScipSuffix::kParameter:
    case ScipSuffix::kTypeParameter:
      break;
  }
  return "type";
}

const char* kind_of(const ScipDocument& document, const ScipOccurrence& place,
                    const ScipSymbol& symbol) {
  const auto told = document.kinds.find(place.symbol);
  if (told == document.kinds.end()) return kind_by_suffix(symbol);
  const auto name = std::ranges::find(kKindNames, told->second, &KindName::kind);
  return name == kKindNames.end() ? kind_by_suffix(symbol) : name->name;
}

/// The lines of the text that a document is about.
class TextLines {
 public:
  TextLines(const ScipDocument& document, std::string_view text)
      : encoding_(document.encoding), lines_(split(text, '\n')) {
    if (lines_.back().empty()) lines_.pop_back();  // what follows the last line's end
  }

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(lines_.size()); }

  /// Calls `use` with the text at a place: in the encoding that the document tells, or in each.
  /// False for all places after kMostPlaceCharacters characters.
  bool any_text_at(const ScipOccurrence& place, const std::function<bool(std::string_view)>& use) {
    if (place.line > lines_.size()) return false;
    const std::string_view line = lines_[place.line - 1];
    const auto used = [&](ScipEncoding encoding) {
      counted_ += std::min<std::uint64_t>(place.end, line.size());
      return counted_ <= kMostPlaceCharacters &&
             use(scip_text(line, place.begin, place.end, encoding));
    };
    if (encoding_ != ScipEncoding::kUnspecified) return used(encoding_);
    return used(ScipEncoding::kUtf16) || used(ScipEncoding::kUtf8) || used(ScipEncoding::kUtf32);
  }

 private:
  const ScipEncoding encoding_;
  std::vector<std::string_view> lines_;
  std::uint64_t counted_ = 0;
};

/// A definition with the text of its symbol and of what encloses it.
struct ScipDefinition {
  SymbolDefinition definition;
  std::string_view symbol;
  std::string_view enclosing;
};

/// The definitions of a document whose names stand in the text; empty if it is out of date.
std::vector<ScipDefinition> definitions_of(const ScipDocument& document, std::string_view text) {
  TextLines lines(document, text);
  std::vector<ScipDefinition> out;
  std::size_t elsewhere = 0;
  for (const ScipOccurrence& place : document.occurrences) {
    // A definition without characters is that of the file.
    if (!place.is_definition || place.begin == place.end) continue;
    const auto symbol = ScipSymbol::parse(place.symbol);
    if (!symbol || is_parameter(*symbol) || symbol->name.size() > kMostNameBytes) continue;
    const bool stands = lines.any_text_at(place, [&](std::string_view name) {
      // "constructor" of "<constructor>", "size" of "<get>size".
      if (name.empty() || !symbol->name.contains(name)) return false;
      const bool told = place.first_line != 0;
      out.push_back({{kind_of(document, place, *symbol), std::string(name), place.line,
                      told ? place.first_line : place.line,
                      told ? std::min(place.last_line, lines.count()) : place.line, -1},
                     place.symbol,
                     symbol->enclosing});
      return true;
    });
    if (!stands) ++elsewhere;
  }
  if (elsewhere * 10 > elsewhere + out.size()) out.clear();
  return out;
}

/// Puts definitions into the order of their lines.
void sort_by_line(std::vector<SymbolDefinition>& definitions) {
  std::vector<std::size_t> order(definitions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t at) { return definitions[at].line; });
  std::vector<std::int32_t> place(order.size());
  std::vector<SymbolDefinition> sorted;
  for (const std::size_t at : order) {
    place[at] = static_cast<std::int32_t>(sorted.size());
    sorted.push_back(std::move(definitions[at]));
  }
  for (SymbolDefinition& one : sorted) {
    if (one.parent >= 0) one.parent = place[static_cast<std::size_t>(one.parent)];
  }
  definitions = std::move(sorted);
}

/// Adds those that `definitions` lacks. Of one that both have, what a parser of the language tells
/// stays: it has the comment before it, too.
void merge(std::span<const ScipDefinition> found, std::vector<SymbolDefinition>& definitions) {
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> known;  // by line and name
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    known.try_emplace({definitions[i].line, definitions[i].name}, i);
  }
  const std::size_t before = definitions.size();
  std::map<std::string_view, std::size_t> by_symbol;
  std::vector<std::string_view> enclosing;  // of those that are added
  for (const ScipDefinition& one : found) {
    const auto [at, added] =
        known.try_emplace({one.definition.line, one.definition.name}, definitions.size());
    by_symbol.try_emplace(one.symbol, at->second);
    if (!added) continue;
    definitions.push_back(one.definition);
    enclosing.push_back(one.enclosing);
  }
  for (std::size_t i = 0; i < enclosing.size(); ++i) {
    const auto parent = by_symbol.find(enclosing[i]);
    if (parent == by_symbol.end() || parent->second == before + i) continue;
    definitions[before + i].parent = static_cast<std::int32_t>(parent->second);
  }
  sort_by_line(definitions);
}

std::string_view first_line_of(std::string_view path, std::string_view text) {
  return has_extension(path) ? std::string_view() : text.substr(0, text.find('\n'));
}

/// The document of a file; nothing if there is none or its bytes are malformed.
std::optional<ScipDocument> document_of(const ScipIndex* index, std::string_view path) {
  if (index == nullptr) return std::nullopt;
  const std::string_view bytes = index->document(path);
  if (bytes.empty()) return std::nullopt;
  auto document = ScipDocument::read(bytes);
  return document ? std::optional(std::move(*document)) : std::nullopt;
}

/// True for a failure that does not come from the file.
bool is_unavailable(const Error& error) {
  return error.code == Code::kCancelled || error.tag == kAnalyserUnavailable;
}

}  // namespace

std::string ScipAnalyser::reader_of(std::string_view path, std::string_view first_line) const {
  std::string reader = others_.reader_of(path, first_line);
  const std::string_view document = index_ ? index_->document(path) : std::string_view();
  if (document.empty()) return reader;
  const std::string own = "scip@" + std::to_string(digest(document));
  return reader.empty() ? own : own + '+' + reader;
}

Result<std::vector<SymbolDefinition>> ScipAnalyser::definitions(std::string_view path,
                                                                std::string_view text,
                                                                std::stop_token stop) {
  const auto document = document_of(index_.get(), path);
  if (!document) return others_.definitions(path, text, stop);
  Result<std::vector<SymbolDefinition>> found;
  if (!others_.reader_of(path, first_line_of(path, text)).empty()) {
    found = others_.definitions(path, text, stop);
    if (!found && is_unavailable(found.error())) return found;
  }
  const auto told = definitions_of(*document, text);
  if (!found && told.empty()) return found;
  std::vector<SymbolDefinition> all;
  if (found) all = std::move(*found);
  merge(told, all);
  return all;
}

Result<std::vector<std::uint32_t>> ScipAnalyser::references(std::string_view path,
                                                            std::string_view text,
                                                            std::string_view name,
                                                            std::stop_token stop) {
  const auto document = document_of(index_.get(), path);
  if (!document) return others_.references(path, text, name, stop);
  Result<std::vector<std::uint32_t>> found;
  if (!others_.reader_of(path, first_line_of(path, text)).empty()) {
    found = others_.references(path, text, name, stop);
    if (!found && is_unavailable(found.error())) return found;
  }
  std::vector<std::uint32_t> lines;
  TextLines texts(*document, text);
  for (const ScipOccurrence& place : document->occurrences) {
    if (place.is_definition) continue;
    const bool stands =
        texts.any_text_at(place, [&](std::string_view written) { return written == name; });
    if (stands) lines.push_back(place.line);
  }
  if (!found && lines.empty()) return found;
  if (found) lines.insert(lines.end(), found->begin(), found->end());
  std::ranges::sort(lines);
  const auto twins = std::ranges::unique(lines);
  lines.erase(twins.begin(), twins.end());
  return lines;
}

}  // namespace quarry::corpus
