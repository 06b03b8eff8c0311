#include "cli/exit_code.h"

#include "base/code_names.h"
#include "base/json_member.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

struct TagRow {
  std::string_view tag;
  Code code;
  ExitCode exit;
};

constexpr TagRow kTags[] = {
    {"RequestError", Code::kInvalidArgument, ExitCode::kUsage},
    {"ConfigError", Code::kInvalidArgument, ExitCode::kNotConfigured},
    {"CollectionError", Code::kNotFound, ExitCode::kFailure},
    {"ResourceError", Code::kInvalidArgument, ExitCode::kFailure},
    {"ProviderNotConnectedError", Code::kUnavailable, ExitCode::kNotConfigured},
    {"ProviderNotAuthenticatedError", Code::kUnauthenticated, ExitCode::kNotAuthorised},
    {"ProviderNotFoundError", Code::kNotFound, ExitCode::kNotConfigured},
    {"ProviderOptionsError", Code::kInvalidArgument, ExitCode::kNotConfigured},
    {"RateLimitError", Code::kResourceExhausted, ExitCode::kRateLimited},
    {"TimeoutError", Code::kDeadlineExceeded, ExitCode::kTimeOut},
};

}  // namespace

Error usage_error(std::string message, std::string hint) {
  return Error{Code::kInvalidArgument, std::move(message), std::move(hint)}.tagged("RequestError");
}

ExitCode exit_code_of(const Error& error) {
  for (const TagRow& row : kTags) {
    if (row.tag == error.tag && row.exit != ExitCode::kFailure) return row.exit;
  }
  const bool names_a_field = !error.details.empty();  // a source that fails does not
  if (error.tag == "CollectionError" && names_a_field) return ExitCode::kNotConfigured;
  switch (error.code) {
    case Code::kUnauthenticated:
    case Code::kPermissionDenied:
      return ExitCode::kNotAuthorised;
    case Code::kUnavailable:
      return ExitCode::kUnreachable;
    case Code::kResourceExhausted:
      return error.tag == "AgentError" ? ExitCode::kRateLimited : ExitCode::kFailure;
    case Code::kDeadlineExceeded:
      return ExitCode::kTimeOut;
    case Code::kCancelled:
      return ExitCode::kInterrupted;
    default:
      return ExitCode::kFailure;
  }
}

Error error_from_json(std::string_view json) {
  const auto body = parse_json(json);
  if (!body || !body->is_object()) {
    return {Code::kInternal, "the server's response is not a JSON object"};
  }
  Error error{Code::kInternal, text_of(*body, "message"), text_of(*body, "hint")};
  if (error.message.empty()) error.message = text_of(*body, "error");
  error.tag = text_of(*body, "tag");
  if (error.tag.empty()) error.tag = "InternalError";
  const auto row = std::find_if(std::begin(kTags), std::end(kTags),
                                [&](const TagRow& known) { return known.tag == error.tag; });
  if (row != std::end(kTags)) error.code = row->code;
  if (body->contains("code")) error.code = code_named(text_of(*body, "code"));
  for (const Json& detail : body->value("details", Json::array())) {
    if (!detail.is_object()) continue;
    error.details.push_back({text_of(detail, "field"), text_of(detail, "message")});
  }
  return error;
}

}  // namespace quarry::cli
