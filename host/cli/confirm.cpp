#include "cli/confirm.h"

#include <array>
#include <string>
#include <unistd.h>

namespace quarry::cli {

bool can_ask(const Context& context) {
  return !context.common.json && context.terminal.interactive() && ::isatty(STDIN_FILENO) == 1;
}

Result<bool> ask_yes(Context& context, std::string_view question) {
  context.terminal.note(std::string(question) + " Type \"yes\":");
  if (context.signals.wait_for_input(STDIN_FILENO)) return Error{Code::kCancelled, "interrupted"};
  std::array<char, 256> line{};
  const ssize_t got = ::read(STDIN_FILENO, line.data(), line.size());
  const std::string_view answer(line.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  return answer == "yes\n" || answer == "y\n";
}

}  // namespace quarry::cli
