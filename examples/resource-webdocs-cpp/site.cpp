#include "site.h"

#include "page_list.h"
#include "page_text.h"

#include <algorithm>

namespace webdocs {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;  // of a response
constexpr std::size_t kBatch = 16;
constexpr std::size_t kMostSitemaps = 20;

using quarry::Call;
using quarry::Failure;
using quarry::Host;
using quarry::HttpRequest;
using quarry::HttpResponse;
using quarry::Outcome;

std::string folder_of(const Url& url) {
  return url.path.substr(0, url.path.rfind('/') + 1);
}

std::vector<Url> index_candidates(const Url& base) {
  if (base.path.ends_with(".txt") || base.path.ends_with(".xml")) return {base};
  const std::string folder = base.path.ends_with('/') ? base.path : base.path + "/";
  std::vector<Url> out{{base.origin, folder + "llms.txt", {}},
                       {base.origin, folder + "sitemap.xml", {}}};
  if (folder != "/") out.push_back({base.origin, "/sitemap.xml", {}});
  return out;
}

/// The response to an index; nullopt when the site has none there. A server that cannot answer now
/// is a failure, since the pages would seem to be gone.
Outcome<std::optional<HttpResponse>> read_index(const Host& host, const Call& call,
                                                const Url& url) {
  auto response = quarry::fetch(host, call, page_request(url), kMostBytes);
  if (!response) return response.failure();
  const int status = response->status;
  if (status == 429 || status >= 500) {
    return Failure{QUARRY_UNAVAILABLE,
                   url.text() + " answered with status " + std::to_string(status),
                   "try again later",
                   {}};
  }
  return status == 200 ? std::optional(std::move(*response)) : std::nullopt;
}

/// The base of an index's references: redirects within the host are followed.
Url location_of(const HttpResponse& response, const Url& asked) {
  const auto url = parse_url(response.url);
  return url && url->origin == asked.origin ? *url : asked;
}

/// Adds the pages of the sitemaps that an index of sitemaps names.
std::optional<Failure> add_sitemaps(const Host& host, const Call& call, const Url& base,
                                    const std::vector<std::string>& locations,
                                    std::string_view folder, std::size_t limit, PageList& list) {
  PageList sitemaps;
  sitemaps.add(base, locations, kMostSitemaps);
  std::vector<HttpRequest> requests;
  for (const Url& url : sitemaps.pages) requests.push_back(page_request(url));
  return send_in_batches(
      host, call, requests,
      [&](std::size_t i, Outcome<HttpResponse>& response) -> std::optional<Failure> {
        const Url& url = sitemaps.pages[i];
        if (!response) return response.failure();
        if (response->status >= 500) {
          return Failure{
              QUARRY_UNAVAILABLE, url.text() + " cannot be read now", "try again later", {}};
        }
        const auto sitemap = response->status == 200 ? parse_sitemap(response->body) : std::nullopt;
        if (sitemap && !sitemap->of_sitemaps)
          list.add_beneath(folder, url, sitemap->locations, limit);
        return std::nullopt;
      });
}

Site site_of(const PageList& list, const Url& index) {
  Site site{name_pages(list.pages), {}, index.text()};
  const auto note = [&](std::size_t count, const std::string& text) {
    if (count > 0) site.notes.push_back(std::to_string(count) + text);
  };
  note(list.beyond_limit, " further pages are left out because of the resource's limit");
  note(list.on_other_hosts, " links lead to other hosts, whose pages are left out");
  return site;
}

/// The pages that `response` names as an index; none when it is no index.
Outcome<PageList> pages_of(const Host& host, const Call& call, const HttpResponse& response,
                           const Url& base, const Url& index, std::size_t limit) {
  PageList list;
  if (const auto sitemap = parse_sitemap(response.body)) {
    const std::string folder = base.path.ends_with(".xml") ? folder_of(base) : base.path;
    if (!sitemap->of_sitemaps) {
      list.add_beneath(folder, index, sitemap->locations, limit);
    } else if (auto failed =
                   add_sitemaps(host, call, index, sitemap->locations, folder, limit, list)) {
      return *failed;
    }
  } else if (!is_html(response)) {
    const auto links = markdown_links(response.body);
    if (!links.empty()) list.add(index, {index.text()}, limit);
    list.add(index, links, limit);
  }
  return list;
}

std::optional<Failure> send_batch(const Host& host, const Call& call,
                                  const std::vector<HttpRequest>& requests, std::size_t first,
                                  const TakeResponse& take) {
  const std::size_t end = std::min(first + kBatch, requests.size());
  const std::vector<HttpRequest> batch(requests.begin() + static_cast<std::ptrdiff_t>(first),
                                       requests.begin() + static_cast<std::ptrdiff_t>(end));
  auto responses = quarry::fetch_all(host, call, batch, kMostBytes);
  if (!responses) return responses.failure();
  if (call.over()) return call.why();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (auto failed = take(first + i, (*responses)[i])) return failed;
  }
  return std::nullopt;
}

