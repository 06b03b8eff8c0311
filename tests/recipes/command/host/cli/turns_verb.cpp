#include "cli/connection.h"
#include "cli/verbs.h"

#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

struct TurnsOptions {
  std::string id;  ///< of a conversation; empty = all
};

Result<ExitCode> run_turns(const TurnsOptions& options, Context& context) {
  Json params = Json::object();
  if (!options.id.empty()) params["id"] = options.id;
  const auto counted = call_engine(context, "turns.count", params);
  if (!counted) return counted.error();
  if (!context.common.json) context.terminal.out_line((*counted)["turns"].dump());
  return ExitCode::kOk;
}

}  // namespace

Verb turns_verb(CommonOptions& common) {
  const auto options = std::make_shared<TurnsOptions>();
  return {"turns", "Count the turns of stored conversations",
          with_server(common, {{"id", "", "Only those of this conversation", &options->id}}),
          [options](Context& context) { return run_turns(*options, context); }};
}

}  // namespace quarry::cli
