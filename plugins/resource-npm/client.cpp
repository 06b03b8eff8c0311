#include "resource-npm/client.h"

#include "package_source/answer.h"
#include "package_source/digest.h"
#include "package_source/kept_document.h"
#include "resource-npm/packument_reader.h"
#include "resource-npm/reception.h"

#include <quarry/base64.hpp>

namespace quarry::resource_npm {
namespace {

constexpr const char* kAbbreviated =
    "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";
constexpr const char* kWhole = "application/json";
constexpr std::size_t kMostBegin = 4096;

constexpr std::uint64_t kMostPacked = std::uint64_t{1} << 30;

/// Of a tarball with another hash than it must have.
Failure not_the_same(const Asked& asked, const std::string& found, const std::string& expected) {
  return {
      QUARRY_DATA_LOSS,
      asked.what + " failed verification: its integrity is " + found + ", and must be " + expected,
      "It was damaged in transit, or replaced; nothing of it was read. If this persists, tell "
      "the operator of " +
          asked.registry + "; if the version was published again, use quarry clear.",
      {}};
}

/// `begin`: that of the response.
Failure no_packument(const Asked& asked, const std::string& begin) {
  if (package_source::is_web_page(begin)) {
    const std::string title = package_source::words_of_answer(begin);
    return {QUARRY_UNAVAILABLE,
            asked.registry + " responded to the request for " + asked.what + " with a web page" +
                (title.empty() ? "" : ", \"" + title + "\""),
            package_source::hint_for_web_page(asked.registry),
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

std::string Client::entry_name(const std::string& kind, const std::string& text) const {
  return kind + "-" + package_source::sha256_hex(registry_.reader() + "\n" + text);
}

std::optional<Packument> Client::kept_packument() const {
  const auto kept = package_source::kept_document(host_, entry_name("packument", url()));
  return kept ? Packument::read(kept->body) : std::nullopt;
}

Outcome<HttpResponse> Client::get(const Call& call, const char* accept, const std::string& etag,
                                  const Take& take) const {
  const auto who = registry_.headers(host_, call, *plain_url(url()));
  if (!who) return not_reached(asked(package_, false), who.failure());
  HttpRequest request{"GET", url(), *who, {}};
  request.headers.push_back({"Accept", accept, {}});
  request.headers.push_back({"Accept-Encoding", "gzip", {}});
  if (!etag.empty()) request.headers.push_back({"If-None-Match", etag, {}});
  return receive(host_, call, request, asked(package_, !who->empty()), take);
}

Outcome<Packument> Client::packument(const Call& call) const {
  auto known = kept_packument();
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
  const std::string wrong =
      package_source::keep_document(host_, entry_name("packument", url()), {packument->text(), {}});
  if (!wrong.empty()) host_.log(QUARRY_LOG_WARNING, wrong);
  return std::move(*packument);
}

Outcome<Packument> Client::packument_with(const Call& call, const std::string& version) const {
  auto known = kept_packument();
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

Outcome<package_source::FileSlot> Client::tarball(const Call& call, const std::string& version,
                                                  const Release& release,
                                                  const std::vector<Integrity>& integrities,
                                                  std::string_view scratch) const {
  const std::string name =
      entry_name("tarball", registry_.url() + "\n" + integrities.front().text());
  package_source::Download wanted;
  wanted.what = "the tarball of " + package_ + " " + version;
  for (const auto& integrity : integrities) wanted.algorithms.push_back(integrity.algorithm());
  wanted.check = [&](const package_source::File&,
                     const std::vector<std::string>& digests) -> std::optional<Failure> {
    for (std::size_t i = 0; i < integrities.size(); ++i) {
      const std::string found = integrities[i].algorithm() + "-" + to_base64(digests[i]);
      if (integrities[i].admits(found)) continue;
      return not_the_same(asked(wanted.what, false), found, integrities[i].text());
    }
    return std::nullopt;
  };
  const package_source::Exchange exchange(host_, call);
  if (auto kept = package_source::find_intact(exchange, name, wanted)) return std::move(*kept);
  const auto place = registry_.tarball_url(release.tarball);
  if (!place) return place.failure();
  const auto who = registry_.headers(host_, call, *place);
  if (!who) return not_reached(asked(wanted.what, false), who.failure());
  const Asked asked_for = asked(wanted.what, !who->empty());
  wanted.request = {"GET", place->text(), *who, {}};
  wanted.most = kMostPacked;
  wanted.refused = [&](const HttpResponse& response) { return refused(asked_for, response); };
  wanted.not_received = [&](const Failure& failure) { return not_reached(asked_for, failure); };
  wanted.too_large = [&] {
    return Failure{QUARRY_RESOURCE_EXHAUSTED,
                   wanted.what + " has more than " + std::to_string(kMostPacked) + " bytes",
                   "Choose another version of the package.",
                   {}};
  };
  return package_source::obtain(exchange, name, wanted, scratch);
}

}  // namespace quarry::resource_npm
