#include "corpus/tools/symbol_text.h"

#include "base/utf8.h"
#include "corpus/query/symbol_part.h"
#include "corpus/text/display.h"
#include "corpus/tools/retrieval.h"

#include <algorithm>
#include <utility>

namespace quarry::corpus {
namespace {

constexpr std::uint32_t kMostCommentLines = 12;

/// About files that were not read for `failure`.
std::string failure_note(const std::string& failure) {
  return failure.empty() ? failure : " A file could not be analysed: " + failure + '.';
}

/// The sentences about a name that only definitions of other kinds have.
std::string other_kinds_note(const SymbolResult& result, std::string_view quoted,
                             std::string_view kind) {
  std::string note = "No definition of the kind \"" + shown(kind) + "\" is named ";
  note.append(quoted).append("; of other kinds ");
  if (result.match == SymbolMatch::kExact) note += "are: ";
  if (result.match == SymbolMatch::kFolded) note += "are, in another case: ";
  if (result.match == SymbolMatch::kPrefix) note += "begin so: ";
  std::string_view separator;
  for (const auto& [name, count] : result.other_kinds) {
    note.append(std::exchange(separator, ", ")).append(shown(name));
    note += " (" + std::to_string(count) + ")";
  }
  if (result.uncounted > 0) note += " and " + counted(result.uncounted, "more definition");
  return note + ". Leave kind out for them.";
}

}  // namespace

Error symbols_unavailable() {
  return {Code::kUnavailable, "symbols are not available: no plugin that analyses code is loaded",
          "Use grep for the name. \"quarry plugins list\" shows the plugins."};
}

DefinitionLines lines_of(const FoundSymbol& symbol) {
  const bool is_long = symbol.line - symbol.first_line > kMostCommentLines;
  const std::uint32_t first = is_long ? symbol.line : symbol.first_line;
  return {first, std::min(symbol.last_line, first + kMostDefinitionLines - 1)};
}

std::string heading_of(std::string_view kind, std::string_view qualified) {
  return to_utf8(std::string(kind) + ' ' + std::string(qualified));
}

std::string heading_of(const std::vector<SymbolDefinition>& definitions, std::size_t number) {
  const SymbolDefinition& one = definitions[number];
  return heading_of(one.kind, qualified_name(parents_of(definitions, number), one.name));
}

std::vector<std::size_t> numbers_of(const std::vector<SymbolDefinition>& definitions,
                                    std::string_view kind) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    if (match_kind(definitions[i].kind, kind)) numbers.push_back(i);
  }
  return numbers;
}

std::string note_of(const SymbolResult& result, std::string_view name, std::string_view kind) {
  const std::string quoted = '"' + shown(name) + '"';
  std::string note;
  if (!result.other_kinds.empty()) {
    note = other_kinds_note(result, quoted, kind);
  } else if (result.total == 0) {
    note = "No definition is named " + quoted +
           ". Write its begin with * for all that begin so, or grep for uses of the name.";
  } else if (result.match == SymbolMatch::kFolded) {
    note = "None is named exactly " + quoted + "; these differ in upper and lower case.";
  } else if (result.match == SymbolMatch::kPrefix) {
    note = "None is named " + quoted + "; these begin so.";
  }
  if (result.is_bounded) {
    note += std::string(note.empty() ? "" : " ") +
            "The symbol index is not complete yet, and not every file with the name was read: "
            "there may be more definitions. Narrow path, or ask again later.";
  }
  note += failure_note(result.failure);
  return note.starts_with(' ') ? note.substr(1) : note;
}

std::string note_of(const ReferenceResult& result, std::string_view name) {
  std::string note;
  if (result.found.empty() && !result.next) {
    note = "No line uses \"" + shown(name) + "\" other than in definitions.";
  }
  if (result.other_files > 0) {
    note += ' ' + counted(result.other_files, "file") +
            (result.other_files == 1 ? " with this word is" : " with this word are") +
            " of no language that is analysed; grep finds the lines.";
  }
  note += failure_note(result.failure);
  return note.starts_with(' ') ? note.substr(1) : note;
}

Result<std::string> reference_word(std::string_view name) {
  auto names = SymbolNames::parse(name);
  if (!names) return std::move(names).error();
  if (names->is_prefix) {
    return Error{Code::kInvalidArgument, "name: references are of one name, without *"};
  }
  return std::move(names->readings.back().name);
}

}  // namespace quarry::corpus
