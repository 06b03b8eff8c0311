#include "corpus/tools/tools.h"

#include "base/schema.h"
#include "base/text.h"
#include "corpus/tools/retrieval.h"

#include <array>
#include <map>

#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

constexpr std::array kTools = std::to_array<ToolDescription>({
    {"list",
     "Lists the files and directories right within a directory. Without a path it lists the "
     "resources; every other path begins with the name of one.",
     R"({"type":"object","properties":{)"
     R"("path":{"type":"string","description":"Directory, such as \"svelte/docs\". Left out: the resources."}},)"
     R"("additionalProperties":false})"},
    {"glob",
     "Finds files by the pattern of their path: * and ? within a name, ** across directories, "
     "[a-z], {a,b}. A pattern without / is looked for at every depth. Paths come sorted.",
     R"({"type":"object","properties":{)"
     R"("pattern":{"type":"string","description":"Such as \"**/*.{ts,tsx}\" or \"README*\"."},)"
     R"("path":{"type":"string","description":"Directory to look in; the pattern is relative to it. Left out: everywhere."},)"
     R"("limit":{"type":"integer","minimum":1,"maximum":1000,"description":"Paths to show; 200 when left out."}},)"
     R"("required":["pattern"],"additionalProperties":false})"},
    {"grep",
     "Searches the text of files for a regular expression (RE2 syntax, line by line) and shows the "
     "matching lines with their numbers, grouped by file.",
     R"({"type":"object","properties":{)"
     R"("pattern":{"type":"string","description":"Regular expression; put \\ before . ( ) [ ] { } * + ? | ^ $ to mean them literally."},)"
     R"("path":{"type":"string","description":"File or directory to look in. Left out: everywhere."},)"
     R"("include":{"type":"string","description":"Glob of the files to look in, such as \"*.md\"."},)"
     R"("ignore_case":{"type":"boolean","description":"Upper and lower case are the same."},)"
     R"("context":{"type":"integer","minimum":0,"maximum":10,"description":"Lines to show before and after each match."},)"
     R"("limit":{"type":"integer","minimum":1,"maximum":1000,"description":"Matching lines to show; 100 when left out."}},)"
     R"("required":["pattern"],"additionalProperties":false})"},
    {"read",
     "Reads a text file with line numbers, at most 2,000 lines at once. Says how to go on when "
     "there is more.",
     R"({"type":"object","properties":{)"
     R"("path":{"type":"string","description":"File, such as \"svelte/README.md\"."},)"
     R"("offset":{"type":"integer","minimum":1,"description":"First line to read; 1 when left out."},)"
     R"("limit":{"type":"integer","minimum":1,"maximum":2000,"description":"Lines to read; 2,000 when left out."}},)"
     R"("required":["path"],"additionalProperties":false})"},
    {"search",
     "Finds the passages that answer a question best, ranked, with path, lines and heading. Takes "
     "plain words; use grep for exact text.",
     R"({"type":"object","properties":{)"
     R"("query":{"type":"string","description":"A question or a few words."},)"
     R"("path":{"type":"string","description":"Directory to look in. Left out: everywhere."},)"
     R"("limit":{"type":"integer","minimum":1,"maximum":50,"description":"Passages to show; 10 when left out."}},)"
     R"("required":["query"],"additionalProperties":false})"},
    {"symbols",
     "Finds the definitions of a name in source code, with their first lines: functions, methods, "
     "types, constants. With references, the lines that use the name instead. Names may be "
     "qualified, as in Parser.parse or ns::Parser.",
     R"({"type":"object","properties":{)"
     R"("name":{"type":"string","description":"Such as \"parse_date\"; \"parse*\" for all that begin so."},)"
     R"("kind":{"type":"string","description":"Only definitions of this kind, such as \"function\" or \"class\"."},)"
     R"("path":{"type":"string","description":"File or directory to look in. Left out: everywhere."},)"
     R"("references":{"type":"boolean","description":"Show the lines that use the name."},)"
     R"("limit":{"type":"integer","minimum":1,"maximum":200,"description":"Results to show; 20 definitions or 100 references when left out."}},)"
     R"("required":["name"],"additionalProperties":false})"},
    {"outline",
     "Lists the definitions in one source file with kind, name and lines. Use it instead of "
     "reading "
     "a long file, and then read the lines you need.",
     R"({"type":"object","properties":{)"
     R"("path":{"type":"string","description":"File, such as \"svelte/src/index.js\"."},)"
     R"("kind":{"type":"string","description":"Only definitions of this kind, such as \"method\"."}},)"
     R"("required":["path"],"additionalProperties":false})"},
});

/// The last ones of kTools, which need an analyser.
constexpr std::size_t kSymbolTools = 2;

Error unknown_tool(std::string_view name, bool with_symbols) {
  std::vector<std::string> names;
  for (const ToolDescription& tool : tools(with_symbols)) names.emplace_back(tool.name);
  return {Code::kInvalidArgument, "there is no tool \"" + std::string(name.substr(0, 64)) + "\"",
          "The tools are: " + join(names, ", ") + "."};
}

/// `arguments` as the tool's schema asks for them.
Json coerced(std::string_view tool, Json arguments) {
  static const auto schemas = [] {
    std::map<std::string_view, Schema> all;
    for (const ToolDescription& one : kTools) {
      all.emplace(one.name, compiled_schema(one.parameters));
    }
    return all;
  }();
  if (const auto found = schemas.find(tool); found != schemas.end()) {
    found->second.coerce(arguments);
  }
  return arguments;
}

}  // namespace

std::span<const ToolDescription> tools(bool with_symbols) {
  return std::span(kTools).first(kTools.size() - (with_symbols ? 0 : kSymbolTools));
}

Result<ToolResult> run_tool(const Collection& collection, std::string_view tool, const Json& given,
                            Executor& executor, std::stop_token stop, SymbolAnalyser* symbols) {
  const Json arguments = coerced(tool, given);
  if (tool == "list") return run_list(collection, arguments, std::move(stop));
  if (tool == "glob") return run_glob(collection, arguments, std::move(stop));
  if (tool == "grep") return run_grep(collection, arguments, executor, std::move(stop));
  if (tool == "read") return run_read(collection, arguments, std::move(stop));
  if (tool == "search") return run_search(collection, arguments, executor, std::move(stop));
  if (tool == "symbols" || tool == "outline") {
    if (symbols == nullptr) return symbols_unavailable();
    if (tool == "outline") return run_outline(collection, arguments, *symbols, std::move(stop));
    return run_symbols(collection, arguments, *symbols, executor, std::move(stop));
  }
  return unknown_tool(tool, symbols != nullptr);
}

}  // namespace quarry::corpus
