/// Requests to a site: its list of pages, and the state of each.
#ifndef WEBDOCS_SITE_H
#define WEBDOCS_SITE_H

#include "url.h"

#include <quarry/http.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace webdocs {

struct Site {
  std::vector<Page> pages;
  std::vector<std::string> notes;  ///< sentences about pages that are left out
  std::string index;               ///< URL of the file that names the pages
};

/// Reads llms.txt, else the sitemap, of the folder `base`, else the sitemap of its host. A `base`
/// that ends with ".txt" or ".xml" is that file itself.
quarry::Outcome<Site> list_site(const quarry::Host& host, const quarry::Call& call, const Url& base,
                                std::size_t limit);

/// A GET request that ends after 30 s.
quarry::HttpRequest page_request(const Url& url);

/// Sends requests in batches of which 16 responses are in memory, and passes on each response with
/// its index; one of more than 4 MiB is a failure with QUARRY_RESOURCE_EXHAUSTED. Ends with the
/// first failure that `take` returns, or with the call.
using TakeResponse = std::function<std::optional<quarry::Failure>(
    std::size_t, quarry::Outcome<quarry::HttpResponse>&)>;
std::optional<quarry::Failure> send_in_batches(const quarry::Host& host, const quarry::Call& call,
                                               const std::vector<quarry::HttpRequest>& requests,
                                               const TakeResponse& take);

/// What distinguishes this state of a page from others: validator, digest, or kind of failure.
std::string mark_of(const quarry::Outcome<quarry::HttpResponse>& response);

/// The marks of all pages, mostly by HEAD requests.
quarry::Outcome<std::vector<std::string>> read_marks(const quarry::Host& host,
                                                     const quarry::Call& call,
                                                     const std::vector<Page>& pages);

/// The version of a site whose pages have these marks.
std::string version_of(const std::vector<Page>& pages, const std::vector<std::string>& marks);

}  // namespace webdocs

#endif
