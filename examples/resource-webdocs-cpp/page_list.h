/// The pages that a site names in its llms.txt or its sitemap.
#ifndef WEBDOCS_PAGE_LIST_H
#define WEBDOCS_PAGE_LIST_H

#include "url.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace webdocs {

/// Targets of the links of a Markdown text, in order; those of images are left out.
std::vector<std::string> markdown_links(std::string_view text);

struct Sitemap {
  bool of_sitemaps = false;  ///< the locations are those of further sitemaps
  std::vector<std::string> locations;
};

/// Reads a sitemap or an index of sitemaps (sitemaps.org); nullopt for any other text.
std::optional<Sitemap> parse_sitemap(std::string_view xml);

/// The first `limit` distinct pages of `references`, which stand in `base`, and the number of those
/// left out.
struct PageList {
  std::vector<Url> pages;
  std::size_t on_other_hosts = 0;
  std::size_t beyond_limit = 0;

  void add(const Url& base, const std::vector<std::string>& references, std::size_t limit);
  /// The same for those whose path begins with `folder`; others are not counted.
  void add_beneath(std::string_view folder, const Url& base,
                   const std::vector<std::string>& references, std::size_t limit);
};

}  // namespace webdocs

#endif
