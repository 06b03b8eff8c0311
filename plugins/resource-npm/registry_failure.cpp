#include "resource-npm/registry_failure.h"

#include "package_source/answer.h"
#include "resource-npm/package_name.h"
#include "resource-npm/packument_reader.h"
#include "resource-npm/url.h"

namespace quarry::resource_npm {
namespace {

std::string answered(const HttpResponse& response) {
  return package_source::answered(response.status, response.body);
}

std::string place_of(const Asked& asked) {
  const auto url = plain_url(asked.registry);
  return url ? "//" + url->authority() + url->path : asked.registry;
}

std::string how_to_show_a_token(const Asked& asked) {
  if (asked.for_projects) {
    return "The owner of this server can give the project a token for this resource: quarry "
           "projects secret set.";
  }
  if (!asked.missing_variable.empty()) {
    return "The line of .npmrc for this registry needs the variable " + asked.missing_variable +
           ", which is not set.";
  }
  return "Set token = { env = \"…\" } in the resource's table, or add the line \"" +
         place_of(asked) + ":_authToken=…\" to ~/.npmrc.";
}

Failure unauthenticated(const Asked& asked, const HttpResponse& response) {
  if (asked.with_credentials) {
    return {
        QUARRY_UNAUTHENTICATED,
        asked.registry + " does not accept the token for " + asked.what + ": " + answered(response),
        "It may be wrong, or have expired; create a new one.",
        {}};
  }
  return {QUARRY_UNAUTHENTICATED,
          asked.registry + " requires credentials for " + asked.what + ": " + answered(response),
          how_to_show_a_token(asked),
          {}};
}

Failure missing(const Asked& asked, const HttpResponse& response) {
  PackumentReader reader;
  if (reader.feed(response.body) && reader.is_unpublished()) return unpublished(asked);
  const bool scoped = !scope_of(asked.package).empty();
  std::string hint = "Check the spelling of the name.";
  if (scoped && !asked.with_credentials) {
    hint = "Check the spelling; if it is private: " + how_to_show_a_token(asked);
  } else if (scoped) {
    hint = "Check the spelling, and that the token may read it.";
  }
  return {QUARRY_NOT_FOUND,
          asked.registry + " does not have " + asked.what +
              (scoped ? ", or does not show it" : "") + ": " + answered(response),
          std::move(hint),
          {}};
}

Failure too_often(const Asked& asked, const HttpResponse& response) {
  return {QUARRY_UNAVAILABLE,
          asked.registry + " received too many requests, most recently for " + asked.what + ": " +
              answered(response),
          package_source::when_to_ask_again(header(response.headers, "retry-after")),
          {}};
}

Failure unlisted_registry(const Asked& asked) {
  return field_failure("/registry", "does not name the host of " + asked.registry,
                       "Set registry = \"" + asked.registry +
                           "\" in the resource's table or in [resource_type.npm].");
}

Failure unlisted(const Asked& asked, const RefusedHost& to) {
  const auto registry = plain_url(asked.registry);
  Failure failure =
      registry && registry->plain_host() == to.host
          ? unlisted_registry(asked)
          : field_failure("/tarballs",
                          "does not name " + to.host + ", from which " + asked.registry +
                              " gives " + asked.what,
                          "If you trust that host, set tarballs = [\"" + to.host +
                              "\"] in the resource's table or in [resource_type.npm]." +
                              (to.redirect && !asked.with_credentials
                                   ? " If it is there to log in: " + how_to_show_a_token(asked)
                                   : ""));
  failure.status = QUARRY_PERMISSION_DENIED;
  return failure;
}

}  // namespace

Failure unpublished(const Asked& asked) {
  return {QUARRY_NOT_FOUND,
          asked.registry + " has no version of " + asked.what + " any more: it was unpublished",
          "Its authors may have given it another name, or its sources may be in a repository.",
          {}};
}

Failure refused(const Asked& asked, const HttpResponse& response) {
  switch (response.status) {
    case 401:
      return unauthenticated(asked, response);
    case 403:
      return {QUARRY_PERMISSION_DENIED,
              asked.registry + " does not give " + asked.what +
                  (asked.with_credentials ? " to the owner of this token: " : ": ") +
                  answered(response),
              asked.with_credentials ? "Use a token that may read it." : how_to_show_a_token(asked),
              {}};
    case 404:
    case 410:
      return missing(asked, response);
    case 429:
      return too_often(asked, response);
    default:
      break;
  }
  if (response.status >= 500) {
    return {QUARRY_UNAVAILABLE,
            asked.registry + " failed when asked for " + asked.what + ": " + answered(response),
            "The registry has a problem; try again later.",
            {}};
  }
  return {QUARRY_UNSUPPORTED,
          asked.registry + " responded to the request for " + asked.what + " with " +
              answered(response),
          "Check that this is the URL of an npm registry.",
          {}};
}

Failure not_reached(const Asked& asked, Failure failure) {
  if (failure.status == QUARRY_CANCELLED) return failure;
  const auto to = refused_host(failure);
  if (to && to->unlisted) return unlisted(asked, *to);
  failure.message = "the registry could not be asked for " + asked.what + ": " + failure.message;
  return failure;
}

}  // namespace quarry::resource_npm
