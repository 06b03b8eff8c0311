#include "cli/completion.h"
#include "cli/connection.h"
#include "cli/verbs.h"

#include <memory>

namespace quarry::cli {

Verb completion_verb(CommonOptions&) {
  const auto shell = std::make_shared<std::string>();
  return {"completion",
          "Print a completion script",
          {{"shell",
            "",
            "bash, zsh or fish",
            shell.get(),
            {.required = true, .one_of = {"bash", "zsh", "fish"}}}},
          [shell](Context& context) -> Result<ExitCode> {
            context.terminal.out(completion_script(*shell, offered_types(context.common)));
            return ExitCode::kOk;
          }};
}

Verb version_verb(CommonOptions&) {
  return {"version", "Print the version", {}, [](Context& context) -> Result<ExitCode> {
            context.terminal.out("quarry " QUARRY_VERSION "\n");
            return ExitCode::kOk;
          }};
}

}  // namespace quarry::cli
