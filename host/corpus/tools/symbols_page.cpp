#include "corpus/query/outline.h"
#include "corpus/tools/found_file.h"
#include "corpus/tools/page.h"
#include "corpus/tools/page_notes.h"
#include "corpus/tools/symbol_text.h"

#include <algorithm>

namespace quarry::corpus {
namespace {

constexpr std::size_t kLeastDefinition = 400;  // bytes of a definition

/// The arguments of a call, and where its page goes on.
struct Call {
  const Retrieval& retrieval;
  const PageArguments& arguments;
  std::string name;
  std::string kind;
  std::string path;
  bool references;
  std::uint32_t position;

  [[nodiscard]] const Source& source(std::size_t i) const {
    return retrieval.collection.sources()[i];
  }
  [[nodiscard]] std::uint32_t limit_or(std::uint32_t own) const {
    return arguments.number("limit", own);
  }
};

Error bad(std::string_view field, std::string message) {
  return error_of_field(field, Error{Code::kInvalidArgument, std::move(message)});
}

/// An error of a search as one of the field that it is about.
Error as_field(const Error& error) {
  if (error.code != Code::kInvalidArgument && error.code != Code::kNotFound) return error;
  return error_of_field(error.message.starts_with("name: ") ? "name" : "path", error);
}

std::string with_damage(const Call& call, const std::string& note) {
  const std::string damage = damage_notice(call.retrieval.collection);
  if (damage.empty()) return note;
  // The notice begins as the continuation of a sentence.
  return (note.empty() ? std::string("Some files were left out")
                       : note.substr(0, note.size() - 1)) +
         damage + '.';
}

std::string more_note(std::string_view what, std::string_view note) {
  std::string text = "More " + std::string(what) + ": repeat the call with cursor.";
  return note.empty() ? text : text + ' ' + std::string(note);
}

std::optional<HitLines> hit_of(const Call& call, const FoundSymbol& symbol) {
  const Source& source = call.source(symbol.source);
  const DefinitionLines lines = lines_of(symbol);
  auto text = lines_of(source, symbol.file, lines.first, lines.last);
  if (!text) return std::nullopt;  // damaged, which the note tells
  return HitLines{.source = symbol.source,
                  .path = std::string(source.snapshot->path(symbol.file)),
                  .first = lines.first,
                  .lines = std::move(*text),
                  .heading = heading_of(symbol.kind, symbol.qualified),
                  .least = symbol.line - lines.first + std::size_t{1},
                  .end = symbol.last_line,
                  .has_heading = true};
}

Result<Json> definitions(const Call& call) {
  const Retrieval& retrieval = call.retrieval;
  const SymbolQuery query{call.name, call.kind, call.path, call.position, call.limit_or(20)};
  const auto result = find_definitions(retrieval.collection, query, *retrieval.symbols,
                                       retrieval.executor, retrieval.stop);
  if (!result) return as_field(result.error());
  Page page(retrieval, call.arguments.max_tokens());
  std::size_t taken = 0;
  for (; taken < result->found.size(); ++taken) {
    const auto hit = hit_of(call, result->found[taken]);
    if (!hit) continue;
    const std::size_t share = page.space() / (result->found.size() - taken);
    if (page.add(*hit, std::max(share, kLeastDefinition), true) == 0) break;
  }
  const std::size_t next = query.skip + taken;
  const bool more = next < result->total;
  const std::string note = note_of(*result, call.name, call.kind);
  Json answer = std::move(page).finish(
      "hits", call.arguments.cursor(),
      more ? std::optional(static_cast<std::uint32_t>(next)) : std::nullopt,
      with_damage(call, more ? more_note("definitions have this name", note) : note));
  answer["total"] = result->total;
  return answer;
}

Result<Json> references(const Call& call) {
  const Retrieval& retrieval = call.retrieval;
  if (!call.kind.empty()) return bad("kind", "does not apply to references");
  auto word = reference_word(call.name);
  if (!word) return as_field(word.error());
  const auto result = find_references(
      retrieval.collection, {std::move(*word), call.path, call.position, call.limit_or(100)},
      *retrieval.symbols, retrieval.executor, retrieval.stop);
  if (!result) return as_field(result.error());
  Page page(retrieval, call.arguments.max_tokens());
  auto next = result->next;
  for (const FoundReference& one : result->found) {
    const Source& source = call.source(one.source);
    auto text = lines_of(source, one.file, one.line, one.line);
    if (!text) continue;
    const HitLines hit{.source = one.source,
                       .path = std::string(source.snapshot->path(one.file)),
                       .first = one.line,
                       .lines = std::move(*text)};
    if (page.add(hit) > 0) continue;
    next = one.position;
    break;
  }
  const std::string note = note_of(*result, call.name);
  return std::move(page).finish(
      "hits", call.arguments.cursor(), next,
      with_damage(call, next ? more_note("lines may use this name", note) : note));
}

Result<Json> outline(const Call& call) {
  const Retrieval& retrieval = call.retrieval;
  const auto found = find_file(retrieval.collection, call.path);
  if (!found) return error_of_field("path", found.error());
  const Source& source = call.source(found->location.source);
  const auto definitions = outline_of(source, found->file, *retrieval.symbols, retrieval.stop);
  if (!definitions) {
    return definitions.error().code == Code::kUnsupported
               ? error_of_field("path", definitions.error())
               : definitions.error();
  }
  const auto numbers = numbers_of(*definitions, call.kind);
  Page page(retrieval, call.arguments.max_tokens());
  const std::size_t from = std::min<std::size_t>(call.position, numbers.size());
  const std::size_t end = std::min<std::size_t>(from + call.limit_or(200), numbers.size());
  std::size_t next = from;
  for (; next < end; ++next) {
    const SymbolDefinition& one = (*definitions)[numbers[next]];
    auto text = lines_of(source, found->file, one.line, one.line);
    if (!text) return std::move(text).error();
    const HitLines hit{.source = found->location.source,
                       .path = found->location.path,
                       .first = one.line,
                       .lines = std::move(*text),
                       .heading = heading_of(*definitions, numbers[next]),
                       .end = one.last_line};
    if (page.add(hit, std::numeric_limits<std::size_t>::max(), true) == 0) break;
  }
  const bool more = next < numbers.size();
  std::string note;
  if (more) note = more_note("definitions are in the file", "");
  if (numbers.empty())
    note = "The file defines nothing" + std::string(call.kind.empty() ? "." : " of this kind.");
  Json answer = std::move(page).finish(
      "hits", call.arguments.cursor(),
      more ? std::optional(static_cast<std::uint32_t>(next)) : std::nullopt, note);
  answer["total"] = numbers.size();
  return answer;
}

Result<Json> run(const Call& call) {
  if (call.retrieval.symbols == nullptr) return symbols_unavailable();
  if (!call.name.empty()) return call.references ? references(call) : definitions(call);
  if (call.references) return bad("name", "is required with references");
  if (call.path.empty()) return bad("name", "is required, unless path is a file to outline");
  return outline(call);
}

}  // namespace

Result<Json> symbols_page(const Retrieval& retrieval, const Json& json) {
  const PageArguments arguments("symbols", json, retrieval);
  const auto position = arguments.position();
  if (!position) return position.error();
  if (retrieval.stop.stop_requested()) return Error{Code::kCancelled, "symbols was cancelled"};
  return run({retrieval, arguments, arguments.text("name"), arguments.text("kind"),
              arguments.text("path"), arguments.flag("references"), *position});
}

}  // namespace quarry::corpus
