#pragma once

#include "base/error.h"
#include "services/endpoint.h"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sockaddr;

namespace quarry::services {

/// An address as 16 bytes; IPv4 is held in its v4-mapped form (::ffff:a.b.c.d).
using Address = std::array<std::uint8_t, 16>;

/// The address written as `text` ("127.0.0.1", "::1", "[::1]"); empty for a name. [any thread]
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);
/// Text form of an address; IPv4 in dotted form. [any thread]
[[nodiscard]] std::string to_string(const Address& address);

/// A range of addresses: "10.0.0.0/8", "fd00::/8" or one address.
struct AddressRange {
  Address first{};
  unsigned bits = 128;

  static std::optional<AddressRange> parse(std::string_view text);
  [[nodiscard]] bool contains(const Address& address) const;
};

/// True if `host` matches `pattern`: "*" matches every host, "*.example.org" every host below that
/// domain, others that host only, an address in any form. Ignores case, a final dot. [any thread]
[[nodiscard]] bool host_matches(std::string_view pattern, std::string_view host);

/// The list that does not permit a host: that of the plugin's manifest, or that of private hosts.
enum class Refusal { kManifest, kNetwork };
/// The error with the facts of a refused host: {"host", "redirect", "refusedBy"}. [any thread]
[[nodiscard]] Error refused_host(Error error, std::string_view host, Refusal by, bool redirect);

/// kPermissionDenied unless a host pattern of the manifest matches `host`. [any thread]
[[nodiscard]] Status check_listed(std::span<const std::string> patterns, std::string_view host);

/// Class of a special-purpose address ("loopback", "private", …); empty for a public one. An IPv6
/// address that embeds an IPv4 address has the class of that one. Source: the special-purpose
/// address registries of IANA (RFC 6890). [any thread]
[[nodiscard]] std::string_view special_purpose(const Address& address);

/// Hosts to which the HTTP client may connect: public addresses, hosts listed by the operator and,
/// for requests to models and to the collector of traces, their endpoints. [any thread]
class EgressPolicy {
 public:
  /// Configuration key of the list; every refusal names it.
  static constexpr std::string_view kKey = "network.private_hosts";

  /// Allows public addresses only.
  EgressPolicy() = default;
  /// `allowed`: host patterns, addresses and ranges. kInvalidArgument names a malformed one.
  static Result<EgressPolicy> make(std::span<const std::string> allowed,
                                   std::vector<Endpoint> endpoints = {});
  EgressPolicy(const EgressPolicy& other) : rules_(other.rules()) {}
  /// Applies the other's rules to every later connection.
  EgressPolicy& operator=(const EgressPolicy& other);

  /// Checks the address about to be connected to for `host`. kPermissionDenied names host, address,
  /// class and kKey.
  [[nodiscard]] Status check(std::string_view host, const sockaddr& address) const;
  /// Checks a host before it is resolved: refuses special-purpose addresses, in every form that
  /// host_matches takes, and names that are always local.
  [[nodiscard]] Status check(std::string_view host) const;
  /// True if exactly this is one of the endpoints.
  [[nodiscard]] bool is_endpoint(const Endpoint& endpoint) const;

 private:
  struct Rules {
    std::vector<std::string> hosts;
    std::vector<AddressRange> ranges;
    std::vector<Endpoint> endpoints;
  };
  [[nodiscard]] Status check(std::string_view host, const Address& address) const;
  [[nodiscard]] std::shared_ptr<const Rules> rules() const;

  mutable std::mutex mutex_;
  std::shared_ptr<const Rules> rules_ = std::make_shared<Rules>();
};

}  // namespace quarry::services
