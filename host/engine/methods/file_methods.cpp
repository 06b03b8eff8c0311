#include "base/utf8.h"
#include "corpus/query/collection.h"
#include "corpus/tools/found_file.h"
#include "engine/methods/methods.h"
#include "engine/preparations.h"
#include "engine/requests.h"
#include "engine/resource_choice.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::string_view kFileResult = R"json({
  "type": "object", "required": ["name", "path", "version", "startLine", "total", "lines"],
  "properties": {
    "name": {"type": "string"}, "path": {"type": "string"}, "version": {"type": "string"},
    "startLine": {"type": "integer", "minimum": 1},
    "total": {"type": "integer", "minimum": 0},
    "lines": {"type": "array", "items": {"type": "string"}}
  }
})json";

constexpr std::uint32_t kMostLines = 2'000;
constexpr std::size_t kMostBytes = 1u << 20;

/// "startLine" or "endLine" of checked params.
std::uint32_t line_in(const Json& params, const char* member, std::uint32_t otherwise) {
  const Json* const line = find_member(params, member);
  return line == nullptr ? otherwise : line->get<std::uint32_t>();
}

Error beyond(std::uint32_t total) {
  return invalid("the lines cannot be read", "RequestError",
                 {{"/startLine", "is beyond the last line, " + std::to_string(total)}});
}

/// The wanted lines of a file as JSON texts, as many as fit.
Result<Json> json_lines(const corpus::Source& source, corpus::FileRef file, std::uint32_t first,
                        std::uint32_t last) {
  const auto lines = corpus::lines_of(source, file, first, last);
  if (!lines) return lines.error();
  Json out = Json::array();
  std::size_t bytes = 0;
  for (const std::string& line : *lines) {
    bytes += line.size();
    if (bytes > kMostBytes && !out.empty()) break;
    out.push_back(to_utf8(line));
  }
  return out;
}

Answer answer_of(const resources::Prepared& prepared, const Json& params) {
  const corpus::Collection collection({{prepared.name, prepared.snapshot}});
  const auto found =
      corpus::find_file(collection, prepared.name + '/' + params["path"].get<std::string>());
  if (!found) return Error(found.error()).tagged("NotFound");
  const corpus::Source& source = collection.sources()[0];
  const std::uint32_t total = prepared.snapshot->segment(found->file).line_count(found->file.file);
  const std::uint32_t first = line_in(params, "startLine", 1);
  if (first > std::max(total, 1u)) return beyond(total);
  const std::uint32_t last =
      std::min({line_in(params, "endLine", total), total, first + kMostLines - 1});
  Json value{{"name", prepared.name},
             {"path", to_utf8(found->location.path)},
             {"version", prepared.version},
             {"startLine", first},
             {"total", total},
             {"lines", Json::array()}};
  if (first > last) return to_text(value);
  auto lines = json_lines(source, found->file, first, last);
  if (!lines) return std::move(lines).error();
  value["lines"] = std::move(*lines);
  return to_text(value);
}

void read_file_lines(const MethodServices& engine, const Json& params, const Task& task) {
  const auto now = engine.state.now();
  const std::vector<std::string> names = {text_of(params, "name")};
  auto wanted = ResourceChoice(*now).choose(names, resources::Freshness::kOffline);
  if (!wanted) {
    wanted.error().tag = "ConfigError";
    return task.reply(std::move(wanted).error());
  }
  prepare_all(engine.library, engine.host.clock, *wanted, task.trace, task.stop, task.progress,
              [&engine, task, params](std::vector<Result<resources::Prepared>> outcomes) {
                engine.host.workers.submit([task, params, outcome = std::move(outcomes.front())] {
                  task.reply(outcome ? answer_of(*outcome, params) : Answer(outcome.error()));
                });
              });
}

}  // namespace

void add_file_methods(MethodTable& table) {
  table.add({.name = "resources.file",
             .summary = "Lines of a file of the snapshot, at most 2,000 and 1 MiB. The source is "
                        "not asked for updates. A name may be a reference.",
             .params = kFileParams,
             .result = kFileResult,
             .run = Started{read_file_lines}});
}

}  // namespace quarry::engine
