// The index of a suite (the text of InRelease), and its signature.
#pragma once

#include "resource-debian/control.h"

#include <map>

namespace quarry::resource_debian {

struct Release {
  std::string origin;
  std::string suite;
  std::string codename;
  std::int64_t date = 0;                ///< seconds since 1970, 0 = not said
  std::int64_t valid_until = 0;         ///< the same
  std::vector<std::string> components;  ///< as their indices lie below the suite
  bool by_hash = false;
  std::map<std::string, Listed, std::less<>> files;  ///< source indices, by path below the suite

  /// The index of a component's sources in the best form offered; null when there is none.
  [[nodiscard]] const Listed* sources_of(std::string_view component) const;
};

/// Reads the signed text. A failure names what is missing.
Outcome<Release> read_release(std::string_view text);

/// "Sat, 12 Sep 2026 07:55:41 UTC" in seconds since 1970; nullopt when it is malformed.
std::optional<std::int64_t> as_time(std::string_view text);
/// Seconds since 1970 as "2026-09-12 07:55 UTC".
std::string as_day(std::int64_t seconds);

/// Verifies a clear-signed text with gpgv, and returns what was signed.
Outcome<std::string> verified(const Host& host, const Call& call, std::string_view text,
                              const std::string& keyring, const std::string& url);

}  // namespace quarry::resource_debian
