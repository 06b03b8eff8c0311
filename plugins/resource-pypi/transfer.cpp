#include "resource-pypi/transfer.h"

#include "package_source/answer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace quarry::resource_pypi {
namespace {

constexpr int kMostRedirects = 5;
constexpr std::size_t kLongestValidator = 1024;

std::string validator(const std::vector<HttpHeader>& headers, std::string_view name) {
  const std::string_view value = header(headers, name);
  return value.size() > kLongestValidator ? std::string() : std::string(value);
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

HttpRequest Transfer::request_for(const Ask& ask, const Url& url) const {
  HttpRequest request{"GET", url.text(), {{"accept", ask.accept, {}}}, {}};
  if (ask.as_sent) request.headers.push_back({"accept-encoding", "identity", {}});
  if (!ask.known.etag.empty()) request.headers.push_back({"if-none-match", ask.known.etag, {}});
  if (!ask.known.modified.empty()) {
    request.headers.push_back({"if-modified-since", ask.known.modified, {}});
  }
  if (!authorization_.empty() && url.origin() == home_.origin()) {
    request.headers.push_back({"authorization", authorization_, {}});
  }
  // Redirects are followed here, because the credentials belong to one origin.
  request.max_redirects = -1;
  return request;
}

Outcome<Received> Transfer::once(const Ask& ask, const Url& url, std::string& location) const {
  Received got;
  std::uint64_t bytes = 0;
  bool too_large = false;
  bool unwanted = false;
  const auto head = [&](int status, const std::vector<HttpHeader>& headers) {
    got.status = status;
    got.content_type = header(headers, "content-type");
    got.retry_after = header(headers, "retry-after");
    got.validators = {validator(headers, "etag"), validator(headers, "last-modified")};
    if (is_redirect(status)) location = header(headers, "location");
    return true;
  };
  const auto data = [&](std::string_view piece) {
    if (got.status != 200) {
      got.body += piece.substr(0, package_source::kMostAnswer - got.body.size());
      return true;
    }
    too_large = piece.size() > ask.most - bytes;
    if (too_large) return false;
    bytes += piece.size();
    if (ask.take) {
      unwanted = !ask.take(piece);
      return !unwanted;
    }
    got.body += piece;
    return true;
  };
  const auto end = fetch_to(host_, call_, request_for(ask, url), head, data);
  if (call_.over()) return call_.why();
  if (too_large) {
    return Failure{
        QUARRY_RESOURCE_EXHAUSTED,
        ask.title + " sent more than " + std::to_string(ask.most) + " bytes from " + url.text(),
        "Choose another version or format.",
        {}};
  }
  if (!end && !unwanted) return end.failure();
  got.url = url;
  return got;
}

Failure Transfer::refused(const Ask& ask, const Received& got) const {
  const std::string words = package_source::words_of_answer(got.body);
  const std::string said = ask.title + " answered " + std::to_string(got.status) + " for " +
                           got.url.text() + (words.empty() ? "" : ": " + words);
  if (got.status == 401 || (got.status == 403 && authorization_.empty())) {
    return {got.status == 401 ? QUARRY_UNAUTHENTICATED : QUARRY_PERMISSION_DENIED,
            said,
            authorization_.empty() ? "Set the field token, as in token = { env = \"INDEX_TOKEN\" }."
                                   : "Check the value of the field token.",
            {}};
  }
  if (got.status == 403)
    return {QUARRY_PERMISSION_DENIED, said, "Check the rights of the token.", {}};
  if (got.status == 404 || got.status == 410) return {QUARRY_NOT_FOUND, said, {}, {}};
  return {QUARRY_UNAVAILABLE, said, package_source::when_to_ask_again(got.retry_after), {}};
}

/// The hosts of the manifest.
bool Transfer::is_permitted(const Url& url) const {
  constexpr std::array<std::string_view, 4> kOwn{"pypi.org", "files.pythonhosted.org",
                                                 "test.pypi.org", "test-files.pythonhosted.org"};
  const std::string host = url.host();
  return host == home_.host() || host == files_ ||
         std::find(kOwn.begin(), kOwn.end(), host) != kOwn.end();
}

Outcome<Received> Transfer::get(const Ask& ask) const {
  Url url = ask.url;
  for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
    if (!is_permitted(url)) {
      return Failure{QUARRY_PERMISSION_DENIED,
                     "the index " + home_.text() + " refers to another host, " + url.text(),
                     "Set the field files to " + url.origin() + "/ if this host may be asked." +
                         (authorization_.empty() ? " If it is there to log in, set token." : ""),
                     {}};
    }
    std::string location;
    auto got = once(ask, url, location);
    if (!got) return got.failure();
    if (got->status == 200 || (got->status == 304 && !ask.known.empty())) return got;
    if (!is_redirect(got->status)) return refused(ask, *got);
    auto next = url.resolve(location);
    if (location.empty() || !next || (url.scheme == "https" && next->scheme == "http")) {
      return Failure{QUARRY_UNAVAILABLE,
                     ask.title + " redirects " + url.text() + " to \"" + location +
                         "\", which cannot be followed",
                     "Name the final address in the field index.",
                     {}};
    }
    next->fragment.clear();
    url = std::move(*next);
  }
  return Failure{QUARRY_UNAVAILABLE,
                 ask.title + " redirects " + ask.url.text() + " more than " +
                     std::to_string(kMostRedirects) + " times",
                 "Name the final address in the field index.",
                 {}};
}

}  // namespace quarry::resource_pypi
