#include "base/error.h"

#include <cerrno>
#include <system_error>

namespace quarry {

Error Error::tagged(std::string_view name) && {
  if (tag.empty()) tag = name;
  return std::move(*this);
}

Error Error::in(std::string_view context) && {
  message.insert(0, std::string(context) + ": ");
  return std::move(*this);
}

namespace {

Code code_of(int number) {
  switch (number) {
    case ENOENT:
    case ENOTDIR:
      return Code::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return Code::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return Code::kResourceExhausted;
    case EINVAL:
      return Code::kInvalidArgument;
    default:
      return Code::kInternal;
  }
}

}  // namespace

std::string with_hint(const Error& error) {
  return error.hint.empty() ? error.message : error.message + " (" + error.hint + ")";
}

Error system_error(std::string_view what, int number) {
  return {code_of(number), std::string(what) + ": " + std::generic_category().message(number)};
}

}  // namespace quarry
