/// URLs of a site, and the names of the files that its pages become.
#ifndef WEBDOCS_URL_H
#define WEBDOCS_URL_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace webdocs {

/// An http or https URL without user and fragment. All parts are printable ASCII without quotes,
/// backslashes and angle brackets.
struct Url {
  std::string origin;  ///< "https://docs.example.org:8443": lower case, without a default port
  std::string path;    ///< begins with '/'; has no segment "." or "..", also not percent-encoded
  std::string query;   ///< with its '?', or empty

  [[nodiscard]] std::string text() const { return origin + path + query; }
  [[nodiscard]] std::string host() const;  ///< without the port
  bool operator==(const Url&) const = default;
};

/// Reads an absolute URL of at most 2000 bytes. Bytes beyond ASCII are percent-encoded.
std::optional<Url> parse_url(std::string_view text);

/// Reads a reference that stands in the page `base` (RFC 3986, section 5.2); nullopt for other
/// schemes, such as mailto.
std::optional<Url> resolve_reference(const Url& base, std::string_view reference);

/// A page, and the path of its file in the snapshot.
struct Page {
  Url url;
  std::string name;
};

/// Pages with distinct names, in the given order. A name has no "..", no hidden part, and at most
/// about 200 bytes. URLs that would share one get a digest of the URL into theirs.
std::vector<Page> name_pages(const std::vector<Url>& urls);

/// 64 bits of FNV-1a as 16 digits. Not cryptographic: a site could deceive about itself only.
std::string digest(std::string_view text);

}  // namespace webdocs

#endif
