#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_archive {

/// An http or https URL in canonical form.
struct Url {
  std::string scheme;  ///< lower case
  std::string host;    ///< lower case; IPv6 in brackets
  std::string port;    ///< empty for the scheme's own
  std::string path;    ///< begins with '/'
  std::string query;   ///< with its '?', or empty

  [[nodiscard]] std::string text() const;
  /// Scheme, host and port, for messages.
  [[nodiscard]] std::string origin() const;
  /// The last component of the path, decoded.
  [[nodiscard]] std::string file_name() const;
};

/// Parses `text`; a fragment goes to `fragment`. Nothing when it is not such a URL: `why` then says
/// what is wrong, as in "has no host".
std::optional<Url> parse_url(std::string_view text, std::string& fragment, std::string& why);

/// `file` without the extension of an archive; nothing when it has none.
std::optional<std::string> without_extension(std::string_view file);

/// 64 digits of a fragment "sha256=…", in lower case; empty when it has another form.
std::string sha256_of_fragment(std::string_view fragment);

bool is_hex(std::string_view text);

}  // namespace quarry::resource_archive
