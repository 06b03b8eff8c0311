#include "resource-npm/client.h"

#include "resource-npm/download.h"
#include "resource-npm/packument_reader.h"
#include "resource-npm/reception.h"
#include "resource_files/answer.h"

#include <quarry/cache_entry.hpp>

namespace quarry::resource_npm {
namespace {

constexpr const char* kAbbreviated =
    "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";
constexpr const char* kWhole = "application/json";
constexpr std::size_t kMostBegin = 4096;

/// `begin`: that of the response.
Failure no_packument(const Asked& asked, const std::string& begin) {
  if (resource_files::is_web_page(begin)) {
    const std::string title = resource_files::words_of_answer(begin);
    return {QUARRY_UNAVAILABLE,
            asked.registry + " responded to the request for " + asked.what + " with a web page" +
                (title.empty() ? "" : ", \"" + title + "\""),
            resource_files::hint_for_web_page(asked.registry),
            {}};
  }
  return {QUARRY_UNAVAILABLE,
          asked.registry + " responded to the request for " + asked.what +
              " with something other than the package's document",
          "Check that this is the URL of an npm registry, and not behind a log-in page.",
          {}};
}

Failure too_much(const Asked& asked) {
  return {QUARRY_RESOURCE_EXHAUSTED,
          asked.registry + " lists more than " + std::to_string(PackumentReader::kMostKept >> 20) +
              " MiB of versions of " + asked.what,
          "No package has so many versions: ask the registry's operator.",
          {}};
}

}  // namespace

Asked Client::asked(std::string what, bool with_credentials) const {
  return {package_,
          registry_.url(),
          std::move(what),
          with_credentials,
          registry_.missing_variable(),
          registry_.for_projects()};
}

KeptPackuments Client::kept() const {
  return KeptPackuments(CacheEntry::cache_of(host_), registry_.reader());
}

Outcome<HttpResponse> Client::get(const Call& call, const char* accept, const std::string& etag,
                                  const Take& take) const {
  const auto who = registry_.headers(host_, call, *Url::parse(url()));
  if (!who) return not_reached(asked(package_, false), who.failure());
  HttpRequest request{"GET", url(), *who, {}};
  request.headers.push_back({"Accept", accept, {}});
  request.headers.push_back({"Accept-Encoding", "gzip", {}});
  if (!etag.empty()) request.headers.push_back({"If-None-Match", etag, {}});
  return receive(host_, call, request, asked(package_, !who->empty()), take);
}

Outcome<Packument> Client::packument(const Call& call) const {
  auto known = kept().load(url());
  PackumentReader reader;
  bool good = true;
  std::string begin;
  const auto response =
      get(call, kAbbreviated, known ? known->etag : std::string(), [&](std::string_view bytes) {
        begin += bytes.substr(0, kMostBegin - begin.size());
        return good = reader.feed(bytes);
      });
  if (reader.too_large()) return too_much(asked(package_, false));
  if (!good) return no_packument(asked(package_, false), begin);
  if (!response) return response.failure();
  if (response->status == 304) return std::move(*known);
  auto packument = reader.finish();
  if (!packument && reader.is_unpublished()) return unpublished(asked(package_, false));
  if (!packument) return no_packument(asked(package_, false), begin);
  packument->name = package_;
  packument->etag = header(response->headers, "etag");
  if (const std::string wrong = kept().store(url(), *packument); !wrong.empty()) {
    host_.log(QUARRY_LOG_WARNING, wrong);
  }
  return std::move(*packument);
}

Outcome<Packument> Client::packument_with(const Call& call, const std::string& version) const {
  auto known = kept().load(url());
  if (known && known->releases.contains(version)) return std::move(*known);
  return packument(call);
}

Outcome<std::string> Client::readme(const Call& call, std::string_view version) const {
  ReadmeReader reader(version);
  const auto response =
      get(call, kWhole, {}, [&](std::string_view bytes) { return reader.feed(bytes); });
  if (!response) return response.failure();
  return reader.finish();
}

Outcome<std::uint64_t> Client::tarball(const Call& call, const std::string& version,
                                       const Release& release,
                                       const std::vector<Integrity>& integrities,
                                       const std::filesystem::path& path) const {
  const auto place = registry_.tarball_url(release.tarball);
  if (!place) return place.failure();
  const std::string what = "the tarball of " + package_ + " " + version;
  const auto who = registry_.headers(host_, call, *place);
  if (!who) return not_reached(asked(what, false), who.failure());
  return download(host_, call, {"GET", place->text(), *who, {}}, asked(what, !who->empty()),
                  integrities, path);
}

}  // namespace quarry::resource_npm
