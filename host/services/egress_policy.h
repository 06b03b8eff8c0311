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

/// The address `text` is ("127.0.0.1", "::1", "[::1]"); none for a name. [any thread]
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);
/// IPv4 in its dotted form. [any thread]
[[nodiscard]] std::string to_string(const Address& address);

/// A range of addresses: "10.0.0.0/8", "fd00::/8" or one address.
struct AddressRange {
  Address first{};
  unsigned bits = 128;

  static std::optional<AddressRange> parse(std::string_view text);
  [[nodiscard]] bool contains(const Address& address) const;
};

/// Whether `host` is what `pattern` means: "*" is every host, "*.example.org" every host below that
/// domain, anything else the host itself. Case and a final dot do not count. [any thread]
[[nodiscard]] bool host_matches(std::string_view pattern, std::string_view host);

/// kPermissionDenied unless one of a manifest's host patterns means `host`. [any thread]
[[nodiscard]] Status check_listed(std::span<const std::string> patterns, std::string_view host);

/// What an address is for ("loopback", "private", …); empty when it is a public one. An IPv6
/// address that carries an IPv4 address is what that one is. Source: the special-purpose address
/// registries of IANA (RFC 6890). [any thread]
[[nodiscard]] std::string_view special_purpose(const Address& address);

/// Which hosts the HTTP client may connect to: public addresses, whatever the operator listed, and
/// for whoever asks models, their endpoints. [any thread]
class EgressPolicy {
 public:
  /// The key of the configuration that holds the list; named by every refusal.
  static constexpr std::string_view kKey = "network.private_hosts";

  /// Nothing but public addresses.
  EgressPolicy() = default;
  /// `allowed`: host patterns, addresses and ranges. kInvalidArgument names a malformed one.
  static Result<EgressPolicy> make(std::span<const std::string> allowed,
                                   std::vector<Endpoint> endpoints = {});
  EgressPolicy(const EgressPolicy& other) : rules_(other.rules()) {}
  /// The other's rules hold for every connection from now on.
  EgressPolicy& operator=(const EgressPolicy& other);

  /// The address about to be connected to in the name of `host`. kPermissionDenied names host,
  /// address, class and kKey.
  [[nodiscard]] Status check(std::string_view host, const sockaddr& address) const;
  /// A host before it is resolved: refuses literal addresses and names that are always local.
  [[nodiscard]] Status check(std::string_view host) const;
  /// Whether exactly this is the endpoint of a model.
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
