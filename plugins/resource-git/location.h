#pragma once

#include <quarry/outcome.hpp>

#include <string>
#include <string_view>

namespace quarry::resource_git {

/// The parts of a repository's URL.
struct Location {
  std::string scheme = {};  ///< "https", "http" or "ssh"
  std::string user = {};    ///< for ssh; may be empty
  std::string host = {};    ///< lower case; an IPv6 address in its brackets
  std::string port = {};    ///< digits; empty = the scheme's default
  std::string path = {};    ///< begins with '/', unless `scp`; still percent-encoded
  bool scp = false;         ///< written as user@host:path; the server interprets the path

  bool operator==(const Location&) const = default;
};

/// Reads an https, http or ssh URL, or user@host:path. Query and fragment are dropped. Failures
/// name the field /url and never repeat a password.
Outcome<Location> parse_location(std::string_view url);

/// The canonical URL of a repository; ".git" is kept where a server may distinguish it.
std::string to_url(const Location& location);

/// "host" or "host:port".
std::string authority(const Location& location);

/// `text` with each %XX decoded; unchanged when one is malformed.
std::string percent_decoded(std::string_view text);

}  // namespace quarry::resource_git
