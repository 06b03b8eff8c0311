#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry {

/// Error class. The values are those of `quarry_status` in the SDK.
enum class Code : int {
  kOk = 0,
  kInvalidArgument = 1,
  kNotFound = 2,
  kPermissionDenied = 3,
  kUnauthenticated = 4,
  kUnavailable = 5,
  kResourceExhausted = 6,
  kCancelled = 7,
  kDeadlineExceeded = 8,
  kUnsupported = 9,
  kInternal = 10,
  kDataLoss = 11,
};

/// One offending field of a request, a file or a table. `field` is a JSON pointer ("/searchPath").
struct FieldError {
  std::string field;
  std::string message;
};

/// A failure as shown to the user. `tag` is the class name on the wire ("RequestError"); `hint`
/// says what to do next and may be empty.
struct Error {
  Code code = Code::kInternal;
  std::string tag;
  std::string message;
  std::string hint;
  std::vector<FieldError> details;
  std::string facts;  ///< for programs: a JSON object, part of quarry_failure.details; may be empty

  Error() = default;
  Error(Code c, std::string m, std::string h = {})
      : code(c), message(std::move(m)), hint(std::move(h)) {}

  /// The same failure under a wire tag, unless it already has one.
  [[nodiscard]] Error tagged(std::string_view name) &&;
  /// The same failure, its message prefixed with `context` and ": ".
  [[nodiscard]] Error in(std::string_view context) &&;
};

/// The message, and the hint in parentheses.
[[nodiscard]] std::string with_hint(const Error& error);

/// The failure of the system call that just set `number`, as "<what>: <reason>".
[[nodiscard]] Error system_error(std::string_view what, int number);

/// A value or an Error. A function may `return Error{…}` or `return value`.
template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using Base = std::expected<T, Error>;
  using Base::Base;
  Result(Error error) : Base(std::unexpected(std::move(error))) {}
};

template <>
class [[nodiscard]] Result<void> : public std::expected<void, Error> {
 public:
  using Base = std::expected<void, Error>;
  using Base::Base;
  Result(Error error) : Base(std::unexpected(std::move(error))) {}
};

using Status = Result<void>;

}  // namespace quarry
