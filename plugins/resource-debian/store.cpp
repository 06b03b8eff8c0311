#include "resource-debian/store.h"

#include "package_source/answer.h"
#include "package_source/digest.h"

namespace quarry::resource_debian {
namespace {

Failure not_as_stated(const std::string& what) {
  return failure(QUARRY_UNAVAILABLE, what,
                 "the mirror may be in the middle of an update: try again later, or use another "
                 "mirror");
}

// The file of a package never changes, so that no update of the mirror explains another one.
Failure another_file(const Expected& wanted, const std::string& what) {
  if (wanted.is_index) return not_as_stated(what);
  return failure(QUARRY_DATA_LOSS, what,
                 "use another mirror; the one named is broken, or not to be trusted");
}

package_source::Download download_of(const Expected& wanted, const std::string& url) {
  const std::string size = std::to_string(wanted.size);
  package_source::Download out;
  out.request = {"GET", url, {}, {}, {}, -1};
  out.what = wanted.label;
  out.most = wanted.size;
  out.refused = [url](const HttpResponse& response) { return http_failure(response, url); };
  out.not_received = [wanted](Failure failed) {
    failed.message = wanted.label + " was not received: " + failed.message;
    return failed;
  };
  out.too_large = [wanted, url, size] {
    return another_file(
        wanted, url + " has more than " + size + " bytes, and the signed index says " + size);
  };
  out.check = [wanted, url, size](const package_source::File& file,
                                  const std::vector<std::string>& digests) -> Problem {
    if (wanted.exact && file.size() != wanted.size) {
      return not_as_stated(url + " has only " + std::to_string(file.size()) +
                           " bytes, and the signed index says " + size);
    }
    if (package_source::to_hex(digests.back()) == wanted.sha256) return std::nullopt;
    return another_file(wanted, url + " does not have the SHA-256 that the index states");
  };
  return out;
}

}  // namespace

Store::Store(const Host& host, const Settings& settings)
    : host_(host), prefix_(settings.for_project ? "project-" : "owner-") {}

std::string Store::entry_name(std::string_view name) const {
  return prefix_ + std::string(name);
}

Outcome<package_source::FileSlot> Store::get(const Call& call, const Expected& wanted) const {
  Failure last = failure(QUARRY_NOT_FOUND, wanted.label + " has no address");
  for (const std::string& url : wanted.urls) {
    auto got = package_source::obtain({host_, call}, entry_name("sha256-" + wanted.sha256),
                                      download_of(wanted, url));
    if (got || got.failure().status != QUARRY_NOT_FOUND) return got;
    last = got.failure();
  }
  return last;
}

Outcome<std::string> Store::get_text(const Call& call, const Expected& wanted) const {
  auto slot = get(call, wanted);
  if (!slot) return slot.failure();
  auto text = (*slot).file().read_whole(wanted.size);
  if (!text) return failure(QUARRY_INTERNAL, "the cache cannot be read");
  return std::move(*text);
}

Failure http_failure(const HttpResponse& response, const std::string& url) {
  const std::string message =
      url + " answered with " + package_source::answered(response.status, response.body);
  if (response.status == 404 || response.status == 410) {
    return failure(QUARRY_NOT_FOUND, message, "check the mirror and the suite");
  }
  if (response.status == 429 || response.status >= 500) {
    return failure(QUARRY_UNAVAILABLE, message,
                   "use another mirror. " +
                       package_source::when_to_ask_again(header(response.headers, "retry-after")));
  }
  if (response.status == 401 || response.status == 403) {
    return failure(QUARRY_PERMISSION_DENIED, message,
                   "archives that need credentials are not supported; use another mirror");
  }
  return failure(QUARRY_UNAVAILABLE, message, "check the address of the mirror");
}

}  // namespace quarry::resource_debian
