#include "services/egress_policy.h"

#include "base/json_writer.h"
#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace quarry::services {
namespace {

constexpr unsigned kMappedBits = 96;

Address mapped(const void* four_bytes) {
  Address out{};
  out[10] = out[11] = 0xff;
  std::memcpy(&out[12], four_bytes, 4);
  return out;
}

bool is_mapped(const Address& address) {
  static const Address kPrefix = mapped("\0\0\0\0");
  return std::equal(kPrefix.begin(), kPrefix.begin() + 12, address.begin());
}

struct Special {
  AddressRange range;
  std::string_view purpose;

  Special(std::string_view text, std::string_view what)
      : range(*AddressRange::parse(text)), purpose(what) {}
};

/// The first match applies.
const std::vector<Special>& special_ranges() {
  static const std::vector<Special> kRanges{
      {"0.0.0.0/8", "unspecified"},
      {"10.0.0.0/8", "private"},
      {"100.64.0.0/10", "carrier-grade NAT"},
      {"127.0.0.0/8", "loopback"},
      {"168.63.129.16", "cloud metadata"},
      {"169.254.0.0/16", "link-local"},
      {"172.16.0.0/12", "private"},
      {"192.0.0.0/24", "reserved"},
      {"192.0.2.0/24", "documentation"},
      {"192.88.99.0/24", "reserved"},
      {"192.168.0.0/16", "private"},
      {"198.18.0.0/15", "benchmark"},
      {"198.51.100.0/24", "documentation"},
      {"203.0.113.0/24", "documentation"},
      {"224.0.0.0/4", "multicast"},
      {"240.0.0.0/4", "reserved"},
      {"::", "unspecified"},
      {"::1", "loopback"},
      {"64:ff9b:1::/48", "private"},
      {"100::/64", "discard"},
      {"2001::/32", "Teredo"},
      {"2001:2::/48", "benchmark"},
      {"2001:db8::/32", "documentation"},
      {"2001::/23", "reserved"},
      {"3fff::/20", "documentation"},
      {"fc00::/7", "private"},
      {"fe80::/10", "link-local"},
      {"fec0::/10", "private"},
      {"ff00::/8", "multicast"},
  };
  return kRanges;
}

/// IPv4 address embedded in an IPv6 address, which a gateway or a network stack would connect to.
std::optional<Address> embedded(const Address& address) {
  struct Form {
    AddressRange range;
    std::size_t at;
  };
  static const std::vector<Form> kForms{{*AddressRange::parse("::/96"), 12},
                                        {*AddressRange::parse("::ffff:0:0:0/96"), 12},
                                        {*AddressRange::parse("64:ff9b::/96"), 12},
                                        {*AddressRange::parse("2002::/16"), 2}};
  for (const Form& form : kForms)
    if (form.range.contains(address)) return mapped(&address[form.at]);
  // ISATAP: an interface identifier 0000:5efe (or 0200:5efe) before the IPv4 address.
  if ((address[8] & ~2) == 0 && address[9] == 0 && address[10] == 0x5e && address[11] == 0xfe)
    return mapped(&address[12]);
  return std::nullopt;
}

bool is_local_name(std::string_view host) {
  return host_matches("localhost", host) || host_matches("*.localhost", host);
}

/// The address that `host` is, also in the forms that inet_aton and URLs accept ("127.1").
std::optional<Address> address_in(const std::string& host) {
  if (const auto address = parse_address(host)) return address;
  in_addr four;
  if (host.empty() || ::inet_aton(host.c_str(), &four) == 0) return std::nullopt;
  return mapped(&four);
}

std::string plain(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  return to_lower(host);
}

Error refusal(std::string_view host, const std::string& address, std::string_view purpose) {
  std::string subject(host);
  if (!address.empty() && subject != address) subject += " (" + address + ")";
  return {Code::kPermissionDenied,
          "the host may not connect to " + subject + ": its address is " + std::string(purpose),
          "if this is meant, add \"" + std::string(host) + "\" to " +
              std::string(EgressPolicy::kKey) + " in quarry.toml"};
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  const std::string terminated(text.substr(0, text.find('%')));  // a zone names an interface
  in_addr four;
  if (::inet_pton(AF_INET, terminated.c_str(), &four) == 1) return mapped(&four);
  Address out;
  if (::inet_pton(AF_INET6, terminated.c_str(), out.data()) == 1) return out;
  return std::nullopt;
}

std::string to_string(const Address& address) {
  char text[INET6_ADDRSTRLEN];
  if (is_mapped(address)) return ::inet_ntop(AF_INET, &address[12], text, sizeof text);
  return ::inet_ntop(AF_INET6, address.data(), text, sizeof text);
}

std::optional<AddressRange> AddressRange::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto first = parse_address(text.substr(0, slash));
  if (!first) return std::nullopt;
  AddressRange range{*first, 128};
  if (slash == text.npos) return range;
  const std::string_view bits = text.substr(slash + 1);
  const bool dotted = text.substr(0, slash).find(':') == text.npos;
  const auto [end, error] = std::from_chars(bits.data(), bits.data() + bits.size(), range.bits);
  if (error != std::errc() || end != bits.data() + bits.size()) return std::nullopt;
  if (range.bits > (dotted ? 32u : 128u)) return std::nullopt;
  if (dotted) range.bits += kMappedBits;
  return range;
}

