#include "engine/tool_table.h"

#include "engine/joined_text.h"
#include "engine/outcome_rows.h"

#include <array>

namespace quarry::engine {
namespace {

// Members that several tools have.

constexpr char kResources[] = R"json("resources": {"type": ["array", "null"], "maxItems": 20,
    "items": {"type": "string", "minLength": 1, "maxLength": 4096},
    "description": "Names of resources, or references such as npm:react@18. Left out: all."})json";

constexpr char kPage[] = R"json(,
  "maxTokens": {"type": ["integer", "null"], "minimum": 200, "maximum": 8000,
    "description": "Budget of the answer, one token for 4 bytes of JSON. Left out: 2000."},
  "cursor": {"type": ["string", "null"], "minLength": 1, "maxLength": 200,
    "description": "The cursor of an answer with more: true, with the same other arguments."})json";

constexpr auto kPageResult = joined(R"json(
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
              "description": "A question or a few words."},
    "path": {"type": ["string", "null"], "maxLength": 4096,
             "description": "Directory or file to look in, such as svelte/docs. Left out: everywhere."},
    "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 50,
              "description": "Passages of this page; 10 when left out."},
    "explain": {"type": ["boolean", "null"],
                "description": "Tell for each hit which evidence gave which part of its score; this takes from the budget."},
    "wordsOnly": {"type": ["boolean", "null"],
                  "description": "Rank by words alone, even if the host also ranks by meaning."},
)json",
                                      kResources, kPage, "}}");

constexpr auto kGrepParams = joined(R"json({
  "type": "object", "required": ["pattern"],
  "properties": {
    "pattern": {"type": "string", "minLength": 1, "maxLength": 10000,
                "description": "Regular expression (RE2), matched line by line; put \\ before . ( ) [ ] { } * + ? | ^ $ to mean them literally."},
    "path": {"type": ["string", "null"], "maxLength": 4096,
             "description": "File or directory to look in. Left out: everywhere."},
    "include": {"type": ["string", "null"], "maxLength": 4096,
                "description": "Glob of the files to look in, such as *.md."},
    "ignoreCase": {"type": ["boolean", "null"], "description": "Upper and lower case are the same."},
    "context": {"type": ["integer", "null"], "minimum": 0, "maximum": 10,
                "description": "Lines before and after each match; 0 when left out."},
    "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 1000,
              "description": "Matching lines of this page; 100 when left out."},
)json",
                                    kResources, kPage, "}}");

constexpr auto kSymbolsParams = joined(R"json({
  "type": "object",
  "properties": {
    "name": {"type": ["string", "null"], "maxLength": 1024,
             "description": "Name of a definition, such as parse_date, Parser.parse or ns::Parser; parse* for all that begin so. Left out: the outline of the file path."},
    "kind": {"type": ["string", "null"], "maxLength": 64,
             "description": "Only definitions of this kind, such as function, method or class."},
    "path": {"type": ["string", "null"], "maxLength": 4096,
             "description": "File or directory to look in. Left out: everywhere."},
    "references": {"type": ["boolean", "null"],
                   "description": "The lines that use the name, instead of its definitions."},
    "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 1000,
              "description": "Hits of this page; 20 definitions, 100 references or 200 definitions of an outline when left out."},
)json",
                                       kResources, kPage, "}}");

constexpr auto kListParams = joined(R"json({
  "type": "object",
  "properties": {
    "path": {"type": ["string", "null"], "maxLength": 4096,
             "description": "Directory, such as svelte/docs. Left out: the resources, or with glob everywhere."},
    "glob": {"type": ["string", "null"], "maxLength": 4096,
             "description": "Files at any depth whose path fits: * and ? within a name, ** across directories, [a-z], {a,b}. Left out: what is right within the directory."},
    "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 1000,
              "description": "Entries of this page; 200 when left out."},
)json",
                                    kResources, kPage, "}}");

constexpr auto kReadParams = joined(R"json({
  "type": "object", "required": ["path"],
  "properties": {
    "path": {"type": "string", "minLength": 1, "maxLength": 4096,
             "description": "File, such as svelte/README.md."},
    "startLine": {"type": ["integer", "null"], "minimum": 1, "maximum": 4000000000,
                  "description": "First line; 1 when left out."},
    "endLine": {"type": ["integer", "null"], "minimum": 1, "maximum": 4000000000,
                "description": "Last line; the file's when left out."},
)json",
                                    kResources, kPage, "}}");

constexpr auto kSyncParams = joined(R"json({
  "type": "object", "properties": {)json",
                                    kResources, "}}");

constexpr auto kHits = joined(R"json({
  "type": "object", "required": ["hits", "more", "tokens"],
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
  "type": "object", "required": ["entries", "more", "total", "tokens"],
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

constexpr ParamsRule rule(std::string_view schema) {
  return {schema, PrincipalMember::kOptional, "the arguments are not valid", "RequestError", true};
}

constexpr std::array kRows = std::to_array<ToolRow>({
    {"search", "tools.search", "Search passages",
     "Finds the passages that fit a question or a few words best, ranked, with their text and a "
     "citation. Use it first, when you do not know the exact text or the file; use grep for exact "
     "text. Example: {\"query\": \"how are retries configured\", \"maxTokens\": 2000}",
     rule(kSearchParams.view()), kSearchResult.view(), corpus::search_page, true},
    {"grep", "tools.grep", "Search for a regular expression",
     "Finds every line that matches a regular expression, in order of path. Use it for names, "
     "error messages and other exact text; use search for questions. Example: {\"pattern\": "
     "\"retry_limit\\\\b\", \"include\": \"*.cpp\", \"context\": 2}",
     rule(kGrepParams.view()), kHitsResult.view(), corpus::grep_page, true},
    {"symbols", "tools.symbols", "Find definitions and references",
     "Finds the definitions of a name in source code, with kind, scope, lines and their first "
     "lines; with references, the lines that use it; with path alone, the outline of a file. Use "
     "it for functions, types and constants whose name you know; use grep for other exact text. "
     "Example: {\"name\": \"Parser.parse\", \"kind\": \"method\"}",
     rule(kSymbolsParams.view()), kHitsResult.view(), corpus::symbols_page, true, true},
    {"list", "tools.list", "List files",
     "Lists a directory, or the files whose path fits a glob. Without arguments it lists the "
     "resources; every other path begins with the name of one. Example: {\"path\": "
     "\"svelte/docs\", \"glob\": \"**/*.md\"}",
     rule(kListParams.view()), kEntriesResult.view(), corpus::list_page},
    {"read", "tools.read", "Read a file",
     "Reads lines of a text file, with a citation. Use it after search or grep, to see what "
     "surrounds a hit. Example: {\"path\": \"svelte/docs/state.md\", \"startLine\": 40, "
     "\"endLine\": 90}",
     rule(kReadParams.view()), kHitsResult.view(), corpus::read_page},
    {"sync", "tools.sync", "Check sources for updates",
     "Checks the sources of resources for updates now, and fetches new versions. Needed only when "
     "an answer must contain a very recent change. Example: {\"resources\": [\"svelte\"]}",
     rule(kSyncParams.view()), kOutcomeRowsSchema, nullptr},
});

}  // namespace

std::span<const ToolRow> tool_rows() {
  return kRows;
}

}  // namespace quarry::engine
