#pragma once

#include "base/error.h"

namespace quarry::cli {

/// What the program answers to the shell. Scripts rely on the numbers.
enum class ExitCode : int {
  kOk = 0,
  kFailure = 1,
  kUsage = 2,
  kNotConfigured = 3,
  kNotAuthorised = 4,
  kUnreachable = 5,
  kRateLimited = 6,
  kTimeOut = 7,
  kInterrupted = 130,
};

/// By the wire tag of the error where it says enough, else by its code.
[[nodiscard]] ExitCode exit_code_of(const Error& error);

/// The error that an error body or an `error` event tells: {"tag", "error" or "message", "hint"?,
/// "details"?}.
[[nodiscard]] Error error_from_json(std::string_view json);

}  // namespace quarry::cli