/// True when a HEAD request told nothing about the page's content.
bool tells_nothing(const Outcome<HttpResponse>& response) {
  if (!response) return false;
  const int status = response->status;
  return status == 405 || status == 501 || (status == 200 && validator_of(*response).empty());
}

}  // namespace

Outcome<Site> list_site(const Host& host, const Call& call, const Url& base, std::size_t limit) {
  for (const Url& candidate : index_candidates(base)) {
    const auto response = read_index(host, call, candidate);
    if (!response) return response.failure();
    if (!*response) continue;
    const Url index = location_of(**response, candidate);
    const auto list = pages_of(host, call, **response, base, index, limit);
    if (!list) return list.failure();
    if (!list->pages.empty()) return site_of(*list, index);
  }
  Failure failure = quarry::field_failure(
      "/url", "leads to no llms.txt or sitemap.xml with pages of " + base.host(),
      "name the folder of the documentation, or that file");
  failure.status = QUARRY_NOT_FOUND;
  return failure;
}

HttpRequest page_request(const Url& url) {
  return {"GET",
          url.text(),
          {{"accept", "text/markdown, text/html;q=0.9, */*;q=0.5", {}}},
          {},
          std::chrono::seconds(30)};
}

std::optional<Failure> send_in_batches(const Host& host, const Call& call,
                                       const std::vector<HttpRequest>& requests,
                                       const TakeResponse& take) {
  for (std::size_t first = 0; first < requests.size(); first += kBatch) {
    if (call.over()) return call.why();
    if (auto failed = send_batch(host, call, requests, first, take)) return failed;
  }
  return std::nullopt;
}

std::string mark_of(const Outcome<HttpResponse>& response) {
  if (!response) return "failed";
  if (response->status != 200) return "status " + std::to_string(response->status);
  const std::string validator = validator_of(*response);
  return validator.empty() ? digest(response->body) : validator;
}

Outcome<std::vector<std::string>> read_marks(const Host& host, const Call& call,
                                             const std::vector<Page>& pages) {
  std::vector<std::string> marks(pages.size());
  std::vector<std::size_t> unknown;
  std::vector<HttpRequest> requests;
  for (const Page& page : pages) requests.push_back(page_request(page.url));
  for (HttpRequest& request : requests) request.method = "HEAD";
  auto failed = send_in_batches(host, call, requests, [&](std::size_t i, auto& response) {
    marks[i] = mark_of(response);
    if (tells_nothing(response)) unknown.push_back(i);
    return std::optional<Failure>();
  });
  if (failed) return *failed;
  requests.clear();
  for (const std::size_t i : unknown) requests.push_back(page_request(pages[i].url));
  failed = send_in_batches(host, call, requests, [&](std::size_t i, auto& response) {
    marks[unknown[i]] = mark_of(response);
    return std::optional<Failure>();
  });
  if (failed) return *failed;
  return marks;
}

std::string version_of(const std::vector<Page>& pages, const std::vector<std::string>& marks) {
  std::string all;
  for (std::size_t i = 0; i < pages.size(); ++i) all += pages[i].url.text() + " " + marks[i] + "\n";
  return digest(all);
}

}  // namespace webdocs