bool AddressRange::contains(const Address& address) const {
  const std::size_t whole = bits / 8;
  if (!std::equal(first.begin(), first.begin() + whole, address.begin())) return false;
  const unsigned rest = bits % 8;
  return rest == 0 || (first[whole] ^ address[whole]) >> (8 - rest) == 0;
}

bool host_matches(std::string_view pattern, std::string_view host) {
  if (pattern == "*") return true;
  const std::string name = plain(host), wanted = plain(pattern);
  if (!wanted.starts_with("*.")) {
    const auto address = address_in(wanted);
    return name == wanted || (address && address == address_in(name));
  }
  return name.size() >= wanted.size() && name.ends_with(std::string_view(wanted).substr(1));
}

Error refused_host(Error error, std::string_view host, Refusal by, bool redirect) {
  error.facts = json_object([&](JsonWriter& json) {
    json.member("host", host).member("redirect", redirect);
    json.member("refusedBy", by == Refusal::kManifest ? "manifest" : "network");
  });
  return error;
}

Status check_listed(std::span<const std::string> patterns, std::string_view host) {
  const auto means = [&](const std::string& pattern) { return host_matches(pattern, host); };
  if (std::ranges::any_of(patterns, means)) return {};
  const std::string name(host);
  return Error{Code::kPermissionDenied,
               "the plugin's manifest does not list the host '" + name + "'",
               "use a source on a host that the plugin may reach, which \"quarry plugins show\" "
               "prints, or name '" +
                   name +
                   "' in a field that permits hosts; the plugin's author "
                   "can add it to the permissions in plugin.toml"};
}

std::string_view special_purpose(const Address& address) {
  for (const Special& special : special_ranges())
    if (special.range.contains(address)) return special.purpose;
  if (is_mapped(address)) return {};
  if (const auto inner = embedded(address)) return special_purpose(*inner);
  return (address[0] & 0xe0) == 0x20 ? "" : "reserved";  // only 2000::/3 is assigned
}

Result<EgressPolicy> EgressPolicy::make(std::span<const std::string> allowed,
                                        std::vector<Endpoint> endpoints) {
  const auto rules = std::make_shared<Rules>();
  rules->endpoints = std::move(endpoints);
  for (const std::string& entry : allowed) {
    if (const auto range = AddressRange::parse(entry)) {
      rules->ranges.push_back(*range);
    } else if (entry.empty() || entry.find_first_of("/: \t") != entry.npos) {
      return Error{
          Code::kInvalidArgument,
          "'" + entry + "' in " + std::string(kKey) + " is neither a host nor an address range",
          "write \"name\", \"*.domain\", \"10.1.2.3\" or \"10.0.0.0/8\""};
    } else {
      rules->hosts.push_back(entry);
    }
  }
  EgressPolicy policy;
  policy.rules_ = rules;
  return policy;
}

EgressPolicy& EgressPolicy::operator=(const EgressPolicy& other) {
  if (&other == this) return *this;
  auto rules = other.rules();
  std::lock_guard lock(mutex_);
  rules_ = std::move(rules);
  return *this;
}

std::shared_ptr<const EgressPolicy::Rules> EgressPolicy::rules() const {
  std::lock_guard lock(mutex_);
  return rules_;
}

bool EgressPolicy::is_endpoint(const Endpoint& endpoint) const {
  const auto now = rules();
  return std::ranges::find(now->endpoints, endpoint) != now->endpoints.end();
}

Status EgressPolicy::check(std::string_view host, const Address& address) const {
  const std::string_view purpose = special_purpose(address);
  if (purpose.empty()) return {};
  const auto now = rules();
  const auto names = [&](const std::string& pattern) { return host_matches(pattern, host); };
  const auto contains = [&](const AddressRange& range) { return range.contains(address); };
  if (std::ranges::any_of(now->hosts, names) || std::ranges::any_of(now->ranges, contains))
    return {};
  return refusal(host, to_string(address), purpose);
}

Status EgressPolicy::check(std::string_view host, const sockaddr& address) const {
  if (address.sa_family == AF_INET)
    return check(host, mapped(&reinterpret_cast<const sockaddr_in&>(address).sin_addr));
  if (address.sa_family != AF_INET6) return refusal(host, "", "of an unknown family");
  Address bytes;
  std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, 16);
  return check(host, bytes);
}

Status EgressPolicy::check(std::string_view host) const {
  if (const auto address = address_in(plain(host))) return check(host, *address);
  if (!is_local_name(host)) return {};
  if (check(host, *parse_address("127.0.0.1")) || check(host, *parse_address("::1"))) return {};
  return refusal(host, "", "loopback");
}

}  // namespace quarry::services
