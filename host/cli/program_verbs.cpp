#include "base/json.h"
#include "cli/completion.h"
#include "cli/connection.h"
#include "cli/verbs.h"

#include <quarry/abi.h>

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

Verb version_verb(CommonOptions& common) {
  return {
      "version", "Print the version", with_json(common), [](Context& context) -> Result<ExitCode> {
        if (!context.common.json) {
          context.terminal.out("quarry " QUARRY_VERSION "\n");
          return ExitCode::kOk;
        }
        const std::string contract =
            std::to_string(QUARRY_ABI_MAJOR) + '.' + std::to_string(QUARRY_ABI_MINOR);
        context.terminal.out_json(to_text({{"version", QUARRY_VERSION}, {"contract", contract}}));
        return ExitCode::kOk;
      }};
}

}  // namespace quarry::cli
