#include "services/http_proxy.h"

#include "base/text.h"
#include "services/egress_policy.h"

#include <algorithm>

namespace quarry::services {
namespace {

std::string first_set(const ProxySettings::Environment& environment,
                      std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* value = environment(name); value && *value) return value;
  return {};
}

bool covers(std::string_view entry, std::string_view host) {
  if (entry == "*") return true;
  if (const auto range = AddressRange::parse(entry)) {
    const auto address = parse_address(host);
    return address && range->contains(*address);
  }
  if (entry.starts_with("*.")) entry.remove_prefix(1);
  if (entry.starts_with('.')) entry.remove_prefix(1);
  return host_matches(entry, host) || host_matches("*." + std::string(entry), host);
}

bool is_this_machine(std::string_view host) {
  if (const auto address = parse_address(host)) return special_purpose(*address) == "loopback";
  return covers("localhost", host);
}

}  // namespace

ProxySettings::ProxySettings(const Environment& environment)
    : http_(first_set(environment, {"http_proxy", "all_proxy", "ALL_PROXY"})),
      https_(first_set(environment, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})) {
  const std::string list = first_set(environment, {"no_proxy", "NO_PROXY"});
  for (const std::string_view part : split(list, ','))
    if (const auto entry = trim(part); !entry.empty()) excluded_.emplace_back(entry);
}

bool ProxySettings::excluded(std::string_view host) const {
  return std::ranges::any_of(excluded_,
                             [&](const std::string& entry) { return covers(entry, host); });
}

std::string ProxySettings::choose(std::string_view scheme, std::string_view host) const {
  if (is_this_machine(host) || excluded(host)) return {};
  return scheme == "https" ? https_ : http_;
}

}  // namespace quarry::services
