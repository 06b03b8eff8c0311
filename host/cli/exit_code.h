#pragma once

#include "base/error.h"

namespace quarry::cli {

/// Exit status of the program. Scripts rely on the numbers.
enum class ExitCode : int {
  kOk = 0,
  kFailure = 1,
  kUsage = 2,
  kNotConfigured = 3,
  kNotAuthorised = 4,
  kUnreachable = 5,
  kRateLimited = 6,
  kTimeOut = 7,
  kIncomplete = 8,  ///< the answer is cut or filtered
  kInterrupted = 130,
};

/// Mistake in the command line: the program ends with kUsage.
[[nodiscard]] Error usage_error(std::string message, std::string hint = {});

/// Exit code by the error's wire tag if it is specific enough, otherwise by its code.
[[nodiscard]] ExitCode exit_code_of(const Error& error);

/// Parses an error body or an `error` event: {"tag", "error" or "message", "hint"?, "details"?}.
[[nodiscard]] Error error_from_json(std::string_view json);

}  // namespace quarry::cli
