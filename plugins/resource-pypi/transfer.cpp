#include "resource-pypi/transfer.h"

#include "package_source/answer.h"
#include "package_source/digest.h"

#include <algorithm>
#include <array>
#include <utility>

namespace quarry::resource_pypi {
namespace {

constexpr int kMostRedirects = 5;

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Failure not_followed(const Url& url, const std::string& how) {
  return {QUARRY_UNAVAILABLE,
          "the index redirects " + url.text() + " " + how,
          "Name the final address in the field index.",
          {}};
}

}  // namespace

Failure changed(const std::string& file, const Hash& wanted, const std::string& found) {
  return {QUARRY_DATA_LOSS,
          file + " has another hash than the one it must have: " + found + " instead of " +
              wanted.text(),
          "Do not use this file; tell the owner of the index.",
          {}};
}

Failure Transfer::refused(const HttpResponse& response) const {
  const std::string words = package_source::words_of_answer(response.body);
  const std::string said = "the index answered " + std::to_string(response.status) + " for " +
                           response.url + (words.empty() ? "" : ": " + words);
  const int status = response.status;
  if (status == 401 || (status == 403 && authorization_.empty())) {
    return {status == 401 ? QUARRY_UNAUTHENTICATED : QUARRY_PERMISSION_DENIED,
            said,
            authorization_.empty() ? "Set the field token, as in token = { env = \"INDEX_TOKEN\" }."
                                   : "Check the value of the field token.",
            {}};
  }
  if (status == 403) return {QUARRY_PERMISSION_DENIED, said, "Check the rights of the token.", {}};
  if (status == 404 || status == 410) return {QUARRY_NOT_FOUND, said, {}, {}};
  return {QUARRY_UNAVAILABLE,
          said,
          package_source::when_to_ask_again(header(response.headers, "retry-after")),
          {}};
}

/// The hosts of the manifest.
bool Transfer::is_permitted(const Url& url) const {
  constexpr std::array<std::string_view, 4> kOwn{"pypi.org", "files.pythonhosted.org",
                                                 "test.pypi.org", "test-files.pythonhosted.org"};
  return url.host == home_.host || url.plain_host() == files_ ||
         std::find(kOwn.begin(), kOwn.end(), url.host) != kOwn.end();
}

Outcome<HttpEnd> Transfer::send(const HttpRequest& request, const package_source::OnHead& on_head,
                                const package_source::OnData& on_data) const {
  auto url = Url::parse(request.url);
  if (!url) return Failure{QUARRY_INVALID_ARGUMENT, "no URL: " + request.url, {}, {}};
  for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
    if (!is_permitted(*url)) {
      return Failure{QUARRY_PERMISSION_DENIED,
                     "the index " + home_.text() + " refers to another host, " + url->text(),
                     "Set the field files to " + url->origin() + "/ if this host may be asked." +
                         (authorization_.empty() ? " If it is there to log in, set token." : ""),
                     {}};
    }
    HttpRequest hop = request;
    hop.url = url->text();
    hop.max_redirects = -1;
    if (!authorization_.empty() && url->origin() == home_.origin()) {
      hop.headers.push_back({"authorization", authorization_, {}});
    }
    bool redirected = false;
    std::string location;
    auto end = fetch_to(
        host_, call_, hop,
        [&](int status, const std::vector<HttpHeader>& headers) {
          redirected = is_redirect(status);
          if (redirected) location = header(headers, "location");
          return redirected || on_head(status, headers);
        },
        [&](std::string_view bytes) { return redirected || on_data(bytes); });
    if (!end || !redirected) return end;
    auto next = url->resolve(location);
    if (location.empty() || !next || (url->scheme == "https" && next->scheme == "http")) {
      return not_followed(*url, "to \"" + location + "\", which cannot be followed");
    }
    next->fragment.clear();
    url = std::move(next);
  }
  return not_followed(*Url::parse(request.url),
                      "more than " + std::to_string(kMostRedirects) + " times");
}

package_source::Exchange Transfer::exchange() const {
  package_source::Exchange out(host_, call_);
  out.send = [this](const auto& request, const auto& on_head, const auto& on_data) {
    return send(request, on_head, on_data);
  };
  return out;
}

Outcome<HttpResponse> Transfer::get(const Url& url, std::string_view accept,
                                    const Validators& known, std::uint64_t most) const {
  HttpRequest request{"GET", url.text(), {{"accept", std::string(accept), {}}}, {}};
  known.add_to(request);
  auto response = package_source::receive(exchange(), request, most);
  if (!response) return response;
  if (response->status == 200 || (response->status == 304 && !known.empty())) return response;
  return refused(*response);
}

std::string Transfer::entry_name(const std::string& url) const {
  return "file-" + package_source::sha256_hex(authorization_ + "\n" + url);
}

package_source::Download Transfer::download_of(const std::string& file, const std::string& url,
                                               const std::optional<Hash>& hash) const {
  package_source::Download out;
  // The bytes have a hash, so no content coding.
  out.request = {"GET", url, {{"accept-encoding", "identity", {}}}, {}};
  out.what = file;
  out.most = kMostFile;
  if (hash) out.algorithms = {openssl_name_of(hash->algorithm)};
  out.check = [file, hash](const package_source::File&,
                           const std::vector<std::string>& digests) -> std::optional<Failure> {
    if (!hash) return std::nullopt;
    const Hash found{hash->algorithm, package_source::to_hex(digests.front())};
    return found == *hash ? std::nullopt : std::optional(changed(file, *hash, found.text()));
  };
  out.refused = [this](const HttpResponse& response) { return refused(response); };
  out.too_large = [file] {
    return Failure{QUARRY_RESOURCE_EXHAUSTED,
                   file + " has more than " + std::to_string(kMostFile) + " bytes",
                   "Choose another version or format.",
                   {}};
  };
  return out;
}

}  // namespace quarry::resource_pypi
