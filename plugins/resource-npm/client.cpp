#include "resource-npm/client.h"

#include "resource-npm/download.h"
#include "resource-npm/gunzip.h"
#include "resource-npm/kept_packuments.h"

#include <quarry/cache_entry.hpp>

namespace quarry::resource_npm {
namespace {

constexpr std::size_t kMostPackument = std::size_t{256} << 20;
constexpr const char* kAbbreviated =
    "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";
constexpr const char* kWhole = "application/json";

Failure damaged(const Asked& asked) {
  return {QUARRY_UNAVAILABLE,
          asked.registry + " sent a damaged answer to the question for " + asked.what,
          "Try again.",
          {}};
}

Failure no_packument(const Asked& asked) {
  return {QUARRY_UNAVAILABLE,
          asked.registry + " answers the question for " + asked.what +
              " with something else than what it knows of the package",
          "Check that this is the URL of an npm registry, and that no log-in page is before it.",
          {}};
}

}  // namespace

Asked Client::asked(std::string what, bool with_credentials) const {
  return {package_, registry_.url(), std::move(what), with_credentials,
          registry_.missing_variable()};
}

/// The answer, unpacked if the registry packed it; its status is 200 or 304.
Outcome<HttpResponse> Client::get(const Call& call, const char* accept,
                                  const std::string& etag) const {
  const auto who = registry_.headers(host_, call, *Url::parse(url()));
  if (!who) return who.failure();
  const Asked what = asked(package_, !who->empty());
  HttpRequest request{"GET", url(), *who, {}};
  request.headers.push_back({"Accept", accept, {}});
  request.headers.push_back({"Accept-Encoding", "gzip", {}});
  if (!etag.empty()) request.headers.push_back({"If-None-Match", etag, {}});
  auto response = fetch(host_, call, request, kMostPackument);
  if (!response) return not_reached(what, response.failure());
  if (header(response->headers, "content-encoding") == "gzip" && !response->body.empty()) {
    auto text = gunzip(response->body, kMostPackument);
    if (!text) return damaged(what);
    (*response).body = std::move(*text);
  }
  if (response->status == 200 || (response->status == 304 && !etag.empty())) return response;
  return refused(what, *response);
}

Outcome<Packument> Client::packument(const Call& call) const {
  auto known = KeptPackuments(CacheEntry::cache_of(host_)).load(url());
  const auto response = get(call, kAbbreviated, known ? known->etag : std::string());
  if (!response) return response.failure();
  if (response->status == 304) return std::move(*known);
  auto packument = Packument::read(response->body);
  if (!packument) return no_packument(asked(package_, false));
  packument->name = package_;
  packument->etag = header(response->headers, "etag");
  if (const std::string wrong =
          KeptPackuments(CacheEntry::cache_of(host_)).store(url(), *packument);
      !wrong.empty()) {
    host_.log(QUARRY_LOG_WARNING, wrong);
  }
  return std::move(*packument);
}

Outcome<Packument> Client::packument_with(const Call& call, const std::string& version) const {
  auto known = KeptPackuments(CacheEntry::cache_of(host_)).load(url());
  if (known && known->releases.contains(version)) return std::move(*known);
  return packument(call);
}

Outcome<std::string> Client::readme(const Call& call, std::string_view version) const {
  const auto response = get(call, kWhole, {});
  if (!response) return response.failure();
  return readme_in(response->body, version);
}

Outcome<std::uint64_t> Client::tarball(const Call& call, const std::string& version,
                                       const Release& release,
                                       const std::vector<Integrity>& integrities,
                                       const std::filesystem::path& path) const {
  const auto place = registry_.tarball_url(release.tarball);
  if (!place) return place.failure();
  const auto who = registry_.headers(host_, call, *place);
  if (!who) return who.failure();
  return download(host_, call, {"GET", place->text(), *who, {}},
                  asked("the tarball of " + package_ + " " + version, !who->empty()), integrities,
                  path);
}

}  // namespace quarry::resource_npm
