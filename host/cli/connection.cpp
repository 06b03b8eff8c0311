#include "cli/connection.h"

#include "cli/answer_printer.h"

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

Result<Json> call_on(Context& context, Connection& connection, const std::string& method,
                     const Json& params) {
  const auto answer = connection.call(method, to_text(params));
  if (!answer) return answer.error();
  if (context.common.json) context.terminal.out_json(*answer);
  return parse_json(*answer);
}

}  // namespace

Result<std::unique_ptr<Connection>> connect(Context& context,
                                            const EngineRequirements& requirements) {
  if (context.common.server) return connect_to_server(*context.common.server, context.signals);
  return connect_to_engine(context, requirements);
}

Result<std::string> call_with_progress(Context& context, Connection& connection,
                                       const std::string& method, const Json& params) {
  ProgressBoard board;
  auto answer =
      connection.call(method, to_text(params), [&](std::string_view, std::string_view json) {
        show_progress(context.terminal, board, json);
      });
  context.terminal.clear_status();
  return answer;
}

Result<Json> call_engine(Context& context, const std::string& method, const Json& params) {
  const auto connection = connect(context);
  if (!connection) return connection.error();
  return call_on(context, **connection, method, params);
}

Result<Json> call_store(Context& context, const std::string& method, const Json& params) {
  const auto connection = connect_to_engine(context, {.store = true});
  if (!connection) return connection.error();
  return call_on(context, **connection, method, params);
}

}  // namespace quarry::cli
