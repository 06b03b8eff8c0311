#include "base/json.h"
#include "base/text.h"
#include "cli/upgrade/control_socket.h"
#include "cli/verbs.h"

#include <memory>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

/// The only server that runs.
Result<pid_t> only_server() {
  const std::vector<pid_t> found = controlled_servers();
  if (found.empty()) {
    return Error{Code::kNotFound, "no server of this user runs on this machine",
                 "\"quarry serve\" starts one; root reaches those of all users."};
  }
  if (found.size() == 1) return found.front();
  std::vector<std::string> numbers;
  for (const pid_t one : found) numbers.push_back(std::to_string(one));
  return Error{Code::kInvalidArgument, "several servers run: processes " + join(numbers, ", "),
               "Name one: quarry upgrade-in-place " + numbers.front() + "."};
}

Result<ExitCode> run_upgrade(Context& context, std::optional<std::uint32_t> named) {
  const auto server = named ? Result<pid_t>(static_cast<pid_t>(*named)) : only_server();
  if (!server) return server.error();
  const auto answer = command_server(*server, "upgrade", context.signals);
  if (!answer) return answer.error();
  const auto said = parse_json(*answer);
  if (!said) return said.error();
  if (const auto error = said->find("error"); error != said->end()) {
    return Error{Code::kInternal, error->value("message", ""), error->value("hint", "")};
  }
  const auto process = said->value("process", 0);
  if (context.common.json) {
    context.terminal.out_line(to_text({{"process", process}, {"replaced", *server}}));
  } else {
    context.terminal.out_line("Process " + std::to_string(process) + " serves now. Process " +
                              std::to_string(*server) + " ends with its last stream.");
  }
  return ExitCode::kOk;
}

}  // namespace

Verb upgrade_in_place_verb(CommonOptions& common) {
  const auto process = std::make_shared<std::optional<std::uint32_t>>();
  return {"upgrade-in-place",
          "Replace a running server by the installed program, without dropping a stream",
          with_json(common, {{"process", "", "Number of the server's process, if several run",
                              process.get()}}),
          [process](Context& context) { return run_upgrade(context, *process); }};
}

}  // namespace quarry::cli
