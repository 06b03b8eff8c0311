#include "engine/tool_table.h"

#include "base/schema.h"
#include "engine/joined_text.h"
#include "engine/outcome_rows.h"

#include <array>
#include <map>

namespace quarry::engine {
namespace {

// Members that several tools have.

constexpr char kResources[] = R"json("resources": {"type": ["array", "null"], "maxItems": 20,
    "items": {"type": "string", "minLength": 1, "maxLength": 4096},
    "description": "Names or references; all if left out"})json";

constexpr char kForm[] = R"json(,
  "form": {"type": ["string", "null"], "enum": ["json", "text", "both", null], "forModels": false,
    "description": "text: the results as text for a model, instead of JSON; both: also. Left out: json."})json";

constexpr char kPage[] = R"json(,
  "maxTokens": {"type": ["integer", "null"], "minimum": 200, "maximum": 8000},
  "cursor": {"type": ["string", "null"], "minLength": 1, "maxLength": 200,
    "description": "Of an answer, for more"})json";

constexpr auto kPageResult = joined(R"json(
  "text": {"type": "string", "description": "With form: text or both"},
  "more": {"type": "boolean"}, "cursor": {"type": "string"},
  "note": {"type": "string"}, "total": {"type": "integer", "minimum": 0},
  "tokens": {"type": "integer", "minimum": 0},
  "failed": {"type": "array", "items": {
    "type": "object", "required": ["name", "error"],
    "properties": {
      "name": {"type": "string"},
      "error": )json",
                                    kRowErrorSchema, R"json(}}},
  "stale": {"type": "array", "items": {
    "type": "object", "required": ["name", "message", "fetchedAt"],
    "properties": {"name": {"type": "string"}, "message": {"type": "string"},
                   "fetchedAt": {"type": "string"}}}})json");

constexpr auto kSearchParams = joined(R"json({
  "type": "object", "required": ["query"],
  "properties": {
    "query": {"type": "string", "minLength": 1, "pattern": "\\S",
              "patternErrorMessage": "must not be only white space",
              "description": "A question or a few words"},
    "path": {"type": ["string", "null"], "maxLength": 4096,
             "description": "Directory or file to look in"},
    "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 50,
              "description": "Passages; default 10"},
    "explain": {"type": ["boolean", "null"], "forModels": false,
                "description": "Tell for each hit which evidence gave which part of its score; this takes from the budget."},
    "wordsOnly": {"type": ["boolean", "null"], "forModels": false,
                  "description": "Rank by words alone, even if the host also ranks by meaning."},
)json",
                                      kResources, kPage, kForm, "}}");

constexpr auto kGrepParams = joined(R"json({
  "type": "object", "required": ["pattern"],
  "properties": {
    "pattern": {"type": "string", "minLength": 1, "maxLength": 10000,
                "description": "Regular expression (RE2) of a line; escape . ( ) [ ] { } * + ? | ^ $ with \\"},
    "path": {"type": ["string", "null"], "maxLength": 4096,
             "description": "Directory or file to look in"},
    "include": {"type": ["string", "null"], "maxLength": 4096,
                "description": "Glob of files, such as *.md"},
    "ignoreCase": {"type": ["boolean", "null"]},
    "context": {"type": ["integer", "null"], "minimum": 0, "maximum": 10,
                "description": "Lines around a match"},
    "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 1000,
              "description": "Lines; default 100"},
)json",
                                    kResources, kPage, kForm, "}}");

constexpr auto kSymbolsParams = joined(R"json({
  "type": "object",
  "properties": {
    "name": {"type": ["string", "null"], "maxLength": 1024,
             "description": "Such as parse_date, Parser.parse or ns::Parser; parse* for all that begin so"},
    "kind": {"type": ["string", "null"], "maxLength": 64,
             "description": "Such as function, method or class"},
    "path": {"type": ["string", "null"], "maxLength": 4096,
             "description": "Directory or file to look in"},
    "references": {"type": ["boolean", "null"],
                   "description": "Lines that use the name, instead"},
    "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 1000,
              "description": "Hits"},
)json",
                                       kResources, kPage, kForm, "}}");

constexpr auto kListParams = joined(R"json({
  "type": "object",
  "properties": {
    "path": {"type": ["string", "null"], "maxLength": 4096,
             "description": "Directory, such as svelte/docs"},
    "glob": {"type": ["string", "null"], "maxLength": 4096, "aliases": ["pattern"],
             "description": "Files at any depth: * and ? within a name, ** across directories, [a-z], {a,b}"},
    "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 1000,
              "description": "Default 200"},
)json",
                                    kResources, kPage, kForm, "}}");

constexpr auto kReadParams = joined(R"json({
  "type": "object", "required": ["path"],
  "properties": {
    "path": {"type": "string", "minLength": 1, "maxLength": 4096,
             "description": "File, such as svelte/README.md"},
    "startLine": {"type": ["integer", "null"], "minimum": 1, "maximum": 4000000000,
                  "aliases": ["offset"]},
    "endLine": {"type": ["integer", "null"], "minimum": 1, "maximum": 4000000000},
    "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 4000000000,
              "forModels": false, "description": "Lines"},
)json",
                                    kResources, kPage, kForm, "}}");

constexpr auto kSyncParams = joined(R"json({
  "type": "object", "properties": {)json",
                                    kResources, kForm, "}}");

