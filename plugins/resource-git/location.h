#pragma once

#include <quarry/outcome.hpp>

#include <string>
#include <string_view>

namespace quarry::resource_git {

/// Where a repository is, taken apart.
struct Location {
  std::string scheme = {};  ///< "https", "http" or "ssh"
  std::string user = {};    ///< of ssh; may be empty
  std::string host = {};    ///< lower case; an IPv6 address in its brackets
  std::string port = {};    ///< digits; empty = the scheme's own
  std::string path = {};    ///< begins with '/', unless `scp`; still percent-encoded
  bool scp = false;         ///< written as user@host:path, where the path is the server's business

  bool operator==(const Location&) const = default;
};

/// Reads an https, http or ssh URL, or user@host:path. Query and fragment are dropped. Failures
/// name the field /url and never repeat a password.
Outcome<Location> parse_location(std::string_view url);

/// The URL; one repository has one, except that ".git" counts where a server may tell it apart.
std::string to_url(const Location& location);

/// "host" or "host:port".
std::string authority(const Location& location);

/// What a URL's %XX stand for; the text itself when one is malformed.
std::string percent_decoded(std::string_view text);

}  // namespace quarry::resource_git
