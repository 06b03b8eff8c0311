#include "resource-archive/download.h"

#include "package_source/answer.h"

#include <quarry/base64.hpp>
#include <quarry/secrets.hpp>

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
            package_source::when_to_ask_again(header(headers, "retry-after")),
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

}  // namespace

Outcome<Credentials> credentials_of(const Host& host, const Call& call, const Source& source) {
  Credentials out;
  for (const auto& [name, value] : source.headers) out.identity += name + ":" + value + "\n";
  if (source.token.empty()) return out;
  const auto token = secret(host, call, source.token);
  if (!token) {
    Failure failed = token.failure();
    failed.details = field_failure("/token", "cannot be read").details;
    failed.message = "token cannot be read: " + failed.message;
    return failed;
  }
  out.identity += source.token_header + ":" + *token;
  if (!source.token_header.empty()) {
    out.header = HttpHeader{source.token_header, "", source.token};
  } else if (token->find(':') != std::string::npos) {
    const std::string encoded = to_base64(*token);
    hide(host, encoded);
    out.header = HttpHeader{"authorization", "Basic " + encoded, {}};
  } else {
    out.header = HttpHeader{"authorization", "Bearer ", source.token};
  }
  return out;
}

package_source::Download download_of(const Source& source, const Credentials& credentials,
                                     std::uint64_t most) {
  package_source::Download out;
  out.request = {"GET", source.url.text(), {}, {}};
  for (const auto& [name, value] : source.headers) out.request.headers.push_back({name, value, {}});
  if (credentials.header) out.request.headers.push_back(*credentials.header);
  out.what = "the archive";
  out.most = most;
  out.refused = [&source](const HttpResponse& response) {
    return status_failure(source, response.status, response.headers);
  };
  out.not_received = [&source](const Failure& said) { return refusal(source, said); };
  out.too_large = [most] {
    return Failure{QUARRY_RESOURCE_EXHAUSTED,
                   "the archive has more than " + std::to_string(most >> 20U) + " MiB",
                   "raise max_download_mib in [resource_type.archive]",
                   {}};
  };
  return out;
}

}  // namespace quarry::resource_archive