constexpr auto kHits = joined(R"json({
  "type": "object", "required": ["more", "tokens"],
  "anyOf": [{"required": ["hits"]}, {"required": ["text"]}],
  "properties": {
    "hits": {"type": "array", "items": {
      "type": "object",
      "required": ["path", "startLine", "endLine", "version", "citation", "text"],
      "properties": {
        "path": {"type": "string"},
        "startLine": {"type": "integer", "minimum": 1},
        "endLine": {"type": "integer", "minimum": 1},
        "version": {"type": "string"}, "url": {"type": "string"},
        "citation": {"type": "string"}, "heading": {"type": "string"},
        "text": {"type": "string"},
        "explain": {"type": "object", "required": ["score", "parts", "factors"], "properties": {
          "score": {"type": "number"},
          "parts": {"type": "array", "items": {
            "type": "object", "required": ["evidence", "value"],
            "properties": {"evidence": {"type": "string"}, "term": {"type": "string"},
                           "value": {"type": "number"}}}},
          "factors": {"type": "array", "items": {
            "type": "object", "required": ["rule", "value"],
            "properties": {"rule": {"type": "string"}, "value": {"type": "number"}}}}}},
        "continuesTo": {"type": "integer", "minimum": 1}}}},
)json");

constexpr auto kHitsResult = joined(kHits, kPageResult, "}}");

constexpr auto kSearchResult = joined(kHits, R"json(
    "question": {"type": "object", "required": ["form", "asksFor", "words", "body", "code"],
      "properties": {
        "form": {"type": "string", "description": "short, long or issue; others may follow"},
        "asksFor": {"type": "string", "description": "either, code or documentation; others may follow"},
        "words": {"type": "integer", "minimum": 0},
        "body": {"type": "number"}, "code": {"type": "number"}}},
)json",
                                      kPageResult, "}}");

constexpr auto kEntriesResult = joined(R"json({
  "type": "object", "required": ["more", "total", "tokens"],
  "anyOf": [{"required": ["entries"]}, {"required": ["text"]}],
  "properties": {
    "entries": {"type": "array", "items": {
      "type": "object", "required": ["path", "kind"],
      "properties": {
        "path": {"type": "string"},
        "kind": {"type": "string", "description": "resource, directory, file, binary, tooLarge, unreadable, link or secret"},
        "lines": {"type": "integer", "minimum": 0}, "bytes": {"type": "integer", "minimum": 0},
        "files": {"type": "integer", "minimum": 0}, "version": {"type": "string"}}}},
)json",
                                       kPageResult, "}}");

constexpr auto kSyncResult =
    joined(kOutcomeRowsMembers, R"json(, "text": {"type": "string"}}})json");

constexpr ParamsRule rule(std::string_view schema) {
  return {schema, PrincipalMember::kOptional, "the arguments are not valid", "RequestError", true};
}

constexpr std::array kRows = std::to_array<ToolRow>({
    {"search", "tools.search", "Search passages",
     "Finds the passages that fit a question or a few words best. Use it first; use grep for exact "
     "text. Example: {\"query\": \"how are retries configured\"}",
     rule(kSearchParams.view()), kSearchResult.view(), corpus::search_page, true},
    {"grep", "tools.grep", "Search for a regular expression",
     "Finds the lines that match a regular expression. Example: "
     "{\"pattern\": \"retry_limit\\\\b\", \"include\": \"*.cpp\"}",
     rule(kGrepParams.view()), kHitsResult.view(), corpus::grep_page, true},
    {"symbols", "tools.symbols", "Find definitions and references",
     "Finds the definitions of a name in source code; with path alone, the outline of a file. "
     "Example: {\"name\": \"Parser.parse\"}",
     rule(kSymbolsParams.view()), kHitsResult.view(), corpus::symbols_page, true, true, "outline"},
    {"list", "tools.list", "List files",
     "Lists a directory, or files by a glob; without arguments the resources. Every path begins "
     "with the name of a resource. Example: {\"path\": \"svelte/docs\"}",
     rule(kListParams.view()), kEntriesResult.view(), corpus::list_page, false, false, "glob"},
    {"read", "tools.read", "Read a file",
     "Reads lines of a file. Example: {\"path\": \"svelte/docs/state.md\", \"startLine\": 40}",
     rule(kReadParams.view()), kHitsResult.view(), corpus::read_page, false, false},
    {"sync", "tools.sync", "Check sources for updates",
     "Fetches new versions of resources now. Needed only for very recent changes. Example: "
     "{\"resources\": [\"svelte\"]}",
     rule(kSyncParams.view()), kSyncResult.view(), nullptr},
});

}  // namespace

std::span<const ToolRow> tool_rows() {
  return kRows;
}

Result<Json> checked_arguments(const ToolRow& row, Json arguments) {
  static const auto schemas = [] {
    std::map<std::string_view, Schema> all;
    for (const ToolRow& each : kRows) all.emplace(each.name, compiled_schema(each.params.schema));
    return all;
  }();
  const Schema& schema = schemas.at(row.name);
  schema.coerce(arguments);
  auto mistakes = schema.check(arguments, Schema::Unknown::kRefuse);
  if (!mistakes.empty()) return invalid(row.params.mistake, row.params.tag, std::move(mistakes));
  return arguments;
}

}  // namespace quarry::engine
