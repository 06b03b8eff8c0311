#include "resource-archive/answer.h"

#include "resource_files/answer.h"

namespace quarry::resource_archive {

namespace {

Failure with_status(quarry_status status, Failure failure) {
  failure.status = status;
  return failure;
}

Failure unauthorised(const Source& source, int status) {
  const std::string answered = " with HTTP status " + std::to_string(status);
  if (source.token.empty()) {
    return with_status(
        status == 401 ? QUARRY_UNAUTHENTICATED : QUARRY_PERMISSION_DENIED,
        field_failure("/url", "is refused by " + source.url.origin() + answered,
                      "if it needs credentials, set token, as in token = { env = \"TOKEN\" }, and "
                      "tokenHeader if it does not take Authorization"));
  }
  return with_status(status == 401 ? QUARRY_UNAUTHENTICATED : QUARRY_PERMISSION_DENIED,
                     field_failure("/token", "is refused by " + source.url.origin() + answered,
                                   "check that it is valid, may read this archive, and goes into "
                                   "the right header (tokenHeader)"));
}

}  // namespace

Failure status_failure(const Source& source, int status, const std::vector<HttpHeader>& headers) {
  const std::string answered =
      source.url.origin() + " answered with HTTP status " + std::to_string(status);
  if (status == 401 || status == 403 || status == 407) return unauthorised(source, status);
  if (status == 404 || status == 410) {
    return with_status(
        QUARRY_NOT_FOUND,
        field_failure("/url", "leads to nothing: " + answered,
                      source.token.empty() ? "check it in a browser; if it is private, set token"
                                           : "check it, and that the token may read it"));
  }
  if (status == 408 || status == 425 || status == 429 || status >= 500) {
    return {QUARRY_UNAVAILABLE,
            answered,
            resource_files::when_to_ask_again(header(headers, "retry-after")),
            {}};
  }
  if (status >= 300 && status < 400) {
    return field_failure("/url", "is redirected without end, or to nowhere: " + answered,
                         "name the URL that a browser ends at");
  }
  return field_failure("/url", "leads to no archive: " + answered, "check it in a browser");
}

Failure refusal(const Source& source, const Failure& said) {
  const auto refused = refused_host(said);
  if (!refused || !refused->redirect || !refused->unlisted) return said;
  return with_status(
      QUARRY_PERMISSION_DENIED,
      field_failure(
          "/redirects",
          "does not name " + refused->host + ", to which " + source.url.origin() + " redirects",
          "if you trust that host, set redirects = [\"" + refused->host + "\"]"));
}

}  // namespace quarry::resource_archive
