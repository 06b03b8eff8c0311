// Names and versions of Debian packages (Debian policy, sections 5.6.1 and 5.6.12).
#pragma once

#include <string>
#include <string_view>

namespace quarry::resource_debian {

/// Lower-case letters, digits and "+-.", at least two, beginning with a letter or digit.
bool is_package_name(std::string_view text);
bool is_version(std::string_view text);
/// Of a suite, such as "bookworm-security" or "stable/updates".
bool is_suite_name(std::string_view text);
/// True for a suite of security updates, which Debian keeps in an archive of its own.
bool is_security_suite(std::string_view suite);
/// Of a component, such as "non-free-firmware".
bool is_component_name(std::string_view text);

/// Negative, zero or positive as `a` is older than, equal to or newer than `b`.
int compare_versions(std::string_view a, std::string_view b);

/// "2:1.0-1" as "1.0-1": file names have no epoch.
std::string_view without_epoch(std::string_view version);
/// "2:1.0-1" as "1.0": the upstream version, without epoch.
std::string_view upstream_version(std::string_view version);
/// The version of the source that a binary rebuild was made of: "1.0-1+b2" as "1.0-1".
std::string_view without_rebuild(std::string_view version);

}  // namespace quarry::resource_debian
