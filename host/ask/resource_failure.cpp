#include "ask/resource_failure.h"

#include "base/text.h"

#include <algorithm>
#include <string>

namespace quarry::ask {

Error resource_failure(std::vector<Error> causes) {
  if (causes.size() == 1) return std::move(causes.front()).tagged("CollectionError");
  std::vector<std::string> messages;
  std::vector<std::string> hints;
  for (const Error& cause : causes) {
    messages.push_back(cause.message);
    const bool told = std::ranges::find(hints, cause.hint) != hints.end();
    if (!cause.hint.empty() && !told) hints.push_back(cause.hint);
  }
  const auto unlike = [&](const Error& cause) { return cause.code != causes.front().code; };
  // Different causes have no common code but kUnavailable.
  const Code code = std::ranges::any_of(causes, unlike) ? Code::kUnavailable : causes.front().code;
  return Error(
             code,
             std::to_string(causes.size()) + " resources are unavailable: " + join(messages, "; "),
             join(hints, " "))
      .tagged("CollectionError");
}

}  // namespace quarry::ask
