/// A project's page in a simple index: HTML (PEP 503) or JSON (PEP 691), with the attributes of
/// PEP 592 (yanked), PEP 658 and 714 (metadata), PEP 700 (sizes) and PEP 792 (status).
#pragma once

#include "package_source/url.h"
#include "resource-pypi/digest.h"
#include "resource-pypi/names.h"

#include <quarry/outcome.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_pypi {

using package_source::Url;

/// A file that the page offers.
struct PageFile {
  std::string name;
  Url url;
  FileName parts;
  std::optional<Hash> hash;
  std::string requires_python;
  bool yanked = false;
  std::string yanked_reason;
  bool has_metadata = false;
  std::optional<Hash> metadata_hash;
  std::optional<std::uint64_t> size;
};

struct Page {
  std::vector<PageFile> files;  ///< those that can be read, in the page's order
  std::size_t others = 0;       ///< links to something else: other formats, other projects
  std::string status;           ///< "archived", "quarantined" …; empty = none stated
  std::string status_reason;
};

/// Reads the page `body` of `project` (normalised), of this Content-Type, got from `url`.
Outcome<Page> read_page(std::string_view body, std::string_view content_type, const Url& url,
                        std::string_view project);

/// The media types to ask for.
inline constexpr std::string_view kAccept =
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, "
    "text/html;q=0.01";

}  // namespace quarry::resource_pypi
