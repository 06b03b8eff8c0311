// What a resource names, and what the configuration of this type permits.
#pragma once

#include "resource-debian/text.h"

namespace quarry::resource_debian {

/// The table [resource_type.debian], and the host's own members.
struct Settings {
  std::string mirror;                 ///< for resources without one; empty = Debian's
  std::string keyring;                ///< for resources without one
  std::vector<std::string> mirrors;   ///< that callers with tokens may name
  std::vector<std::string> keyrings;  ///< that callers with tokens may name
  bool for_project = false;           ///< acts for callers with tokens
};
Settings settings_of(std::string_view configuration);

/// A source package of an archive.
struct Wanted {
  std::string package;
  std::string version;  ///< empty = the newest
  std::string suite;
  std::string mirror;                   ///< without a slash at its end
  std::vector<std::string> components;  ///< empty = all that the suite has
  std::string keyring;
  bool check_valid_until = true;
  bool for_project = false;  ///< failures reveal nothing about this machine
  bool has_mirror = false;   ///< the resource names it
  bool has_keyring = false;  ///< the same
  std::string notes;         ///< specialNotes as JSON, for the host; empty = none

  [[nodiscard]] std::string suite_url() const;  ///< ends in a slash
};

/// Checks a resource and fills in the defaults. A failure names the field.
Outcome<Wanted> wanted_of(const Settings& settings, std::string_view resource);

/// The canonical resource: equal text for the same source. "quarry add" stores it, so it has no
/// defaults that the configuration may change, and keeps what is meant for the host.
std::string canonical(const Wanted& wanted);

/// A reference as a resource of this type; "null" when it is none.
std::string read_reference(std::string_view reference);

}  // namespace quarry::resource_debian
