#include "base/utf8.h"
#include "corpus/query/location.h"
#include "corpus/text/display.h"
#include "corpus/tools/found_file.h"
#include "corpus/tools/symbol_text.h"
#include "corpus/tools/tool_arguments.h"
#include "corpus/tools/tool_output.h"
#include "corpus/tools/tools.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

constexpr std::uint32_t kMostShownLines = 10;  // of a definition
constexpr std::size_t kMostDefinitionLine = 600;
constexpr std::size_t kTitleBytes = 60;

std::string numbered(std::uint32_t number, std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::string text = to_utf8(line);
  const std::string_view start = utf8_prefix(text, kMostDefinitionLine);
  return std::to_string(number) + '\t' + std::string(start) +
         (start.size() < text.size() ? "… (cut)" : "");
}

std::string notice_of(const std::string& count, const std::string& note) {
  return note.empty() ? count + '.' : count + ". " + note;
}

std::string title_of(std::string_view name, std::string_view what) {
  return "symbols \"" + std::string(utf8_prefix(shown(name), kTitleBytes)) +
         "\": " + std::string(what);
}

/// Adds a definition and its first lines; false if it does not fit.
bool add(const Collection& collection, const FoundSymbol& symbol, ToolOutput& output) {
  const Source& source = collection.sources()[symbol.source];
  const DefinitionLines lines = lines_of(symbol);
  const std::uint32_t least = std::max(symbol.line, lines.first + kMostShownLines - 1);
  const std::uint32_t last = std::min(lines.last, least);
  std::string text = shown(source, source.snapshot->path(symbol.file)) + ':' +
                     std::to_string(symbol.first_line) + '-' + std::to_string(symbol.last_line) +
                     "  " + heading_of(symbol.kind, symbol.qualified);
  const auto own = lines_of(source, symbol.file, lines.first, last);
  if (!own) return output.add(text + '\n' + own.error().message);
  for (std::size_t i = 0; i < own->size(); ++i) {
    text += '\n' + numbered(lines.first + static_cast<std::uint32_t>(i), (*own)[i]);
  }
  if (last < symbol.last_line) {
    text += "\n… (goes on; read it with offset=" + std::to_string(last + 1) + ')';
  }
  return output.add(text + '\n');
}

Result<ToolResult> definitions(const Collection& collection, const SymbolQuery& query,
                               SymbolAnalyser& analyser, Executor& executor,
                               const std::stop_token& stop) {
  const auto result = find_definitions(collection, query, analyser, executor, stop);
  if (!result) return result.error();
  ToolOutput output;
  std::size_t count = 0;
  while (count < result->found.size() && add(collection, result->found[count], output)) ++count;
  std::string notice = counted(count, "definition");
  if (count < result->total) {
    notice += " of " + std::to_string(result->total) + "; narrow with kind or path";
  }
  const Json facts = {{"definitions", result->total}, {"truncated", count < result->total}};
  return ToolResult{std::move(output).finish(notice_of(notice, note_of(*result, query.name)) +
                                             damage_notice(collection)),
                    title_of(query.name, counted(result->total, "definition")), facts.dump()};
}

/// Adds as many references as fit, by file; returns their number.
std::size_t add(const Collection& collection, std::span<const FoundReference> found,
                ToolOutput& output) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const FoundReference& one = found[i];
    const Source& source = collection.sources()[one.source];
    const bool same = i > 0 && found[i - 1].source == one.source &&
                      found[i - 1].file.segment == one.file.segment &&
                      found[i - 1].file.file == one.file.file;
    if (!same && !output.add(shown(source, source.snapshot->path(one.file)))) return i;
    const auto line = lines_of(source, one.file, one.line, one.line);
    if (line && !output.add(numbered(one.line, line->front()))) return i;
  }
  return found.size();
}

Result<ToolResult> references(const Collection& collection, const std::string& name,
                              const ReferenceQuery& query, SymbolAnalyser& analyser,
                              Executor& executor, const std::stop_token& stop) {
  const auto result = find_references(collection, query, analyser, executor, stop);
  if (!result) return result.error();
  ToolOutput output;
  const std::size_t count = add(collection, result->found, output);
  const bool more = result->next || count < result->found.size();
  std::string notice = counted(count, "reference");
  if (more) notice += ", and there may be more; narrow with path";
  const Json facts = {{"references", count}, {"truncated", more}};
  return ToolResult{std::move(output).finish(notice_of(notice, note_of(*result, name)) +
                                             damage_notice(collection)),
                    title_of(name, counted(count, "reference")), facts.dump()};
}

}  // namespace

Result<ToolResult> run_symbols(const Collection& collection, const Json& json,
                               SymbolAnalyser& analyser, Executor& executor, std::stop_token stop) {
  ToolArguments arguments(json, {"name", "kind", "path", "references", "limit"});
  SymbolQuery query;
  query.name = arguments.required_text("name");
  query.kind = arguments.text("kind");
  query.path = arguments.text("path");
  const bool wants_references = arguments.flag("references");
  query.limit = arguments.number("limit", wants_references ? 100 : 20, 1, 200);
  if (auto error = arguments.error()) return std::move(*error);
  if (!wants_references) return definitions(collection, query, analyser, executor, stop);
  auto word = reference_word(query.name);
  if (!word) return std::move(word).error();
  return references(collection, query.name,
                    {.name = std::move(*word), .path = query.path, .limit = query.limit}, analyser,
                    executor, stop);
}

}  // namespace quarry::corpus
